import { deleteRunOut } from './db/attempts.ts'
import { takeOverdue } from './db/readModel.ts'
import { openDb } from './db/session.ts'
import type { Env } from './env.ts'
import { relayerName } from './relayer/types.ts'
import { eraseContacts } from './services/contacts.ts'

const silentMs = 120_000 // 2 minutes
const pokesAtOnce = 50
const patienceMs = 10_000 // 10 seconds

/**
 * The cron trigger: housekeeping, and the watchdog over objects that keep their own time by alarms. What fails or hangs
 * is logged and holds up nothing else. `now` in ms.
 */
export async function everyMinute(env: Env, now: number): Promise<void> {
  const { db } = openDb(env.DB)
  await Promise.all([
    attempt('run-out rows', () => deleteRunOut(db, now)),
    attempt('erased contacts', () => eraseContacts(db, now)),
    pokeTreasuries(env, now),
    ...relayers(env).map((name) => attempt(name, () => env.RELAYER.getByName(name).kick())),
  ])
}

/** An alarm that never came is set again: objects that were busy and silent, a bounded number at a time. */
async function pokeTreasuries(env: Env, now: number): Promise<void> {
  const overdue = await attempt('overdue Treasuries', () => takeOverdue(env.DB, now - silentMs, now, pokesAtOnce))
  await Promise.all((overdue ?? []).map((userId) => attempt(userId, () => env.TREASURY.getByName(userId).kick())))
}

const relayers = (env: Env) =>
  ([8453, 84532] as const).flatMap((chainId) =>
    Array.from({ length: Number(env.RELAYER_SHARDS) }, (_, shard) => relayerName(chainId, shard)),
  )

async function attempt<T>(what: string, work: () => Promise<T>): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), patienceMs)
  })
  try {
    return await Promise.race([work(), tooLong])
  } catch (error) {
    console.error('watchdog', what, error)
    return null
  } finally {
    clearTimeout(timer)
  }
}
