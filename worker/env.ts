import type { ClaimDesk } from './claims/claimDesk.ts'
import type { Relayer } from './relayer/relayer.ts'
import type { Settings } from './settings.ts'
import type { Treasury } from './treasury/treasury.ts'

/** What the Worker runs with: its settings, and what wrangler.toml binds. */
export type Env = Settings & {
  DB: D1Database
  TREASURY: DurableObjectNamespace<Treasury>
  CLAIM_DESK: DurableObjectNamespace<ClaimDesk>
  RELAYER: DurableObjectNamespace<Relayer>
  ASSETS?: Fetcher
  /** The `send_email` binding; MAIL_FROM is the sender. Unset = not offered. */
  EMAIL?: SendEmail
}
