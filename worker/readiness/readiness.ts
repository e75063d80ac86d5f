import { is } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type ChainId, chainIds, networks } from '#domain/networks.ts'
import type { Deps } from '../appEnv.ts'
import { isInUse } from '../chain/networkSettings.ts'
import type { Db } from '../db/d1.ts'
import { knownFingerprints, knownPasskeyDomain } from '../db/keys.ts'
import * as schema from '../db/schema.ts'
import type { Env } from '../env.ts'
import { keyCheck, keyring, keyringNames } from '../keyrings/keyring.ts'
import { type RelayerAccount, relayerName } from '../relayer/api.ts'
import { networkProblems } from './networkProblems.ts'
import { problemText, settingProblems } from './settingProblems.ts'

/** 0.001 ETH: some 1,500 payments at 0.01 gwei. */
const minRelayerBalance = 10n ** 15n

/**
 * Everything that keeps this deployment from serving payments, as text for operators without secrets; empty if it is ready.
 * Checks settings first, because nothing else can be checked while they are wrong.
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
    passkeyProblems(env, deps.db),
    ...used.map((chainId) => networkProblems(env, chainId, now())),
    ...relayersInUse(env).map((relayer) => relayerProblems(env, relayer)),
  ]
  return [...inWords, ...(await Promise.all(checks)).flat()]
}

/** Selects all columns and no rows of every table, which reveals a migration that was not applied. */
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

/** Looks up an object, which need not exist. */
async function bucketProblems({ BACKUP }: Env): Promise<string[]> {
  try {
    await BACKUP.head('ready')
    return []
  } catch {
    return ['bucket: BACKUP does not respond']
  }
}

type RelayerId = { chainId: ChainId; shard: number; name: string }

/** The Relayers of all networks in use. */
export const relayersInUse = (env: Env): RelayerId[] =>
  chainIds
    .filter((chainId) => isInUse(env, chainId))
    .flatMap((chainId) =>
      Array.from({ length: Number(env.RELAYER_SHARDS) }, (_, shard) => ({
        chainId,
        shard,
        name: relayerName(chainId, shard),
      })),
    )

/** Problems with a relayer's account; empty if it can pay for gas. */
export const relayerShortage = (
  chainId: ChainId,
  shard: number,
  { address, balance }: Pick<RelayerAccount, 'address' | 'balance'>,
): string[] =>
  balance < minRelayerBalance ? [`${relayerLabel(chainId, shard)}: ${address} has less than 0.001 ETH`] : []

export const relayerLabel = (chainId: ChainId, shard: number) => `${networks[chainId].label}, relayer ${shard}`

async function relayerProblems(env: Env, { chainId, shard, name }: RelayerId): Promise<string[]> {
  try {
    const { address, balance } = await env.RELAYER.getByName(name).account()
    return relayerShortage(chainId, shard, { address, balance })
  } catch (error) {
    return [`${relayerLabel(chainId, shard)}: ${(error as Error).name}`]
  }
}

/** Secrets that differ from the one this database has seen under the same version. */
export async function keyringProblems(env: Env, db: Db): Promise<string[]> {
  const known = await knownFingerprints(db).catch(() => null) // other checks report that the database is down
  if (!known) return []
  return keyringNames.flatMap((name) =>
    keyring(env, name).versions.flatMap((key) => {
      const seen = known.get(`${name} ${key.version}`)
      const isOther = seen !== undefined && seen !== keyCheck(name, key)
      return isOther ? [`${name} version ${key.version} is not the secret that was used before`] : []
    }),
  )
}

/** A passkey opens its account under one domain for ever, so another domain would lock out every recipient. */
export async function passkeyProblems({ PASSKEY_DOMAIN }: Env, db: Db): Promise<string[]> {
  const known = await knownPasskeyDomain(db).catch(() => null)
  if (known === null || known === PASSKEY_DOMAIN) return []
  return [`PASSKEY_DOMAIN is not ${known}, which opens the accounts of recipients who kept their money`]
}
