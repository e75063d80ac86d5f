import { createApp } from './app.ts'
import { deleteRunOut } from './db/attempts.ts'
import { overdueTreasuries } from './db/readModel.ts'
import { openDb } from './db/session.ts'
import type { Env } from './env.ts'
import { relayerName } from './relayer/types.ts'
import { eraseContacts } from './services/contacts.ts'

export { ClaimDesk } from './claims/claimDesk.ts'
export { Relayer } from './relayer/relayer.ts'
export { Treasury } from './treasury/treasury.ts'

const app = createApp()

export default {
  fetch: app.fetch,
  /** Every minute. The objects keep their own time by alarms; this is housekeeping and the watchdog over them. */
  async scheduled(controller, env, _ctx) {
    const { db } = openDb(env.DB)
    await deleteRunOut(db, controller.scheduledTime)
    await eraseContacts(db, controller.scheduledTime)
    await pokeOverdue(env, controller.scheduledTime)
    await pokeRelayers(env)
  },
} satisfies ExportedHandler<Env>

/** An alarm that never came is set again: objects that were busy and silent for two minutes, a bounded number at a time. */
async function pokeOverdue(env: Env, now: number): Promise<void> {
  for (const userId of await overdueTreasuries(env.DB, now - 120_000, 50))
    await env.TREASURY.getByName(userId)
      .kick()
      .catch((error: unknown) => console.error('watchdog', userId, error))
}

async function pokeRelayers(env: Env): Promise<void> {
  for (const chainId of [8453, 84532] as const)
    for (let shard = 0; shard < Number(env.RELAYER_SHARDS); shard++)
      await env.RELAYER.getByName(relayerName(chainId, shard))
        .kick()
        .catch((error: unknown) => console.error('watchdog', relayerName(chainId, shard), error))
}
