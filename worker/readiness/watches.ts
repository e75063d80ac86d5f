import { type ChainId, chainIds } from '#domain/networks.ts'
import { isInUse } from '../chain/networkSettings.ts'
import type { Env } from '../env.ts'
import { type WatchHealth, watchName } from '../watch/api.ts'

/** `health` is null if the object does not respond. */
export type WatchState = { chainId: ChainId; shard: number; name: string; health: WatchHealth | null }

/** Every Watch of the networks in use. A shard exists once the one before it is full. */
export const readWatches = async (env: Env): Promise<WatchState[]> =>
  (await Promise.all(chainIds.filter((id) => isInUse(env, id)).map((id) => watchesOf(env, id)))).flat()

async function watchesOf(env: Env, chainId: ChainId): Promise<WatchState[]> {
  const all: WatchState[] = []
  for (let isFull = true; isFull; isFull = all.at(-1)!.health?.isFull ?? false) {
    const name = watchName(chainId, all.length)
    const health = await read(() => env.WATCH.getByName(name).health())
    all.push({ chainId, shard: all.length, name, health })
  }
  return all
}

async function read(health: () => Promise<WatchHealth>): Promise<WatchHealth | null> {
  try {
    return await health()
  } catch {
    return null
  }
}
