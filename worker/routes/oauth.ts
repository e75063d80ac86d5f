import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import type { AppEnv } from '../appEnv.ts'
import { OAuthError } from '../errors.ts'
import { callerAddress } from '../middleware/rateLimit.ts'
import { page } from '../pages/layout.ts'
import { introspect, issueToken, type OAuthRequest, revokeToken } from '../services/oauth.ts'

/** /oauth: RFC 6749, 7009 and 7662. */
export const oauth = new Hono<AppEnv>()
  .post('/token', async (c) => c.json(await issueToken(c.var.deps, await oauthRequest(c)), 200, { pragma: 'no-cache' }))
  .post('/revoke', async (c) => {
    await revokeToken(c.var.deps, await oauthRequest(c))
    return c.body(null, 200)
  })
  .post('/introspect', async (c) => c.json(await introspect(c.var.deps, await oauthRequest(c))))
  .get('/authorize', (c) => {
    const refusal = authorizeRefusal(c.req.query('response_type'))
    if (!c.req.header('accept')?.includes('text/html')) throw refusal
    return authorizePage(c, refusal)
  })

async function oauthRequest(c: Context<AppEnv>): Promise<OAuthRequest> {
  const type = c.req.header('content-type') ?? ''
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type))
    throw new OAuthError('invalid_request', 'Send the request as application/x-www-form-urlencoded.')
  const form = new URLSearchParams(new TextDecoder().decode(await c.req.arrayBuffer()))
  return { form, authorization: c.req.header('authorization'), address: callerAddress(c) }
}

/**
 * Never redirects, because no client has registered a redirect URI (RFC 6749 section 4.1.2.1). The endpoint exists
 * because MCP clients reject metadata without one, even if they only use client credentials.
 */
function authorizeRefusal(responseType: string | undefined): OAuthError {
  if (!responseType) return new OAuthError('invalid_request', 'Missing response_type.')
  if (responseType !== 'code')
    return new OAuthError('unsupported_response_type', 'The only supported response_type is code.')
  return new OAuthError(
    'unauthorized_client',
    'Authorization codes are not supported yet. Use an agent’s client credentials or API key.',
  )
}

const authorizePage = (c: Context<AppEnv>, { oauthCode, message }: OAuthError) =>
  page(
    c,
    'This app cannot be connected this way yet',
    html`<p>An app sent you here to request access to Bursar. Bursar grants access to agents, each with its own
credentials: create an agent under <a href="${c.env.APP_ORIGIN}/dashboard/agents">Agents</a> and give the app its client
id and secret, or its API key.</p>
<p>The app received the error <code>${oauthCode}</code>. ${message}</p>
<p>For developers: <a href="/docs">how agents connect</a>.</p>`,
    { status: 400 },
  )
