import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../appEnv.ts'
import { AppError } from '../errors.ts'
import type { ServerOf } from '../mcp/server.ts'
import type { McpCall } from '../mcp/tool.ts'
import { agent, challenge } from '../middleware/auth.ts'
import { noNulls } from '../middleware/requests.ts'

/** Pages of other origins may not speak for an agent (DNS rebinding). Clients that are no browsers send no Origin. */
const ownOrigin = createMiddleware<AppEnv>(async (c, next) => {
  const origin = c.req.header('origin')
  if (origin !== undefined && origin !== c.env.API_ORIGIN && origin !== c.env.APP_ORIGIN)
    throw new AppError('forbidden', 'Requests from this origin are not accepted.')
  await next()
})

/** /mcp: the payments of /v1 as tools. `serverOf` is another server for tests of the protocol alone. */
export const mcp = (serverOf?: ServerOf) =>
  new Hono<AppEnv>().post('/', ownOrigin, agent('/mcp'), noNulls, async (c) => {
    // Loaded with the first call: no other request waits for it.
    const { bursarServer, serveMcp } = await import('../mcp/server.ts')
    const { url, headers } = c.req.raw
    const body = await c.req.text()
    // Batches, which 2025-03-26 had, would pass many calls for one by the agent's quota.
    if (body.trimStart().startsWith('[')) throw new AppError('invalid_input', 'Send one message per request.')
    const request = new Request(url, { method: 'POST', headers, body })
    const call: McpCall = { env: c.env, agent: c.var.agent, requestId: c.var.requestId }
    const response = await serveMcp(request, call, serverOf ?? bursarServer)
    if (!call.refusedAs) return c.newResponse(response.body, response)
    // A credential that ended while its token was still good (the 2025 protocol has begun its answer by now).
    challenge(c, '/mcp', 'invalid_token')
    throw new AppError('unauthenticated', call.refusedAs.message)
  })
