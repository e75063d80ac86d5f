/** `npm run ops -- rotate`: replaces one secret of a deployment, step by step. Each step can be killed and run again. */

import { randomBytes } from 'node:crypto'
import { isoOf } from '#domain/time.ts'
import {
  firstVersions,
  type KeyringName,
  type KeyringSettings,
  type KeyVersion,
  keyCheck,
  keyring,
  keyringNames,
  parseKeyrings,
  removed,
} from '../../worker/keyrings/keyring.ts'
import type { KeyringState } from '../../worker/schemas/ops.ts'
import type { Secrets } from '../production/secrets.ts'
import { LaunchError } from '../steps.ts'
import type { Vault } from './vault.ts'

export const rotationSteps = ['start', 'status', 'finish'] as const

export type Rotation = {
  vault: Vault
  /** Reads the deployment's keyrings, and runs one step of its background job. */
  deployment: { keyrings(): Promise<KeyringState[]>; renew(): Promise<{ accounts: number }> }
  now: () => number
  isDry: boolean
  say: (line: string) => void
}

const meaning: Record<KeyringName, string> = {
  KEK: 'Everything is re-sealed within minutes; then nothing remains under the old version.',
  PAYOUT_SECRET: 'Open payouts keep the old version until they have ended, at most 91 days.',
  ID_SECRET: 'Links keep the old version until the last payout under it has ended, at most 91 days.',
  CODE_PEPPER: 'Open payouts, passcodes and login sessions keep the old version, at most 91 days.',
  PASSWORD_PEPPER: 'Passwords are hashed again when their owners sign in; `reset-passwords` ends the others.',
  RELAYER_SEED: 'The relayers get new addresses, which need ETH; the old ones are watched until nothing is in flight.',
}

export function keyringNamed(name: string | undefined): KeyringName {
  const found = keyringNames.find((one) => one === name?.toUpperCase().replaceAll('-', '_'))
  if (!found) throw new LaunchError(`rotate which secret? ${keyringNames.join(', ')} or OPERATOR_KEY`)
  return found
}

/** Creates and distributes a new version. Distributes the same one if run again before it is current. */
export async function start({ vault, now, isDry, say }: Rotation, name: KeyringName): Promise<void> {
  const secrets = vault.read()
  say(`${name}: ${meaning[name]}`)
  if (olderVersions(secrets, name, now()).length > 0) return say('A rotation is in progress: see `status`.')
  const pending = nextVersion(secrets, name, now())
  // It may not have been distributed before that run ended, so the ten minutes start again.
  const changed = pending ? postponed(secrets, name, now()) : withNewVersion(secrets, name, now())
  const next = nextVersion(changed, name, now())!
  const text = `version ${next.version}, current from ${isoOf(next.from)}`
  if (isDry) return say(`Would ${pending ? 'distribute again' : 'create, back up and distribute'} ${text}.`)
  say(`Backup: ${vault.write(changed)}`)
  say(`Distributed ${text}: ${await vault.distribute(changed, ['KEYRINGS'])}.`)
}

/** Runs the deployment's background job, then prints which versions it has and what still needs the older ones. */
export async function status({ vault, deployment, now, say, isDry }: Rotation, name: KeyringName): Promise<void> {
  say(`${name}: ${meaning[name]}`)
  if (!isDry) await renewAll(deployment)
  const state = await stateOf(deployment, name)
  for (const { version, from, state: text } of state.versions)
    say(`  version ${version}  ${text}${from ? ` from ${from}` : ''}`)
  const missing = notDistributed(vault.read(), name, state)
  if (missing.length > 0) say(`  version ${missing.join(', ')} has not reached the deployment: run \`start\` again`)
  for (const what of state.remaining) say(`  needed for: ${what}`)
  if (!state.versions.some((one) => one.state === 'older')) return
  if (isRemovable(state)) return say('  Nothing needs older versions: `finish` removes them.')
  const date = dateOf(state, now())
  say(date ? `  Older versions can be removed from ${date} on.` : '  Older versions can’t be removed yet.')
}

/** The deployment decides, by its own clock. Whatever still needs an older version keeps it, even past the expected date. */
const isRemovable = ({ remaining, removableFrom }: KeyringState) => remaining.length === 0 && removableFrom !== null

/** When everything that remains should have ended; null if that is unknown or already past. */
const dateOf = ({ removableFrom }: KeyringState, now: number) =>
  removableFrom !== null && Date.parse(removableFrom) > now ? removableFrom : null

/** Removes the older versions. Throws LaunchError while something needs them. */
export async function finish(rotation: Rotation, name: KeyringName): Promise<void> {
  const { vault, deployment, now, isDry, say } = rotation
  const secrets = vault.read()
  const older = olderVersions(secrets, name, now()).map(({ version }) => version)
  const state = await stateOf(deployment, name)
  if (older.length === 0) {
    // An earlier run removed it here, but ended before the deployment was updated.
    if (!state.versions.some((one) => one.state === 'older')) return say(`${name} has no older version.`)
    if (isDry) return say('Would distribute the removal again.')
    return say(`Removed: ${await vault.distribute(secrets, changedNames(name))}.`)
  }
  if (!isDry) await renewAll(deployment)
  const after = await stateOf(deployment, name)
  const current = ringOf(secrets, name).current(now()).version
  if (!after.versions.some((one) => one.version === current && one.state === 'current'))
    throw new LaunchError(`the deployment does not use version ${current} yet`)
  if (!isRemovable(after)) {
    const date = dateOf(after, now())
    throw new LaunchError(
      `version ${older.join(', ')} of ${name} is still needed: ${after.remaining.join('; ')}${date ? `; it can be removed from ${date} on` : ''}`,
    )
  }
  if (isDry) return say(`Would remove version ${older.join(', ')} of ${name}, with a new backup.`)
  const changed = withoutOlder(secrets, name, now())
  say(`Backup: ${vault.write(changed)}`)
  say(`Removed version ${older.join(', ')}: ${await vault.distribute(changed, changedNames(name))}.`)
}

const changedNames = (name: KeyringName) => ['KEYRINGS', firstVersions[name]]

async function stateOf(deployment: Rotation['deployment'], name: KeyringName): Promise<KeyringState> {
  const found = (await deployment.keyrings()).find((one) => one.name === name)
  if (!found) throw new LaunchError(`the deployment has no keyring ${name}`)
  return found
}

/** The cron does the same, fifty accounts a minute. */
async function renewAll({ renew }: Rotation['deployment']): Promise<void> {
  for (let steps = 0; steps < 1_000 && (await renew()).accounts > 0; steps++);
}

const notDistributed = (secrets: Secrets, name: KeyringName, state: KeyringState) =>
  ringOf(secrets, name)
    .versions.map(({ version }) => version)
    .filter((version) => !state.versions.some((one) => one.version === version))

// How a rotation changes the secrets of a deployment. Pure: the vault (vault.ts) stores and distributes them.

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
