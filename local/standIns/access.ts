/**
 * A stand-in for Cloudflare Access in front of /ops: passes requests to the Worker with a token for the caller, and serves
 * the keys with which the Worker verifies tokens. A service token has an id and a secret, as in production; a caller
 * without one is the operator at this machine.
 */
import { timingSafeEqual } from 'node:crypto'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { type LocalServer, serveLocally } from './server.ts'

export type AccessOptions = {
  port: number
  /** Where the Worker is, no trailing slash. */
  target: string
  audience: string
  serviceToken: { id: string; secret: string }
}

const operatorEmail = 'operator@bursar.test'

/** Keys are new at each start; the Worker fetches the keys again if it does not know one. */
export async function startAccess({ port, target, audience, serviceToken }: AccessOptions): Promise<LocalServer> {
  const keys = await newKeys(`local-${Date.now()}`)
  const server: LocalServer = await serveLocally(port, async (request) => {
    const { pathname, search } = new URL(request.url)
    if (pathname === '/cdn-cgi/access/certs') return Response.json({ keys: [keys.jwk] })
    if (pathname !== '/ops' && !pathname.startsWith('/ops/')) return new Response('Not found', { status: 404 })
    // Another site must not act through the operator's browser.
    const origin = request.headers.get('origin')
    if (origin !== null && origin !== server.url && origin !== target) return new Response('Forbidden', { status: 403 })
    const claims = claimsOf(request)
    if (!claims) return new Response('Forbidden', { status: 403 })

    const headers = new Headers(request.headers)
    for (const name of ['host', 'connection', 'content-length', 'cf-access-client-id', 'cf-access-client-secret'])
      headers.delete(name)
    if (origin !== null) headers.set('origin', target)
    const token = { issuer: server.url, audience, now: Date.now() }
    headers.set('cf-access-jwt-assertion', await signAccessToken(keys, token, claims))
    const body = request.body && (await request.arrayBuffer())
    const reply = await fetch(`${target}${pathname}${search}`, {
      method: request.method,
      headers,
      body,
      redirect: 'manual',
    })
    const kept = new Headers(reply.headers)
    for (const name of ['content-encoding', 'content-length', 'transfer-encoding', 'connection']) kept.delete(name)
    return new Response(reply.body, { status: reply.status, headers: kept })
  })
  return server

  /** Returns null for a wrong service token, and for a foreign host name that someone pointed to this machine. */
  function claimsOf(request: Request): Record<string, string> | null {
    const id = request.headers.get('cf-access-client-id')
    const secret = request.headers.get('cf-access-client-secret')
    if (id !== null || secret !== null)
      return id === serviceToken.id && isSame(secret ?? '', serviceToken.secret) ? { common_name: id } : null
    const { hostname } = new URL(request.url)
    return hostname === '127.0.0.1' || hostname === 'localhost' ? { email: operatorEmail } : null
  }
}

const isSame = (a: string, b: string) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

export async function newKeys(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' } }
}
export type AccessKeys = Pick<Awaited<ReturnType<typeof newKeys>>, 'kid' | 'privateKey'>

/** Valid for an hour from `now` (ms). Claims replace the ordinary ones; undefined removes one. */
export function signAccessToken(
  keys: AccessKeys,
  { issuer, audience, now }: { issuer: string; audience: string; now: number },
  claims: JWTPayload,
): Promise<string> {
  const seconds = Math.floor(now / 1000)
  const payload = { iss: issuer, aud: [audience], iat: seconds, exp: seconds + 3_600, ...claims }
  return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: keys.kid }).sign(keys.privateKey)
}
