import { type Context, Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { isLoopback } from '#domain/redirectUri.ts'
import type { AppEnv } from '../appEnv.ts'
import { AppError } from '../errors.ts'
import { acceptedBy, acceptsBoth, asJson } from '../mcp/acceptHeader.ts'
import { plainMessage } from '../mcp/arguments.ts'
import { afterFirstChunk } from '../mcp/firstChunk.ts'
import type { ServerOf } from '../mcp/server.ts'
import type { McpCall } from '../mcp/tool.ts'
import { agent, challenge } from '../middleware/auth.ts'
import { rejectNullCharacters } from '../middleware/requests.ts'
import type { Refused } from '../result.ts'
import { credentialProblem } from '../services/agentPayments.ts'

/**
 * Rejects requests from pages of other websites. Extensions, local programs and pages without an origin are accepted: a call needs
 * a token, which no browser adds by itself, and middleware/host.ts keeps DNS rebinding out. Clients other than browsers send no
 * Origin.
 */
const knownOrigin = createMiddleware<AppEnv>(async (c, next) => {
  const origin = c.req.header('origin') ?? ''
  const url = URL.parse(origin)
  const isWebsite = /^https?:/i.test(origin) && !(url && isLoopback(url))
  if (isWebsite && origin !== c.env.API_ORIGIN && origin !== c.env.APP_ORIGIN)
    throw new AppError('forbidden', 'Requests from this origin are not accepted.')
  await next()
})

/**
 * Methods with which clients begin. No tool is called, so the Treasury would not be asked, and a client whose connection was
 * revoked would believe that it is connected: only a 401 here makes clients ask for consent again.
 */
const opening = new Set(['initialize', 'server/discover', 'tools/list'])

function isOpening(body: string): boolean {
  try {
    return opening.has(JSON.parse(body).method)
  } catch {
    return false // The server answers it with a parse error.
  }
}

/** /mcp: the payments of /v1 as tools. Protocol tests pass another `serverOf`. */
export const mcp = (serverOf?: ServerOf) =>
  new Hono<AppEnv>().post('/', agent('/mcp'), knownOrigin, rejectNullCharacters, async (c) => {
    // Loaded on the first call, so that other requests do not wait for it.
    const { bursarServer, listenMethod, listenToTasks, serveMcp } = await import('../mcp/server.ts')
    const { url, headers } = c.req.raw
    const body = plainMessage(await c.req.text())
    // A batch (protocol 2025-03-26) would count as a single call against the agent's quota.
    if (body.trimStart().startsWith('['))
      throw new AppError('invalid_input', 'Send one message per request; batches are not supported.')
    const accepted = acceptedBy(headers.get('accept') ?? undefined)
    const isListening = headers.get('mcp-method') === listenMethod
    if (isListening && accepted === 'json')
      throw new AppError('invalid_input', 'Notifications need a client that accepts text/event-stream.')
    const request = new Request(url, { method: 'POST', headers: withAccept(headers), body })
    const call: McpCall = { env: c.env, agent: c.var.agent, requestId: c.var.requestId }
    const refused = isOpening(body) ? await credentialProblem(call) : null
    if (refused) return notValid(c, refused)
    const served = await serveMcp(request, call, { serverOf: serverOf ?? bursarServer, accepted })
    const response = isListening
      ? await listenToTasks(body, call, served)
      : await (accepted === 'json' ? asJson(served) : afterFirstChunk(served))
    if (!call.rejected) return c.newResponse(response.body, response)
    await response.body?.cancel()
    return notValid(c, call.rejected)
  })

function withAccept(headers: Headers): Headers {
  const changed = new Headers(headers)
  changed.set('accept', acceptsBoth)
  // That of the body before it was made plain.
  changed.delete('content-length')
  return changed
}

/** For a credential that was revoked although its token has not expired. */
function notValid(c: Context<AppEnv>, { message }: Refused): never {
  challenge(c, '/mcp', 'invalid_token')
  throw new AppError('unauthenticated', message)
}
