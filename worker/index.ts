import { createApp } from './app.ts'
import { deleteRunOut } from './db/attempts.ts'
import { openDb } from './db/session.ts'
import type { Env } from './env.ts'

export { ClaimDesk } from './claims/claimDesk.ts'
export { Relayer } from './relayer/relayer.ts'
export { Treasury } from './treasury/treasury.ts'

const app = createApp()

export default {
  fetch: app.fetch,
  /** Every minute. The objects keep their own time by alarms; this is housekeeping and the watchdog over them. */
  async scheduled(controller, env, _ctx) {
    await deleteRunOut(openDb(env.DB).db, controller.scheduledTime)
  },
} satisfies ExportedHandler<Env>
