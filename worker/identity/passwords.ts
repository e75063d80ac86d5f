import { createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import type { Keyring, KeyVersion } from '../keyrings/keyring.ts'
import { HashTurns } from './hashTurns.ts'

/**
 * scrypt with one of OWASP's equal-cost settings: 16 MiB, five lanes. The platform rejects N·r·p above 2^20 (a test
 * asserts that we stay below), and 16 MiB leaves room for parallel sign-ins in 128 MB.
 */
export const cost = { ln: 14, r: 8, p: 5 }
const usualWork = 2 ** 14 * 8 * 5
const keyBytes = 32

/** Stored in place of a hash if no password is valid. */
export const noPassword = 'none'

type Parsed = { ln: number; r: number; p: number; keyid: number; salt: Buffer; key: Buffer }

/** A version of the password pepper, a Worker secret. A plain string is version 1. */
type Pepper = string | Pick<KeyVersion, 'version' | 'secret'>

/**
 * Returns a PHC string, `$scrypt$ln=14,r=8,p=5,keyid=2$salt$key`, where `keyid` is the version of the pepper. It is left out
 * for version 1.
 */
export async function hashPassword(password: string, pepper: Pepper): Promise<string> {
  const { version, secret } = typeof pepper === 'string' ? { version: 1, secret: pepper } : pepper
  const salt = randomBytes(16)
  const key = await derive(password, secret, { ...cost, salt })
  const keyid = version === 1 ? '' : `,keyid=${version}`
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}${keyid}$${unpadded(salt)}$${unpadded(key)}`
}

/**
 * `isOutdated`: the password is right, but its hash uses older parameters or another version of the pepper, so the caller
 * should hash it again. `noPassword` takes the same time to check, so that response times do not reveal unknown emails. If
 * the version of the pepper was removed, no password is right. `now` in ms.
 */
export async function checkPassword(
  password: string,
  stored: string,
  peppers: Keyring,
  now: number,
): Promise<{ isRight: boolean; isOutdated: boolean }> {
  const current = peppers.current(now)
  const parsed = stored === noPassword ? null : parse(stored)
  if (stored !== noPassword && !parsed) throw new Error('stored password hash is not a scrypt PHC string')
  const pepper = parsed && peppers.versions.find(({ version }) => version === parsed.keyid)
  if (!pepper) {
    await derive(password, current.secret, { ...cost, salt: Buffer.alloc(16) })
    return { isRight: false, isOutdated: false }
  }
  const key = await derive(password, pepper.secret, parsed)
  const isRight = key.length === parsed.key.length && timingSafeEqual(key, parsed.key)
  const hasOtherCost = parsed.ln !== cost.ln || parsed.r !== cost.r || parsed.p !== cost.p
  return { isRight, isOutdated: isRight && (hasOtherCost || parsed.keyid !== current.version) }
}

/** How long others have the thread after a hash of the usual cost, at least. */
const restMs = 100
const turns = new HashTurns()

/** Returns 32 bytes. Throws `rate_limited` if many hashes wait. */
export async function derive(
  password: string,
  pepper: string,
  parameters: Omit<Parsed, 'key' | 'keyid'>,
): Promise<Buffer> {
  // NFKC, so that the same password typed on two keyboards gives the same bytes (NIST SP 800-63B 5.1.1.2).
  const secret = createHmac('sha256', pepper).update(password.normalize('NFKC')).digest()
  const { ln, r, p, salt } = parameters
  const hash = () =>
    new Promise<Buffer>((resolve, reject) =>
      scrypt(secret, salt, keyBytes, { N: 2 ** ln, r, p, maxmem: 64 * 1024 * 1024 }, (error, key) =>
        error ? reject(error) : resolve(key),
      ),
    )
  return turns.run(hash, (restMs * (2 ** ln * r * p)) / usualWork)
}

function parse(stored: string): Parsed | null {
  const match =
    /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})(?:,keyid=(\d{1,4}))?\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(
      stored,
    )
  if (!match) return null
  const [, ln, r, p, keyid, salt, key] = match
  return {
    ln: Number(ln),
    r: Number(r),
    p: Number(p),
    keyid: Number(keyid ?? 1),
    salt: Buffer.from(salt!, 'base64'),
    key: Buffer.from(key!, 'base64'),
  }
}

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
