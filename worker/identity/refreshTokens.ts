import type { Settings } from '../settings.ts'
import { newSecret, peppered, sameHash } from './secrets.ts'

type Pepper = Pick<Settings, 'CODE_PEPPER'>

/**
 * A refresh token: 256 random bits, the session it belongs to, and our signature of both. So a spent token still names
 * its session when nothing is stored of it any more, and nobody else can name one.
 */
export function newRefreshToken(env: Pepper, sessionId: string): string {
  const unsigned = `${newSecret('br_')}.${sessionId}`
  return `${unsigned}.${signatureOf(env, unsigned)}`
}

/** The session of a token that we have issued, whether or not it is spent; null for any other text. */
export function sessionOfRefreshToken(env: Pepper, token: string): string | null {
  const [secret, sessionId, signature, ...rest] = token.split('.')
  if (!secret || !sessionId || !signature || rest.length > 0) return null
  return sameHash(signature, signatureOf(env, `${secret}.${sessionId}`)) ? sessionId : null
}

const signatureOf = ({ CODE_PEPPER }: Pepper, unsigned: string) =>
  peppered(CODE_PEPPER, `refresh-token:${unsigned}`).slice(0, 32)
