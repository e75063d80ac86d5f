/** How a rotation changes the secrets of a deployment. Pure: the vault (vault.ts) stores and distributes them. */
import { randomBytes } from 'node:crypto'
import {
  firstVersions,
  type KeyringName,
  type KeyringSettings,
  type KeyVersion,
  keyCheck,
  keyring,
  parseKeyrings,
  removed,
} from '../../worker/keyrings/keyring.ts'
import type { Secrets } from '../production/secrets.ts'
import { LaunchError } from '../steps.ts'

/** By then every isolate and object has a new version: objects may keep running with old settings for five minutes. */
export const distributionMs = 10 * 60_000 // 10 minutes
/** For the upload, after which the ten minutes start. */
const uploadMs = 2 * 60_000 // 2 minutes

// A copy, since keyrings are cached by their settings object.
export const ringOf = (secrets: Secrets, name: KeyringName) => keyring({ ...secrets } as KeyringSettings, name)

/** The version that is not current yet; null if there is none. */
export const nextVersion = (secrets: Secrets, name: KeyringName, now: number): KeyVersion | null =>
  ringOf(secrets, name).versions.find(({ from }) => from > now) ?? null

export const olderVersions = (secrets: Secrets, name: KeyringName, now: number): KeyVersion[] => {
  const ring = ringOf(secrets, name)
  return ring.versions.filter(({ version }) => version < ring.current(now).version)
}

/** Adds a new version, current in about twelve minutes. Throws LaunchError while an older one still exists. */
export function withNewVersion(secrets: Secrets, name: KeyringName, now: number): Secrets {
  if (olderVersions(secrets, name, now).length > 0)
    throw new LaunchError(`finish the rotation of ${name} first: an older version still exists`)
  const version = Math.max(...ringOf(secrets, name).versions.map((one) => one.version)) + 1
  const secret = randomBytes(32).toString('hex')
  const added = { version, secret, from: startFrom(now), check: keyCheck(name, { version, secret }) }
  return edited(secrets, name, (versions) => [...versions, added])
}

/** Postpones the version that is not current yet, as if it were created now. */
export const postponed = (secrets: Secrets, name: KeyringName, now: number): Secrets =>
  edited(secrets, name, (versions) =>
    versions.map((one) => (one.from > now ? { ...one, from: Math.max(one.from, startFrom(now)) } : one)),
  )

const startFrom = (now: number) => now + distributionMs + uploadMs

/** Removes the versions before the current one. */
export function withoutOlder(secrets: Secrets, name: KeyringName, now: number): Secrets {
  const { version } = ringOf(secrets, name).current(now)
  const left = edited(secrets, name, (versions) => versions.filter((one) => one.version >= version))
  return version > 1 ? { ...left, [firstVersions[name]]: removed } : left
}

type Versions = NonNullable<ReturnType<typeof parseKeyrings>[KeyringName]>

function edited(secrets: Secrets, name: KeyringName, edit: (versions: Versions) => Versions): Secrets {
  const rings = parseKeyrings(secrets.KEYRINGS)
  return { ...secrets, KEYRINGS: JSON.stringify({ ...rings, [name]: edit(rings[name] ?? []) }) }
}
