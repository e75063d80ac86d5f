import type { Db } from '../db/d1.ts'
import { accountsToCheck, knownFingerprints, recordFingerprint, recordKeyFailure, recordKeyUse } from '../db/keys.ts'
import type { Env } from '../env.ts'
import { toAppError } from '../failure.ts'
import { keyCheck, keyring, keyringNames } from '../keyrings/keyring.ts'
import { logError } from '../observability/log.ts'

/** The keyrings whose use each Treasury reports. */
const treasuryRings = ['KEK', 'PAYOUT_SECRET', 'CODE_PEPPER'] as const
/** After this time, values sealed just before a version became current have been written. */
const settledMs = 60_000 // 1 minute
const maxAtOnce = 50
const parallel = 10

/** Time from which reports of Treasuries reflect the current versions (ms). Null if there are only first versions. */
export function currentSince(env: Env, now: number): number | null {
  const since = Math.max(...treasuryRings.map((name) => keyring(env, name).current(now).from))
  return since === 0 ? null : since + settledMs
}

/**
 * The background job of a rotation: makes Treasuries reseal values under older keys and records what remains, for a bounded
 * number of accounts at a time. Returns how many it checked. When all are done, it does nothing until the next rotation.
 */
export async function renewKeys(env: Env, db: Db, now: number): Promise<number> {
  await recordFingerprints(env, db, now)
  const since = currentSince(env, now)
  if (since === null || now < since) return 0
  const users = await accountsToCheck(db, since, now, maxAtOnce)
  const queue = [...users]
  const work = async () => {
    for (let userId = queue.pop(); userId !== undefined; userId = queue.pop()) await renewOne(env, db, userId, now)
  }
  await Promise.all(Array.from({ length: parallel }, work))
  return users.length
}

async function renewOne(env: Env, db: Db, userId: string, now: number): Promise<void> {
  try {
    const { versions, ...use } = await env.TREASURY.getByName(userId).operators().renewKeys()
    // An object loaded before the version was distributed does not know it yet; older code does not count payouts.
    const isOlder =
      use.payouts === undefined ||
      treasuryRings.some((name) => versions[name] !== keyring(env, name).current(now).version)
    if (isOlder) await recordKeyFailure(db, userId, now, 'service_updating')
    else await recordKeyUse(db, { userId, checkedAt: now, ...use })
  } catch (error) {
    logError('keys_not_renewed', { user: userId }, error)
    await recordKeyFailure(db, userId, now, toAppError(error).code)
  }
}

/** Environments whose fingerprints are recorded. An isolate has one environment object, so it writes them once. */
const recorded = new WeakSet<Env>()

async function recordFingerprints(env: Env, db: Db, now: number): Promise<void> {
  if (recorded.has(env)) return
  const known = await knownFingerprints(db)
  for (const name of keyringNames)
    for (const key of keyring(env, name).versions)
      if (!known.has(`${name} ${key.version}`))
        await recordFingerprint(db, { name, version: key.version, fingerprint: keyCheck(name, key), firstSeen: now })
  recorded.add(env)
}
