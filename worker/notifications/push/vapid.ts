import { base64url } from 'jose'

/** The key pair of PUSH_PRIVATE_JWK in the form that browsers and push services use: base64url of the point and of `d`. */
export function vapidKeys(privateJwk: string): { publicKey: string; privateKey: string } {
  const { x, y, d } = JSON.parse(privateJwk) as Record<'x' | 'y' | 'd', string>
  const point = new Uint8Array([4, ...base64url.decode(x), ...base64url.decode(y)])
  return { publicKey: base64url.encode(point), privateKey: d }
}
