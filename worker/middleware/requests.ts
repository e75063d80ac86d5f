import { bodyLimit } from 'hono/body-limit'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../appEnv.ts'
import { bookmarkHeader, openDb } from '../db/session.ts'
import { deliveryFrom } from '../delivery/delivery.ts'
import { AppError } from '../errors.ts'

const atMost = (kilobytes: number) =>
  bodyLimit({
    maxSize: kilobytes * 1024,
    onError: () => {
      throw new AppError('payload_too_large', `The request is larger than ${kilobytes} kB.`)
    },
  })
const usual = atMost(64)
/** The ids of 10,000 whitelisted contacts. */
const long = atMost(1024)

export const smallBody = createMiddleware<AppEnv>((c, next) =>
  (c.req.path.startsWith('/api/policy-groups') ? long : usual)(c, next),
)

const json = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i

/** U+0000 is refused in every text: SQLite's length() stops there, so it would slip past or trip over any constraint. */
export const noNulls = createMiddleware<AppEnv>(async (c, next) => {
  if ((await c.req.text()).includes('\\u0000'))
    throw new AppError('invalid_input', 'Text must not contain null characters.')
  await next()
})

/** A body has to say that it is JSON; an empty one needs no type (`POST …/reclaim` has nothing to say). */
export const jsonOnly = createMiddleware<AppEnv>(async (c, next) => {
  if (['GET', 'HEAD'].includes(c.req.method)) return next()
  const type = c.req.header('content-type')
  if (type && !json.test(type))
    throw new AppError('invalid_input', 'Send JSON with the header Content-Type: application/json.')
  return noNulls(c, next)
})

/**
 * Opens D1 at least as new as the caller last saw it, and tells how new it is now. Signing in reads from the primary
 * whatever the caller says: a replica may not know yet that a refresh token was used.
 */
export const dependencies = (now: () => number) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const fromPrimary = c.req.path.startsWith('/api/auth/') || c.req.path.startsWith('/oauth/')
    // Opened when first used: an agent's payment needs no D1.
    const d1: { opened?: ReturnType<typeof openDb> } = {}
    const open = () => (d1.opened ??= openDb(c.env.DB, fromPrimary ? null : c.req.header(bookmarkHeader)))
    const afterwards = (work: Promise<unknown>) =>
      c.executionCtx.waitUntil(work.catch((error) => console.error('after the answer', error)))
    c.set('deps', {
      env: c.env,
      get db() {
        return open().db
      },
      get delivery() {
        return deliveryFrom(c.env, open().db, now)
      },
      now,
      afterwards,
    })
    await next()
    const latest = d1.opened?.bookmark()
    if (latest) c.res.headers.set(bookmarkHeader, latest)
  })
