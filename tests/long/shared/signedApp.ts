/** An app with a metadata document and keys, on this machine. */
import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
import { serve } from '../../../local/standIns/server.ts'

export const redirectUri = 'http://127.0.0.1:47399/callback'

/** Serves the document, as ChatGPT's is, and the keys. */
export async function startAppWebsite() {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true })
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }]
  const { url, stop } = await serve((request, response) => {
    const document = {
      ...{ client_id: `${url}/client.json`, redirect_uris: [redirectUri] },
      ...{ token_endpoint_auth_method: 'private_key_jwt', jwks_uri: `${url}/keys.json` },
    }
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'max-age=300' })
    response.end(JSON.stringify(request.url === '/keys.json' ? { keys } : document))
  })
  const jwk: JWK = await exportJWK(privateKey)
  return { clientId: `${url}/client.json`, privateKey: jwk, stop }
}

/** By the clock of the Worker. */
export async function assertionOf(url: string, clientId: string, privateKey: JWK) {
  const ahead = (await (await fetch(`${url}/dev/ahead`)).json()) as { ms: number }
  const now = Math.floor((Date.now() + ahead.ms) / 1000)
  const key = await importJWK(privateKey, 'RS256')
  const jwt = new SignJWT({ jti: randomUUID() })
    .setProtectedHeader({ alg: 'RS256', kid: 'one' })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(url)
    .setIssuedAt(now)
    .setExpirationTime(now + 300)
  return {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await jwt.sign(key),
  }
}

export const asForm = (form: Record<string, string>) => ({ method: 'POST', body: new URLSearchParams(form) })
