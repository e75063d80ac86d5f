import { chainIds } from '#domain/networks.ts'
import { dayMs } from '#domain/time.ts'
import { checkAlerts } from './alerts/checkAlerts.ts'
import { keepAccounts } from './backup/accounts.ts'
import { exportDaily } from './backup/export.ts'
import { deleteExpired } from './db/attempts.ts'
import { type Db, primaryDb } from './db/d1.ts'
import { deleteOldRows } from './db/retention.ts'
import { deleteOldAlarmTroubles, recordLostAlarm } from './db/troubles.ts'
import { takeLateSenders, takeOverdue } from './db/watchdog.ts'
import type { Env } from './env.ts'
import { logError } from './observability/log.ts'
import { renewKeys } from './ops/keys.ts'
import { continueRestores } from './ops/restoreUser.ts'
import { fatalProblems, misconfigured } from './readiness/settingProblems.ts'
import { readWatches } from './readiness/watches.ts'
import { relayerName } from './relayer/api.ts'
import { purgeDeletedContacts } from './services/contacts.ts'
import { syncStops } from './stops/sync.ts'
import { treasuryOf } from './treasuryOf.ts'

const silentMs = 120_000 // 2 minutes
/** Maximum number of Treasuries, and of WebhookSenders, woken per minute. */
const maxWoken = 50
const overdueAt = (now: number) => ({ before: now - silentMs, now, limit: maxWoken })
const reportMs = dayMs
const timeoutMs = 10_000 // 10 seconds

/**
 * The cron trigger, once a minute: housekeeping, and a watchdog over the objects, which otherwise run on their own alarms. A
 * task that fails or takes longer than `taskTimeoutMs` is logged and does not delay the others. Both arguments in ms.
 */
export async function runScheduled(env: Env, now: number, taskTimeoutMs = timeoutMs): Promise<void> {
  const problems = fatalProblems(env)
  if (problems.length > 0) return logError('cron_refused', {}, misconfigured(problems))
  const db = primaryDb(env.DB)
  const attempt = attemptWithin(taskTimeoutMs)
  await Promise.all([
    attempt('delete expired rows', () => deleteExpired(db, now)),
    attempt('delete old rows', () => deleteOldRows(db, now)),
    attempt('delete old reports', () => deleteOldAlarmTroubles(db, now - reportMs)),
    attempt('purge deleted contacts', () => purgeDeletedContacts(db, now)),
    attempt('keep accounts', () => keepAccounts(env, db)),
    attempt('daily export', () => exportDaily(env, db, now)),
    attempt('renew keys', () => renewKeys(env, db, now)),
    attempt('check alerts', () => checkAlerts(env, db, now)),
    attempt('continue restores', () => continueRestores({ env, db, now: Date.now })),
    attempt('sync stops', () => requireStops(env)),
    wakeTreasuries(attempt, env, db, now),
    wakeSenders(attempt, env, db, now),
    wakeWatches(attempt, env, db, now),
    ...relayers(env).map((name) => wake(attempt, db, name, now, () => env.RELAYER.getByName(name).wakeUp())),
  ])
}

/** Throws if an object does not have the operators' stop, or D1 not its record. */
async function requireStops(env: Env): Promise<void> {
  const { unconfirmed, isRecorded } = await syncStops(env)
  if (unconfirmed.length > 0) throw new Error(`not confirmed by ${unconfirmed.join(', ')}`)
  if (!isRecorded) throw new Error('not recorded in D1')
}

/** Wakes Treasuries that are busy and have been silent, in case their alarm was lost; a bounded number at a time. */
async function wakeTreasuries(attempt: Attempt, env: Env, db: Db, now: number): Promise<void> {
  const overdue = await attempt('find overdue Treasuries', () => takeOverdue(db, overdueAt(now)))
  await Promise.all(
    (overdue ?? []).map((userId) => wake(attempt, db, userId, now, () => treasuryOf(env, userId).wakeUp())),
  )
}

/** Wakes WebhookSenders whose deliveries are late. */
async function wakeSenders(attempt: Attempt, env: Env, db: Db, now: number): Promise<void> {
  const late = await attempt('find late WebhookSenders', () => takeLateSenders(db, overdueAt(now)))
  await Promise.all(
    (late ?? []).map((userId) =>
      wake(attempt, db, `webhooks:${userId}`, now, () => env.WEBHOOK_SENDER.getByName(userId).wakeUp()),
    ),
  )
}

/** Wakes each Watch, in case its alarm was lost. */
async function wakeWatches(attempt: Attempt, env: Env, db: Db, now: number): Promise<void> {
  const watches = await attempt('find Watches', () => readWatches(env))
  await Promise.all(
    (watches ?? []).map(({ name }) =>
      wake(attempt, db, `watch:${name}`, now, () => env.WATCH.getByName(name).wakeUp()),
    ),
  )
}

/** Wakes one object. Records a lost alarm for an alert, because alarms should never be lost. */
async function wake(
  attempt: Attempt,
  db: Db,
  name: string,
  now: number,
  wakeUp: () => Promise<boolean>,
): Promise<void> {
  await attempt(name, async () => {
    if (await wakeUp()) await recordLostAlarm(db, name, now)
  })
}

const relayers = (env: Env) =>
  chainIds.flatMap((chainId) =>
    Array.from({ length: Number(env.RELAYER_SHARDS) }, (_, shard) => relayerName(chainId, shard)),
  )

/** The result of `work`, or null if it failed or took too long, which is logged as `what`. */
type Attempt = <T>(what: string, work: () => Promise<T>) => Promise<T | null>

const attemptWithin =
  (ms: number): Attempt =>
  async (what, work) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('timed out')), ms)
    })
    try {
      return await Promise.race([work(), timeout])
    } catch (error) {
      logError('watchdog_failed', { what }, error)
      return null
    } finally {
      clearTimeout(timer)
    }
  }
