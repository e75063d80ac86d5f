import { createApp } from './app.ts'
import type { Env } from './env.ts'
import { everyMinute } from './everyMinute.ts'

export { ClaimDesk } from './claims/claimDesk.ts'
export { Relayer } from './relayer/relayer.ts'
export { Treasury } from './treasury/treasury.ts'

const app = createApp()

export default {
  fetch: app.fetch,
  scheduled: (controller, env) => everyMinute(env, controller.scheduledTime),
} satisfies ExportedHandler<Env>
