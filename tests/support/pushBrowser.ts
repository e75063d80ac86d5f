import { base64url } from 'jose'

let browsers = 0

/** Creates a new push subscription, as a browser would send it. `open` decrypts a message to it (RFC 8291). */
export async function newBrowser() {
  const algorithm = { name: 'ECDH', namedCurve: 'P-256' }
  const pair = (await crypto.subtle.generateKey(algorithm, true, ['deriveBits'])) as CryptoKeyPair
  const point = new Uint8Array((await crypto.subtle.exportKey('raw', pair.publicKey)) as ArrayBuffer)
  const auth = crypto.getRandomValues(new Uint8Array(16))
  const subscription = {
    endpoint: `https://fcm.googleapis.com/fcm/send/${++browsers}-${crypto.randomUUID()}`,
    keys: { p256dh: base64url.encode(point), auth: base64url.encode(auth) },
  }
  async function open(body: Uint8Array<ArrayBuffer>): Promise<unknown> {
    const [salt, idLength] = [body.slice(0, 16), body[20]!]
    const sender = body.slice(21, 21 + idLength)
    const theirs = await crypto.subtle.importKey('raw', sender, algorithm, false, [])
    // The types of Workers call the field $public.
    const withTheirs = { name: 'ECDH', public: theirs } as unknown as { name: string }
    const shared = await crypto.subtle.deriveBits(withTheirs, pair.privateKey, 256)
    const secret = await derived(shared, auth, [text('WebPush: info\0'), point, sender], 256)
    const key = await derived(secret, salt, [text('Content-Encoding: aes128gcm\0')], 128)
    const iv = await derived(secret, salt, [text('Content-Encoding: nonce\0')], 96)
    const opener = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['decrypt'])
    const padded = new Uint8Array(
      await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, opener, body.slice(21 + idLength)),
    )
    // A byte 2 ends the only record's content.
    return JSON.parse(new TextDecoder().decode(padded.slice(0, padded.lastIndexOf(2))))
  }
  return { ...subscription, open }
}

const text = (plain: string) => new TextEncoder().encode(plain)

async function derived(secret: ArrayBuffer, salt: Uint8Array<ArrayBuffer>, info: Uint8Array[], bits: number) {
  const key = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits'])
  const about = Uint8Array.from(info.flatMap((part) => [...part]))
  return crypto.subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info: about }, key, bits)
}
