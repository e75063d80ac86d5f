import { type KeyringSettings, keyring } from '../keyrings/keyring.ts'
import { newSecret, peppered, sameHash } from './secrets.ts'

/** HMAC of the text under the current code pepper, in hex. Only for texts that are verified within weeks. */
export const signed = (env: KeyringSettings, text: string, now: number): string =>
  peppered(keyring(env, 'CODE_PEPPER').current(now).secret, text)

/** HMACs under every remaining version of the pepper, newest first. */
export const signatures = (env: KeyringSettings, text: string): string[] =>
  keyring(env, 'CODE_PEPPER')
    .versions.toReversed()
    .map(({ secret }) => peppered(secret, text))

/** Whether `signature` is a full HMAC of the text or a prefix of at least 32 digits. */
const isSigned = (env: KeyringSettings, text: string, signature: string): boolean =>
  signatures(env, text).some((full) => sameHash(signature, full.slice(0, signature.length))) && signature.length >= 32

/**
 * Creates a refresh token: `secret` (256 random bits), its session id, and our signature of both. A spent token thus still identifies
 * its session after its row was deleted, and tokens cannot be forged. `now` in ms.
 */
export function newRefreshToken(
  env: KeyringSettings,
  sessionId: string,
  now: number,
  secret = newSecret('br_'),
): string {
  const unsigned = `${secret}.${sessionId}`
  return `${unsigned}.${signed(env, textOf(unsigned), now).slice(0, 32)}`
}

/** The session id of a token that we issued, even if it is spent. Null for any other text. */
export function sessionOfRefreshToken(env: KeyringSettings, token: string): string | null {
  const [secret, sessionId, signature, ...rest] = token.split('.')
  if (!secret || !sessionId || !signature || rest.length > 0) return null
  return isSigned(env, textOf(`${secret}.${sessionId}`), signature) ? sessionId : null
}

const textOf = (unsigned: string) => `refresh-token:${unsigned}`
