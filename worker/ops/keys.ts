import { expiryDays } from '#domain/payment.ts'
import { dayMs, isoOf } from '#domain/time.ts'
import type { KeyringState } from '#schemas/ops.ts'
import type { Deps } from '../appEnv.ts'
import type { Db } from '../db/d1.ts'
import { newestFinishedRun } from '../db/exports.ts'
import {
  accountsToCheck,
  failedAccounts,
  keyUseTotals,
  knownFingerprints,
  openPayoutsUnderOther,
  passcodesUnderOther,
  passwordsUnderOther,
  recordFingerprint,
  recordKeyFailure,
  recordKeyUse,
  voidPasswordsUnderOther,
} from '../db/keys.ts'
import type { Env } from '../env.ts'
import { toAppError } from '../failure.ts'
import { noPassword } from '../identity/passwords.ts'
import { type KeyringName, keyCheck, keyring, keyringNames } from '../keyrings/keyring.ts'
import { logError } from '../observability/log.ts'
import { relayersInUse } from '../readiness/readiness.ts'
import { sweptWei } from '../relayer/api.ts'
import { treasuryOf } from '../treasuryOf.ts'
import { type Act, recordAct } from './record.ts'

/** Time after its expiry in which a payout is reclaimed and the reclaim becomes final. */
const endingMs = dayMs
/** A payout lives at most this long, until its end is final. */
const payoutMs = Math.max(...expiryDays) * dayMs + endingMs
/** Lifetime of login sessions, whose refresh tokens are signed with the code pepper. */
const sessionMs = 30 * dayMs
/** Maximum number of accounts or payouts named in one line. */
const maxNamed = 10

/** Something that still needs an older version, until `until` (ms). Null if it does not end by itself. */
type Remaining = { what: string; until: number | null }

/** The versions of each keyring, and what still needs the older ones. */
export async function keyringStates(deps: Deps): Promise<KeyringState[]> {
  return Promise.all(
    keyringNames.map(async (name) => {
      const ring = keyring(deps.env, name)
      const now = deps.now()
      const current = ring.current(now)
      const hasOlder = ring.versions.some(({ version }) => version < current.version)
      // New relayers need ETH before their seed is current.
      const isNext = name === 'RELAYER_SEED' && ring.versions.length > 1
      const remaining = hasOlder || isNext ? await remainingOf(deps, name, current) : []
      const until = remaining.some((one) => one.until === null)
        ? null
        : Math.max(now, ...remaining.map((one) => one.until!))
      return {
        name,
        versions: ring.versions.map(({ version, from }) => ({
          version,
          from: from === 0 ? null : isoOf(from),
          state: version === current.version ? 'current' : version > current.version ? 'distributed' : 'older',
        })),
        remaining: remaining.map(({ what }) => what),
        removableFrom: hasOlder && until !== null ? isoOf(until) : null,
      }
    }),
  )
}

/** The newest finished export, if it is under another version; the cron makes a new one. */
async function exportUnderOther(db: Deps['db'], version: number): Promise<Remaining[]> {
  const run = await newestFinishedRun(db)
  return run && run.kekVersion !== version
    ? [{ what: `the export ${run.id}, until the next is finished`, until: null }]
    : []
}

async function remainingOf(
  deps: Deps,
  name: KeyringName,
  { version, from }: { version: number; from: number },
): Promise<Remaining[]> {
  const { db, env, now } = deps
  if (name === 'PASSWORD_PEPPER') {
    const n = await passwordsUnderOther(db, version)
    return n > 0 ? [{ what: `${n} passwords; each is hashed again when its owner signs in`, until: null }] : []
  }
  if (name === 'RELAYER_SEED') return relayersOf(deps, version)
  const totals = await keyUseTotals(db, currentSince(env, now()) ?? 0)
  const unchecked = await uncheckedOf(db, totals)
  if (name === 'ID_SECRET') {
    const until = from + payoutMs
    const what = `${totals.credentials} API keys and client secrets, until their owners replace them`
    return [
      ...unchecked,
      ...(totals.credentials > 0 ? [{ what, until: null }] : []),
      ...(until > now() ? [{ what: `links of payouts until ${isoOf(until)}`, until }] : []),
    ]
  }
  if (name === 'KEK')
    return [
      ...unchecked,
      ...(await exportUnderOther(db, version)),
      ...(totals.unsealed > 0 ? [{ what: `${totals.unsealed} sealed values`, until: null }] : []),
    ]
  if (name === 'PAYOUT_SECRET')
    return [...unchecked, ...(await payoutsOf(deps, name, totals.payouts, totals.payoutUntil))]
  const passcodes = await passcodesUnderOther(db, version, now())
  const sessionsEnd = from + sessionMs
  return [
    ...unchecked,
    ...(await payoutsOf(deps, name, totals.codes, totals.codeUntil)),
    ...(passcodes.n > 0
      ? [
          {
            what: `${passcodes.n} sign-up passcodes${passcodes.endless > 0 ? `, of which ${passcodes.endless} never expire: revoke them` : ''}`,
            until: passcodes.endless > 0 ? null : passcodes.until,
          },
        ]
      : []),
    ...(sessionsEnd > now() ? [{ what: `login sessions until ${isoOf(sessionsEnd)}`, until: sessionsEnd }] : []),
  ]
}

