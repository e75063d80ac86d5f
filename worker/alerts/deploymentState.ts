import { sql } from 'drizzle-orm'
import { type ChainId, chainIds } from '#domain/networks.ts'
import { hourMs } from '#domain/time.ts'
import { isInUse } from '../chain/networkSettings.ts'
import type { Db } from '../db/d1.ts'
import { lastExportAt } from '../db/exports.ts'
import { failingChannels } from '../db/messages.ts'
import { openTroubles, type TroubleRow } from '../db/troubles.ts'
import { openRestores } from '../db/userRestores.ts'
import { countLateSenders, countOverdue } from '../db/watchdog.ts'
import { countWebhookAccounts, countWebhooks } from '../db/webhooks.ts'
import type { Env } from '../env.ts'
import { networkProblems } from '../readiness/networkProblems.ts'
import { relayersInUse } from '../readiness/readiness.ts'
import { readWatches, type WatchState } from '../readiness/watches.ts'
import type { RelayerAccount, RelayerHealth } from '../relayer/api.ts'

const overdueAfterMs = 120_000 // 2 minutes
/** The cron wakes a WebhookSender that is two minutes late, and its new due time may reach D1 a minute later. */
const lateSenderMs = 240_000 // 4 minutes
/** A channel that has not been used for this long is no longer reported. */
const channelMs = 2 * hourMs
/** Restoring an account takes about half an hour. */
const longRestoreMs = 2 * hourMs
/** Exports are made daily. */
const lateExportMs = 36 * hourMs
/** How long a lost alarm is reported after it was found. */
const lostAlarmMs = 10 * 60_000 // 10 minutes

/** The state of a deployment, read once a minute for alerts and metrics. */
export type DeploymentState = {
  networks: { chainId: ChainId; problems: string[] }[]
  relayers: RelayerState[]
  watches: WatchState[]
  /** Number of Treasuries whose work has made no progress for two minutes. */
  overdue: number
  troubles: TroubleRow[]
  channels: { channel: 'email' | 'sms'; since: number }[]
  /**
   * `late`: accounts whose events have waited for four minutes, though the cron wakes their WebhookSenders. `accounts`: those
   * with a webhook that is on, and with one that fails.
   */
  webhooks: {
    on: number
    failing: number
    disabled: number
    late: number
    accounts: { on: number; failing: number }
  }
  /** Start of the last finished export (ms) if that is more than a day and a half ago; otherwise null. */
  lateExport: number | null
  /** Accounts that have been frozen for a restore for more than two hours; `since` in ms. */
  restores: { userId: string; since: number }[]
  /** Size of D1, and the time that a query without rows took. */
  database: { bytes: number; ms: number }
}

/** `account` is null if its node does not respond, `health` if the object does not. */
export type RelayerState = {
  chainId: ChainId
  shard: number
  account: RelayerAccount | null
  health: RelayerHealth | null
}

/** `now` in ms. Throws if the database does not respond. */
export async function readDeployment(env: Env, db: Db, now: number): Promise<DeploymentState> {
  const database = await probe(db)
  const used = chainIds.filter((chainId) => isInUse(env, chainId))
  const [networks, relayers, watches, overdue, troubles, channels, webhooks, accounts, late, exportedAt, frozen] =
    await Promise.all([
      Promise.all(used.map(async (chainId) => ({ chainId, problems: await networkProblems(env, chainId, now) }))),
      Promise.all(relayersInUse(env).map((relayer) => readRelayer(env.RELAYER, relayer))),
      readWatches(env),
      countOverdue(db, now - overdueAfterMs),
      openTroubles(db, now - lostAlarmMs),
      failingChannels(db, now - channelMs),
      countWebhooks(db),
      countWebhookAccounts(db),
      countLateSenders(db, now - lateSenderMs),
      lastExportAt(db),
      openRestores(db),
    ])
  const lateExport = exportedAt !== null && exportedAt < now - lateExportMs ? exportedAt : null
  return {
    networks,
    relayers,
    watches,
    overdue,
    troubles,
    channels,
    webhooks: { ...webhooks, late, accounts },
    lateExport,
    restores: frozen
      .filter(({ startedAt }) => startedAt < now - longRestoreMs)
      .map(({ userId, startedAt: since }) => ({ userId, since })),
    database,
  }
}

/** Made before the other queries, which it would wait for. */
async function probe(db: Db): Promise<DeploymentState['database']> {
  const startedAt = Date.now()
  const { meta } = await db.run(sql`SELECT 1`)
  return { bytes: meta.size_after, ms: Date.now() - startedAt }
}

async function readRelayer(
  namespace: Env['RELAYER'],
  { chainId, shard, name }: ReturnType<typeof relayersInUse>[number],
): Promise<RelayerState> {
  const relayer = namespace.getByName(name)
  const [account, health] = await Promise.all([orNull(() => relayer.account()), orNull(() => relayer.health())])
  return { chainId, shard, account, health }
}

async function orNull<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read()
  } catch {
    return null
  }
}
