import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import type { AppEnv } from '../appEnv.ts'
import { callerAddress } from '../middleware/callerAddress.ts'
import { page } from '../pages/layout.ts'
import { introspect, issueToken, revokeToken } from '../services/oauth.ts'
import { OAuthRefusal, type OAuthRequest } from '../services/oauthClient.ts'

/** /oauth: RFC 6749, 7009 and 7662. Refusals are OAuth's JSON (see onFailure). */
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
    throw new OAuthRefusal('invalid_request', 'Send the request as application/x-www-form-urlencoded.')
  const form = new URLSearchParams(new TextDecoder().decode(await c.req.arrayBuffer()))
  return { form, authorization: c.req.header('authorization'), address: callerAddress(c) }
}

/**
 * No client has registered an address to return to, so this never redirects (RFC 6749 section 4.1.2.1). The endpoint is
 * there because MCP clients refuse metadata without one, also those that only use client credentials.
 */
function authorizeRefusal(responseType: string | undefined): OAuthRefusal {
  if (!responseType) return new OAuthRefusal('invalid_request', 'response_type is missing.')
  if (responseType !== 'code')
    return new OAuthRefusal('unsupported_response_type', 'The only response_type here would be code.')
  return new OAuthRefusal(
    'unauthorized_client',
    'No client may ask for an authorization code here yet. Use the client credentials or the API key of an agent.',
  )
}

const authorizePage = (c: Context<AppEnv>, { code, message }: OAuthRefusal) =>
  page(
    c,
    'This app cannot be connected this way yet',
    html`<p>An app sent you here to ask for access to Bursar. Bursar gives access to agents by their own credentials
instead: create an agent under <a href="${c.env.APP_ORIGIN}/dashboard/agents">Agents</a> and give the app its client id
and secret, or its API key.</p>
<p>What the app was told: <code>${code}</code>. ${message}</p>
<p>For developers: <a href="/docs">how agents connect</a>.</p>`,
    400,
  )
