import { base64url } from 'jose'

let browsers = 0

/** Creates a new push subscription, as a browser would send it. */
export async function newBrowser() {
  const usages = ['deriveBits']
  const algorithm = { name: 'ECDH', namedCurve: 'P-256' }
  const { publicKey } = (await crypto.subtle.generateKey(algorithm, true, usages)) as CryptoKeyPair
  const point = new Uint8Array((await crypto.subtle.exportKey('raw', publicKey)) as ArrayBuffer)
  return {
    endpoint: `https://fcm.googleapis.com/fcm/send/${++browsers}-${crypto.randomUUID()}`,
    keys: { p256dh: base64url.encode(point), auth: base64url.encode(crypto.getRandomValues(new Uint8Array(16))) },
  }
}
