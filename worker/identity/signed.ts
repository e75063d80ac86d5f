import { type KeyringSettings, keyring } from '../keyrings/keyring.ts'
import { peppered, sameHash } from './secrets.ts'

/** HMAC of the text under the current code pepper, in hex. For what is checked again within weeks. */
export const signed = (env: KeyringSettings, text: string, now: number): string =>
  peppered(keyring(env, 'CODE_PEPPER').current(now).secret, text)

/** Under any version of the pepper that is still there, the current one first. */
export const signatures = (env: KeyringSettings, text: string): string[] =>
  keyring(env, 'CODE_PEPPER')
    .versions.toReversed()
    .map(({ secret }) => peppered(secret, text))

/** Whether `signature`, or its beginning, is one of the text. */
export const isSigned = (env: KeyringSettings, text: string, signature: string): boolean =>
  signatures(env, text).some((full) => sameHash(signature, full.slice(0, signature.length))) && signature.length >= 32