/** Accounts that have not been or could not be checked. They may need any older version. */
async function uncheckedOf(
  db: Deps['db'],
  { accounts, unchecked, failed }: { accounts: number; unchecked: number; failed: number },
): Promise<Remaining[]> {
  const remaining: Remaining[] = []
  if (unchecked > 0)
    remaining.push({ what: `${unchecked} of ${accounts} accounts have not been checked yet`, until: null })
  if (failed > 0) {
    const named = (await failedAccounts(db, maxNamed)).map(({ userId, failure }) => `${userId} (${failure})`)
    remaining.push({
      what: `${failed} of ${accounts} accounts could not be checked: ${listOf(named, failed)}`,
      until: null,
    })
  }
  return remaining
}

/** `n` open payouts, the last of which expires at `at` (ms); null if there are none. */
async function payoutsOf(
  { db, now }: Deps,
  ring: 'PAYOUT_SECRET' | 'CODE_PEPPER',
  n: number,
  at: number | null,
): Promise<Remaining[]> {
  if (at === null) return []
  const open = `${n} open payouts, the last of which`
  if (at + endingMs > now()) return [{ what: `${open} expires at ${isoOf(at)}`, until: at + endingMs }]
  // They should have ended by now, so there is no date by which they will.
  const accounts = await openPayoutsUnderOther(db, ring, maxNamed)
  const named = accounts.flatMap(({ userId, ids }) => (ids ?? []).map((id) => `${id} of ${userId}`)).slice(0, maxNamed)
  return [{ what: `${open} expired at ${isoOf(at)}: ${listOf(named, n)}`, until: null }]
}

const listOf = (named: string[], n: number) =>
  [...named, ...(n > named.length ? [`${n - named.length} more`] : [])].join(', ')

/** Relayer accounts of other versions that still have transactions or ETH, and new accounts that still need ETH. */
async function relayersOf({ env }: Deps, version: number): Promise<Remaining[]> {
  const lists = await Promise.all(
    relayersInUse(env).map(async ({ name }): Promise<string[]> => {
      try {
        const accounts = await env.RELAYER.getByName(name).accounts()
        return accounts.flatMap(({ version: own, address, state, inFlight, balance }) => {
          if (state === 'waiting') return [`relayer ${name}, whose new account ${address} needs 0.001 ETH or more`]
          if (own === version) return []
          if (state === 'sending') return [`relayer ${name}, which still sends from ${address}`]
          if (inFlight > 0) return [`${inFlight} transactions of relayer ${name}`]
          return balance > sweptWei ? [`the ETH of relayer ${name} at ${address}, which is sent on within an hour`] : []
        })
      } catch {
        return [`relayer ${name}, which does not respond`]
      }
    }),
  )
  return lists.flat().map((what) => ({ what, until: null }))
}

/** Runs one step of the background job now instead of at the next minute. Returns how many accounts it checked. */
export async function renewKeysNow(deps: Deps, act: Act): Promise<{ accounts: number }> {
  await recordAct(deps, act, 'keys.renew', 'all')
  return { accounts: await renewKeys(deps.env, deps.db, deps.now()) }
}

/** Voids passwords under an older pepper. Their users must choose new ones by email. */
export async function resetOldPasswords(deps: Deps, act: Act): Promise<{ passwords: number }> {
  const { version } = keyring(deps.env, 'PASSWORD_PEPPER').current(deps.now())
  await recordAct(deps, act, 'keys.reset_passwords', `version ${version}`)
  return { passwords: await voidPasswordsUnderOther(deps.db, version, noPassword) }
}

/** The keyrings whose use each Treasury reports. */
const treasuryRings = ['KEK', 'PAYOUT_SECRET', 'CODE_PEPPER', 'ID_SECRET'] as const
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
    const { versions, ...use } = await treasuryOf(env, userId).operators().renewKeys()
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
