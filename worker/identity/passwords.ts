import { createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/**
 * scrypt with one of OWASP's equal-cost settings: 16 MiB, five lanes. The platform rejects N·r·p above 2^20 (a test
 * asserts that we stay below), and 16 MiB leaves room for parallel sign-ins in 128 MB.
 */
export const cost = { ln: 14, r: 8, p: 5 }
const keyBytes = 32

/** Stored in place of a hash: no password is right. */
export const noPassword = 'none'

type Parsed = { ln: number; r: number; p: number; salt: Buffer; key: Buffer }

/** Returns a PHC string, `$scrypt$ln=14,r=8,p=5$salt$key`. `pepper` is a Worker secret and not part of it. */
export async function hashPassword(password: string, pepper: string): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(password, pepper, { ...cost, salt })
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${unpadded(salt)}$${unpadded(key)}`
}

/**
 * `isOutdated`: right, but hashed with other parameters than today's; hash it again while the password is known. Takes as
 * long for `noPassword`, so that an unknown email takes as long as a wrong password.
 */
export async function checkPassword(
  password: string,
  stored: string,
  pepper: string,
): Promise<{ isRight: boolean; isOutdated: boolean }> {
  if (stored === noPassword) {
    await derive(password, pepper, { ...cost, salt: Buffer.alloc(16) })
    return { isRight: false, isOutdated: false }
  }
  const parsed = parse(stored)
  if (!parsed) throw new Error('stored password hash is not a scrypt PHC string')
  const key = await derive(password, pepper, parsed)
  const isRight = key.length === parsed.key.length && timingSafeEqual(key, parsed.key)
  const isOutdated = isRight && (parsed.ln !== cost.ln || parsed.r !== cost.r || parsed.p !== cost.p)
  return { isRight, isOutdated }
}

/** Returns 32 bytes. */
export function derive(password: string, pepper: string, parameters: Omit<Parsed, 'key'>): Promise<Buffer> {
  // NFKC, so that the same password typed on two keyboards gives the same bytes (NIST SP 800-63B 5.1.1.2).
  const secret = createHmac('sha256', pepper).update(password.normalize('NFKC')).digest()
  const { ln, r, p, salt } = parameters
  return new Promise((resolve, reject) =>
    scrypt(secret, salt, keyBytes, { N: 2 ** ln, r, p, maxmem: 64 * 1024 * 1024 }, (error, key) =>
      error ? reject(error) : resolve(key),
    ),
  )
}

function parse(stored: string): Parsed | null {
  const match = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(stored)
  if (!match) return null
  const [, ln, r, p, salt, key] = match
  return {
    ln: Number(ln),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt!, 'base64'),
    key: Buffer.from(key!, 'base64'),
  }
}

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
