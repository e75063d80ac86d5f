import { bodyLimit } from 'hono/body-limit'
import { createMiddleware } from 'hono/factory'
import { secureHeaders } from 'hono/secure-headers'
import { type Place, regionOf } from '#domain/region.ts'
import type { AppEnv } from '../appEnv.ts'
import { bookmarkHeader, openDb } from '../db/d1.ts'
import { AppError } from '../errors.ts'
import { messageProviderFrom } from '../notifications/messageProvider.ts'
import { logError } from '../observability/log.ts'
import { refuseMisconfigured } from '../readiness/settingProblems.ts'

const primaryPaths = /^\/(api\/auth|api\/connections|oauth)\//

const limitTo = (kilobytes: number) =>
  bodyLimit({
    maxSize: kilobytes * 1024,
    onError: () => {
      throw new AppError('payload_too_large', `The request is larger than ${kilobytes} kB.`)
    },
  })
const standardLimit = limitTo(64)
/** Forms of /oauth. Registrations are JSON and may be larger. */
const formLimit = limitTo(16)
/** Enough for the ids of 10,000 whitelisted contacts. */
const policyGroupLimit = limitTo(1024)
/** A seller's challenge may have 128 kB, in base64 a third more. */
const purchaseLimit = limitTo(192)

/** A file of 256 kB as text in JSON, where line breaks and quotes take two characters. */
const runLimit = limitTo(576)

function limitOf(path: string) {
  if (path === '/v1/x402-payments' || path === '/v1/x402-payments/check') return purchaseLimit
  if (path.startsWith('/oauth/') && path !== '/oauth/register') return formLimit
  if (path === '/api/runs') return runLimit
  return /^\/api\/(policy-groups|connections)/.test(path) ? policyGroupLimit : standardLimit
}

export const limitBodySize = createMiddleware<AppEnv>((c, next) => limitOf(c.req.path)(c, next))

/**
 * The id by which the log and the reply name a request. One that the caller sends is ignored: a stranger could make his requests
 * look like another one in the log.
 */
export const ownRequestId = createMiddleware<AppEnv>(async (c, next) => {
  const id = crypto.randomUUID()
  c.set('requestId', id)
  c.header('X-Request-Id', id)
  await next()
})

const json = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i

/** Rejects U+0000 in any text: SQLite's length() stops there, so such text could bypass or violate a constraint. */
export const rejectNullCharacters = createMiddleware<AppEnv>(async (c, next) => {
  const body = await c.req.text()
  c.set('bodyLength', body.length)
  if (body.includes('\\u0000')) throw new AppError('invalid_input', 'Text must not contain null characters.')
  await next()
})

/** A body must be declared as JSON. An empty body needs no content type (`POST …/reclaim` has none). */
export const requireJson = createMiddleware<AppEnv>(async (c, next) => {
  if (['GET', 'HEAD'].includes(c.req.method)) return next()
  const type = c.req.header('content-type')
  if (type && !json.test(type))
    throw new AppError('invalid_input', 'Send JSON with the header Content-Type: application/json.')
  return rejectNullCharacters(c, next)
})

/**
 * Provides `deps`. Opens D1 at the caller's bookmark and returns the new bookmark, so that callers always read their own
 * writes. Sign-in always reads from the primary: a replica may not know yet that a refresh token was used. So does
 * connecting an app, where the app's redirect, which has no bookmark, wrote what the person's browser reads.
 */
export const dependencies = (now: () => number) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const fromPrimary = primaryPaths.test(c.req.path)
    // Opened on first use, because an agent's payment does not need D1.
    const d1: { opened?: ReturnType<typeof openDb> } = {}
    const open = () => (d1.opened ??= openDb(c.env.DB, fromPrimary ? null : c.req.header(bookmarkHeader)))
    const runInBackground = (work: Promise<unknown>) =>
      c.executionCtx.waitUntil(work.catch((error) => logError('background_work_failed', {}, error)))
    c.set('deps', {
      env: c.env,
      get db() {
        return open().db
      },
      get messageProvider() {
        return messageProviderFrom(c.env, open().db, now)
      },
      now,
      get region() {
        return regionOf((c.req.raw.cf ?? {}) as Place)
      },
      runInBackground,
    })
    await next()
    const latest = d1.opened?.bookmark()
    if (latest) c.res.headers.set(bookmarkHeader, latest)
  })

/** Paths that a Worker with a missing or malformed secret still serves, because they tell operators what is wrong. */
const exempt = new Set(['/api/ready', '/ops/api/ready'])

export const requireSettings = createMiddleware<AppEnv>(async (c, next) => {
  if (!exempt.has(c.req.path)) refuseMisconfigured(c.env)
  await next()
})

/** Security headers of every response. Values that a route has set itself are kept. */
export const securityHeaders = secureHeaders({
  overwrite: false,
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    frameAncestors: ["'none'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
  },
  strictTransportSecurity: 'max-age=31536000; includeSubDomains',
  xFrameOptions: 'DENY',
  // These have no effect on JSON and on pages without script.
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
  removePoweredBy: false,
})

/** Responses are private and uncached unless a route says otherwise. */
export const cacheHeaders = createMiddleware<AppEnv>(async (c, next) => {
  await next()
  const { headers } = c.res
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
  headers.append('vary', 'Authorization')
})
