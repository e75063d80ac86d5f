import { createApp } from './app.ts'
import { fastSigner } from './chain/fastSigner.ts'
import secp256k1 from './chain/secp256k1/secp256k1.wasm'
import { setSigner } from './chain/sign.ts'
import type { Env } from './env.ts'
import { runScheduled } from './scheduled.ts'

export { ClaimDesk } from './claims/claimDesk.ts'
export { History } from './history/history.ts'
export { MessageCounter } from './messageCounts/messageCounter.ts'
export { Relayer } from './relayer/relayer.ts'
export { ServiceStops } from './stops/serviceStops.ts'
export { Treasury } from './treasury/treasury.ts'
export { Watch } from './watch/watch.ts'
export { WebhookSender } from './webhooks/webhookSender.ts'

setSigner(fastSigner(secp256k1))
const app = createApp()

export default {
  fetch: app.fetch,
  scheduled: (controller, env) => runScheduled(env, controller.scheduledTime),
} satisfies ExportedHandler<Env>
