import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import type { AppEnv } from '../appEnv.ts'
import { AppError, OAuthError } from '../errors.ts'
import { addressLimit, callerAddress, limitAddress } from '../middleware/rateLimit.ts'
import { page } from '../pages/layout.ts'
import { hasSecret, issueAppToken, revokeAppToken } from '../services/appTokens.ts'
import { authorize } from '../services/authorize.ts'
import { startDevice } from '../services/devices.ts'
import { appGrants, introspect, issueToken, type OAuthRequest, revokeToken } from '../services/oauth.ts'
import { registerClient } from '../services/oauthClients.ts'

/**
 * /oauth: RFC 6749 with PKCE, 7009, 7591, 7662 and 8628. Agents authenticate with their secret; apps that a person connects
 * are public clients.
 */
export const oauth = new Hono<AppEnv>()
  .post('/token', async (c) => {
    const request = await oauthRequest(c)
    const isApp = (appGrants as readonly (string | null)[]).includes(request.form.get('grant_type'))
    const reply = await (isApp ? issueAppToken : issueToken)(c.var.deps, request)
    return c.json(reply, 200, { pragma: 'no-cache' })
  })
  .post('/revoke', async (c) => {
    const request = await oauthRequest(c)
    await (hasSecret(request) ? revokeToken : revokeAppToken)(c.var.deps, request)
    return c.body(null, 200)
  })
  .post('/introspect', async (c) => c.json(await introspect(c.var.deps, await oauthRequest(c))))
  .post('/register', addressLimit('register'), async (c) => {
    if (!/^application\/json\s*(?:;|$)/i.test(c.req.header('content-type') ?? ''))
      throw new OAuthError('invalid_client_metadata', 'Send the registration as application/json.')
    const body: unknown = await c.req.json().catch(() => null)
    return c.json(await registerClient(c.var.deps, body, callerAddress(c)), 201, { pragma: 'no-cache' })
  })
  .post('/device', addressLimit('device'), async (c) => {
    const { form, address } = await oauthRequest(c)
    return c.json(await startDevice(c.var.deps, form, { address, place: placeOf(c) }), 200, { pragma: 'no-cache' })
  })
  .get('/authorize', async (c) => {
    try {
      await limitAddress(c, 'authorize')
      const to = await authorize(c.var.deps, new URL(c.req.url).searchParams, callerAddress(c))
      return c.redirect(to, 302)
    } catch (error) {
      if (!(error instanceof AppError) || !c.req.header('accept')?.includes('text/html')) throw error
      return refusalPage(c, error)
    }
  })

async function oauthRequest(c: Context<AppEnv>): Promise<OAuthRequest> {
  const type = c.req.header('content-type') ?? ''
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type))
    throw new OAuthError('invalid_request', 'Send the request as application/x-www-form-urlencoded.')
  const form = new URLSearchParams(new TextDecoder().decode(await c.req.arrayBuffer()))
  return { form, authorization: c.req.header('authorization'), address: callerAddress(c) }
}

/** Where the caller is as far as the network knows, such as "Bavaria, DE". */
function placeOf(c: Context<AppEnv>): string | null {
  const { region, country } = (c.req.raw.cf ?? {}) as { region?: string; country?: string }
  return [region, country].filter(Boolean).join(', ').slice(0, 80) || null
}

/** For the person, because the app or the address to which the browser would go back is not verified. */
const refusalPage = (c: Context<AppEnv>, error: AppError) =>
  page(
    c,
    'This app cannot be connected',
    html`<p>An app sent you here to be connected with Bursar, but its request is not valid. Nothing was connected.</p>
<p>${error.message}</p>
<p>Apps that use a key instead: create an agent under <a href="${c.env.APP_ORIGIN}/dashboard/agents">Agents</a>. For
developers: <a href="/docs">how agents connect</a>.</p>`,
    { status: error.code === 'rate_limited' ? 429 : 400 },
  )
