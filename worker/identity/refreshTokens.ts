import type { KeyringSettings } from '../keyrings/keyring.ts'
import { newSecret } from './secrets.ts'
import { isSigned, signed } from './signed.ts'

/**
 * Creates a refresh token: 256 random bits, its session id, and our signature of both. A spent token thus still identifies
 * its session after its row was deleted, and tokens cannot be forged. `now` in ms.
 */
export function newRefreshToken(env: KeyringSettings, sessionId: string, now: number): string {
  const unsigned = `${newSecret('br_')}.${sessionId}`
  return `${unsigned}.${signed(env, textOf(unsigned), now).slice(0, 32)}`
}

/** The session id of a token that we issued, even if it is spent. Null for any other text. */
export function sessionOfRefreshToken(env: KeyringSettings, token: string): string | null {
  const [secret, sessionId, signature, ...rest] = token.split('.')
  if (!secret || !sessionId || !signature || rest.length > 0) return null
  return isSigned(env, textOf(`${secret}.${sessionId}`), signature) ? sessionId : null
}

const textOf = (unsigned: string) => `refresh-token:${unsigned}`
