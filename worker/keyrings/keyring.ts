import { createHmac } from 'node:crypto'
import type { Settings } from '../settings.ts'

/** The setting that holds version 1 of each keyring. */
export const firstVersions = {
  KEK: 'KEK_V1',
  PAYOUT_SECRET: 'PAYOUT_SECRET_V1',
  ID_SECRET: 'ID_SECRET_V1',
  CODE_PEPPER: 'CODE_PEPPER',
  PASSWORD_PEPPER: 'PASSWORD_PEPPER',
  RELAYER_SEED: 'RELAYER_SEED_V1',
} as const satisfies Record<string, keyof Settings>
export type KeyringName = keyof typeof firstVersions
export const keyringNames = Object.keys(firstVersions) as KeyringName[]

/** Value of the version 1 setting after that version was removed, because a Worker secret cannot be empty. */
export const removed = 'removed'

/** `secret` is 32 bytes in hex. The version is current from `from` (ms) until a higher version is. */
export type KeyVersion = { version: number; secret: string; from: number }
/** A version in the setting KEYRINGS. `check` verifies that the secret was copied correctly. */
export type AddedVersion = KeyVersion & { check: string }
export type AddedVersions = Partial<Record<KeyringName, AddedVersion[]>>

export type KeyringSettings = Partial<Pick<Settings, (typeof firstVersions)[KeyringName] | 'KEYRINGS'>>

/** Thrown for a version that no setting has: it was removed too early or is not distributed yet. */
export class UnknownKeyVersion extends Error {
  override name = 'UnknownKeyVersion'
}

/** The versions of one secret. The highest version whose `from` has passed is current. Stored values name their version. */
export class Keyring {
  readonly name: KeyringName
  /** Ascending. */
  readonly versions: readonly KeyVersion[]

  constructor(name: KeyringName, versions: readonly KeyVersion[]) {
    this.name = name
    this.versions = versions.toSorted((a, b) => a.version - b.version)
  }

  /** `now` in ms. */
  current(now: number): KeyVersion {
    const found = this.versions.findLast(({ from }) => from <= now)
    if (!found) throw new UnknownKeyVersion(`${this.name} has no current version`)
    return found
  }

  /** The secret of this version. Throws UnknownKeyVersion. */
  secret(version: number): string {
    const found = this.versions.find((one) => one.version === version)
    if (!found) throw new UnknownKeyVersion(`${this.name} has no version ${version}`)
    return found.secret
  }
}

const known = new WeakMap<KeyringSettings, Map<KeyringName, Keyring>>()

/** The keyring with this name: version 1 from its own setting, the others from KEYRINGS. */
export function keyring(env: KeyringSettings, name: KeyringName): Keyring {
  const rings = known.get(env) ?? new Map<KeyringName, Keyring>()
  known.set(env, rings)
  const ring = rings.get(name) ?? new Keyring(name, versionsOf(env, name))
  rings.set(name, ring)
  return ring
}

function versionsOf(env: KeyringSettings, name: KeyringName): KeyVersion[] {
  const first = env[firstVersions[name]]
  const versions: KeyVersion[] = parseKeyrings(env.KEYRINGS)[name] ?? []
  return first && first !== removed ? [{ version: 1, secret: first, from: 0 }, ...versions] : versions
}

/** Throws SyntaxError. */
export const parseKeyrings = (text: string | undefined): AddedVersions =>
  text ? (JSON.parse(text) as AddedVersions) : {}

/** A 64-bit fingerprint, which distinguishes secrets but reveals nothing about them. */
export const keyCheck = (name: KeyringName, { version, secret }: Pick<KeyVersion, 'version' | 'secret'>): string =>
  createHmac('sha256', Buffer.from(secret.replace(/^0x/, ''), 'hex'))
    .update(`bursar ${name} ${version}`)
    .digest('hex')
    .slice(0, 16)
