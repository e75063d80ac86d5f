import type { ClaimDeskApi } from './claims/api.ts'
import type { HistoryApi } from './history/api.ts'
import type { MessageCounterApi } from './messageCounts/api.ts'
import type { RelayerApi } from './relayer/api.ts'
import type { Settings } from './settings.ts'
import type { ServiceStopsApi } from './stops/api.ts'
import type { WatchApi } from './watch/api.ts'
import type { WebhookSenderApi } from './webhooks/api.ts'

/**
 * Settings and the bindings in wrangler.toml that a Treasury uses. Env adds the binding of the Treasuries themselves: its type
 * depends on all code of the Treasury, which therefore imports this file and not env.ts.
 */
export type Bindings = Settings & {
  DB: D1Database
  /** Backups in case D1 is lost (worker/backup/). */
  BACKUP: R2Bucket
  HISTORY: DurableObjectNamespace<HistoryApi>
  CLAIM_DESK: DurableObjectNamespace<ClaimDeskApi>
  RELAYER: DurableObjectNamespace<RelayerApi>
  WEBHOOK_SENDER: DurableObjectNamespace<WebhookSenderApi>
  SERVICE_STOPS: DurableObjectNamespace<ServiceStopsApi>
  MESSAGE_COUNTER: DurableObjectNamespace<MessageCounterApi>
  WATCH: DurableObjectNamespace<WatchApi>
  /** The files of the pages, in `npm run dev`. A deployment has them on Pages. */
  ASSETS?: Fetcher
  /** Analytics Engine. If unset, no metrics are written. */
  METRICS?: AnalyticsEngineDataset
  /** The `send_email` binding; MAIL_FROM is the sender. If unset, Cloudflare is not available as email provider. */
  EMAIL?: SendEmail
}
