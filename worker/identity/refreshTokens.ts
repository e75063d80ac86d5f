import type { KeyringSettings } from '../keyrings/keyring.ts'
import { newSecret } from './secrets.ts'
import { isSigned, signed } from './signed.ts'

/**
 * A refresh token: 256 random bits, the session it belongs to, and our signature of both. So a spent token still names
 * its session when nothing is stored of it any more, and nobody else can name one. `now` in ms.
 */
export function newRefreshToken(env: KeyringSettings, sessionId: string, now: number): string {
  const unsigned = `${newSecret('br_')}.${sessionId}`
  return `${unsigned}.${signed(env, textOf(unsigned), now).slice(0, 32)}`
}

/** The session of a token that we have issued, whether or not it is spent; null for any other text. */
export function sessionOfRefreshToken(env: KeyringSettings, token: string): string | null {
  const [secret, sessionId, signature, ...rest] = token.split('.')
  if (!secret || !sessionId || !signature || rest.length > 0) return null
  return isSigned(env, textOf(`${secret}.${sessionId}`), signature) ? sessionId : null
}

const textOf = (unsigned: string) => `refresh-token:${unsigned}`
