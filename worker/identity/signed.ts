import { type KeyringSettings, keyring } from '../keyrings/keyring.ts'
import { peppered, sameHash } from './secrets.ts'

/** HMAC of the text under the current code pepper, in hex. Only for texts that are verified within weeks. */
export const signed = (env: KeyringSettings, text: string, now: number): string =>
  peppered(keyring(env, 'CODE_PEPPER').current(now).secret, text)

/** HMACs under every remaining version of the pepper, newest first. */
export const signatures = (env: KeyringSettings, text: string): string[] =>
  keyring(env, 'CODE_PEPPER')
    .versions.toReversed()
    .map(({ secret }) => peppered(secret, text))

/** Whether `signature` is a full HMAC of the text or a prefix of at least 32 digits. */
export const isSigned = (env: KeyringSettings, text: string, signature: string): boolean =>
  signatures(env, text).some((full) => sameHash(signature, full.slice(0, signature.length))) && signature.length >= 32
