import { is } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type ChainId, chainIds, networks } from '#domain/networks.ts'
import type { Deps } from '../appEnv.ts'
import { isInUse } from '../chain/networkSettings.ts'
import * as schema from '../db/schema.ts'
import type { Env } from '../env.ts'
import { type RelayerAccount, relayerName } from '../relayer/api.ts'
import { keyringProblems } from './keyringProblems.ts'
import { networkProblems } from './networkProblems.ts'
import { problemText } from './refuseWork.ts'
import { settingProblems } from './settingProblems.ts'

/** 0.001 ETH: some 1,500 payments at 0.01 gwei. */
const minRelayerBalance = 10n ** 15n

/**
 * Everything that keeps this deployment from serving payments, in words for operators that hold no secret; empty when it
 * is ready. Settings first: where they are wrong, nothing else can be asked.
 */
export async function readinessProblems(deps: Pick<Deps, 'env' | 'db' | 'now'>): Promise<string[]> {
  const { env, now } = deps
  const settings = settingProblems(env)
  const inWords = settings.map(problemText)
  if (settings.some(({ fatal }) => fatal)) return inWords
  const used = chainIds.filter((chainId) => isInUse(env, chainId))
  const checks = [
    databaseProblems(deps.db),
    bucketProblems(env),
    keyringProblems(env, deps.db),
    ...used.map((chainId) => networkProblems(env, chainId, now())),
    ...used.flatMap((chainId) => relayerShards(env).map((shard) => relayerProblems(env, chainId, shard))),
  ]
  return [...inWords, ...(await Promise.all(checks)).flat()]
}

/** Reads no row of every table with all its columns, so that a migration that was not applied shows. */
async function databaseProblems(db: Deps['db']): Promise<string[]> {
  const tables = Object.values(schema as Record<string, unknown>).filter((value) => is(value, SQLiteTable))
  const [first, ...rest] = tables.map((table) => db.select().from(table).limit(0))
  try {
    await db.batch([first!, ...rest])
    return []
  } catch (error) {
    const missing = /no such (?:table|column): [\w.]+/.exec(`${error} ${(error as Error).cause}`)?.[0]
    return [missing ? `database: ${missing}; apply the migrations` : 'database: it does not respond']
  }
}

/** Looks for an object that need not be there. */
async function bucketProblems({ BACKUP }: Env): Promise<string[]> {
  try {
    await BACKUP.head('ready')
    return []
  } catch {
    return ['bucket: BACKUP does not respond']
  }
}

export const relayerShards = (env: Env) => Array.from({ length: Number(env.RELAYER_SHARDS) }, (_, shard) => shard)

/** What is wrong with a relayer's account; empty if it can pay. */
export const relayerShortage = (
  chainId: ChainId,
  shard: number,
  { address, balance }: Pick<RelayerAccount, 'address' | 'balance'>,
): string[] =>
  balance < minRelayerBalance ? [`${relayerLabel(chainId, shard)}: ${address} has less than 0.001 ETH`] : []

export const relayerLabel = (chainId: ChainId, shard: number) => `${networks[chainId].label}, relayer ${shard}`

async function relayerProblems(env: Env, chainId: ChainId, shard: number): Promise<string[]> {
  try {
    const { address, balance } = await env.RELAYER.getByName(relayerName(chainId, shard)).account()
    return relayerShortage(chainId, shard, { address, balance })
  } catch (error) {
    return [`${relayerLabel(chainId, shard)}: ${(error as Error).name}`]
  }
}
