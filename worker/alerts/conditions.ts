import type { Condition, Observation } from '#domain/alertPlan.ts'
import { type ChainId, chainIds } from '#domain/networks.ts'
import { isInUse } from '../chain/networkSettings.ts'
import { countOverdue } from '../db/busyTreasuries.ts'
import type { Db } from '../db/d1.ts'
import { failingChannels } from '../db/messages.ts'
import type { Env } from '../env.ts'
import { networkProblems } from '../readiness/networkProblems.ts'
import { relayerShards, relayerShortage } from '../readiness/readiness.ts'

const overdueAfterMs = 120_000 // 2 minutes
/** A channel that was not used for this long is no longer reported. */
const channelMs = 2 * 60 * 60_000 // 2 hours

/** What operators should look at now. `now` in ms. */
export async function observe(env: Env, db: Db, now: number): Promise<Observation> {
  const used = chainIds.filter((chainId) => isInUse(env, chainId))
  const found = await Promise.all([
    overdueTreasuries(db, now),
    failingMessages(db, now),
    ...used.map((chainId) => network(env, chainId, now)),
    ...used.flatMap((chainId) => relayerShards(env).map((shard) => relayer(env, chainId, shard))),
  ])
  return {
    conditions: found.flatMap(({ conditions }) => conditions),
    unknown: found.flatMap(({ unknown }) => unknown),
  }
}

const seen = (conditions: Condition[]): Observation => ({ conditions, unknown: [] })

async function network(env: Env, chainId: ChainId, now: number): Promise<Observation> {
  const problems = await networkProblems(env, chainId, now)
  return seen(problems.length > 0 ? [{ key: `network:${chainId}`, text: problems.join('; ') }] : [])
}

/** A node that is down says nothing about the account. */
async function relayer(env: Env, chainId: ChainId, shard: number): Promise<Observation> {
  const key = `relayer:${chainId}:${shard}`
  try {
    return seen((await relayerShortage(env, chainId, shard)).map((text) => ({ key, text })))
  } catch {
    return { conditions: [], unknown: [key] }
  }
}

async function overdueTreasuries(db: Db, now: number): Promise<Observation> {
  const count = await countOverdue(db, now - overdueAfterMs)
  const text = `${count} ${count === 1 ? 'account has' : 'accounts have'} work that has not moved for two minutes`
  return seen(count > 0 ? [{ key: 'treasuries_overdue', text }] : [])
}

async function failingMessages(db: Db, now: number): Promise<Observation> {
  const channels = await failingChannels(db, now - channelMs)
  return seen(
    channels.map(({ channel, since }) => ({
      key: `messages:${channel}`,
      text: `the ${channel === 'email' ? 'email' : 'SMS'} provider has taken no message since ${new Date(since).toISOString()}`,
    })),
  )
}
