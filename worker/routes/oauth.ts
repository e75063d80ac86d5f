import { type Context, Hono } from 'hono'
import type { AppEnv } from '../appEnv.ts'
import { AppError } from '../errors.ts'
import { issueToken, OAuthRefusal } from '../services/oauth.ts'
import { callerAddress } from './callerAddress.ts'

/** /oauth: RFC 6749 bodies instead of the envelope. */
export const oauth = new Hono<AppEnv>().post('/token', async (c) => {
  const type = c.req.header('content-type') ?? ''
  try {
    if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type))
      throw new OAuthRefusal('invalid_request', 'Send the request as application/x-www-form-urlencoded.')
    const form = new URLSearchParams(new TextDecoder().decode(await c.req.arrayBuffer()))
    const reply = await issueToken(c.var.deps, form, c.req.header('authorization'), callerAddress(c))
    return c.json(reply, 200, { pragma: 'no-cache' })
  } catch (error) {
    return refuse(c, error)
  }
})

function refuse(c: Context<AppEnv>, error: unknown) {
  if (error instanceof AppError && error.code === 'rate_limited') {
    c.header('Retry-After', String(error.retryAfter))
    return c.json({ error: 'temporarily_unavailable', error_description: error.message }, 429)
  }
  if (!(error instanceof OAuthRefusal)) throw error
  const status = error.code === 'invalid_client' ? 401 : 400
  if (status === 401 && c.req.header('authorization'))
    c.header('WWW-Authenticate', 'Basic realm="Bursar", charset="UTF-8"')
  return c.json({ error: error.code, error_description: error.message }, status, { pragma: 'no-cache' })
}
