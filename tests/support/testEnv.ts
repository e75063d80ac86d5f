import type { D1Migration } from 'cloudflare:test'
import { env as bindings } from 'cloudflare:workers'
import type { ClaimDesk } from '../../worker/claims/claimDesk.ts'
import type { Env } from '../../worker/env.ts'
import type { History } from '../../worker/history/history.ts'
import type { MessageCounter } from '../../worker/messageCounts/messageCounter.ts'
import type { Relayer } from '../../worker/relayer/relayer.ts'
import type { ServiceStops } from '../../worker/stops/serviceStops.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import type { Watch } from '../../worker/watch/watch.ts'
import type { WebhookSender } from '../../worker/webhooks/webhookSender.ts'

/** Types objects by their classes, because tests reach into them; the Worker itself knows only their RPC interfaces. */
export type TestEnv = Omit<
  Env,
  'TREASURY' | 'HISTORY' | 'CLAIM_DESK' | 'RELAYER' | 'WEBHOOK_SENDER' | 'SERVICE_STOPS' | 'MESSAGE_COUNTER' | 'WATCH'
> & {
  TREASURY: DurableObjectNamespace<Treasury>
  HISTORY: DurableObjectNamespace<History>
  CLAIM_DESK: DurableObjectNamespace<ClaimDesk>
  RELAYER: DurableObjectNamespace<Relayer>
  WEBHOOK_SENDER: DurableObjectNamespace<WebhookSender>
  SERVICE_STOPS: DurableObjectNamespace<ServiceStops>
  MESSAGE_COUNTER: DurableObjectNamespace<MessageCounter>
  WATCH: DurableObjectNamespace<Watch>
  TEST_MIGRATIONS: D1Migration[]
  /** Not set in the short form. */
  LOST_ALARMS?: string
  TAKEOVER_DAYS?: string
  TAKEOVER_ADDRESSES?: string
  /** The chains' own nodes, behind the proxies in RPC_URLS. */
  NODE_URL_8453: string
  NODE_URL_84532: string
}

export const env = bindings as unknown as TestEnv
