import { bytesToHex } from '@noble/hashes/utils'
import type { Limits } from '#domain/limits.ts'
import type { StopMode } from '#domain/serviceStop.ts'
import type { WebhookFilter } from '#schemas/webhook.ts'
import type { Block, Chain, ChainId, Hex, WalletState } from '../chain/types.ts'
import type { Db } from '../db/d1.ts'
import type { Env } from '../env.ts'
import type { Sealer } from '../keyrings/sealer.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { RelayJob } from '../relayer/api.ts'
import type { PaymentRow } from './storage/rows.ts'
import type { Store } from './storage/store.ts'

export type AlarmKind = 'settle' | 'outbox' | 'scan' | 'expiry' | 'reclaim' | 'finality' | 'approvals' | 'schema'

/**
 * What the parts of a Treasury share. Time, randomness and chains are injected, so that tests replace them. From `heads`
 * on it is memory only: after an eviction the tables tell the same.
 */
export type Context = {
  env: Env
  db: Db
  userId: string
  store: Store
  sealer: Sealer
  chains: Record<ChainId, Chain>
  now: () => number
  random: (bytes: number) => Uint8Array
  /** Run `kind` no later than `at` (ms). Durable: written with the change that needs it. */
  schedule: (kind: AlarmKind, at: number) => void
  /**
   * Called when D1 shows this restore as open. True: the object must do nothing more; false: it has already finished
   * this restore.
   */
  freeze: (restoreId: string) => boolean
  /** The deployment's limits, with those that an operator has set for this user. */
  limits: Limits
  /** What operators have stopped, and when that reading began and the last one failed (ms). `reading`: one under way. */
  stop: { mode: StopMode; readAt: number; failedAt: number; reading: Promise<void> | null }
  /** Operators are alerted when the storage grows beyond this. */
  largeBytes: number
  metrics: Metrics
  /** Newest block by chain, and when it was read (ms). */
  heads: Map<ChainId, { block: Block; readAt: number }>
  /** Wallets as the chain last showed them, by wallet id, and since when (ms). Null: it could not be read. */
  snapshots: Map<string, { value: Promise<WalletSnapshot | null>; at: number }>
  /** Opened session keys by `${walletId}:${epoch}`. */
  keys: Map<string, Hex>
  /** When an imported wallet was last seen without contract code (ms), by wallet id. */
  plainKeys: Map<string, number>
  /** Recipients that are in known_recipient, as `${chainId}:${address in lower case}`. */
  recipients: Set<string>
  /** What was found about other recipients lately, under the same keys. `at` in ms. */
  lookups: Map<string, { found: RecipientLookup; at: number }>
  /** Look-ups under way, under the same keys. */
  lookupsRunning: Map<string, Promise<RecipientLookup>>
  /** The account was found to be established, which is permanent. */
  established: boolean
  /** Jobs of payments whose signature is committed, not submitted yet; the tables know them as well. */
  unsentJobs: { chainId: ChainId; job: RelayJob }[]
  /** Payments that the reading under way has confirmed, for the metrics; written once it is committed. */
  confirmed: PaymentRow[]
  /** Webhooks that are switched on, and their events; null: to be read from the table. */
  webhooks: { id: string; events: WebhookFilter[] }[] | null
  /** When a job was last submitted (ms), by id. */
  submittedAt: Map<string, number>
  /** Agents that wait for a question to end: what wakes each, and its agent. */
  endWaiters: Map<() => void, string>
  /** The user's shard of the Relayers, once it was read. */
  shard: number | null
}

/**
 * `payout`: the address belongs to some user's payout. `blocked`: the token refuses it. `unknown`: D1 or the node did not
 * respond, so it is paid now and looked up again the next time.
 */
export type RecipientLookup = 'clear' | 'payout' | 'blocked' | 'unknown'

/** A wallet as one reading of the chain showed it; `state` is null for imported and undeployed wallets. */
export type WalletSnapshot = { balance: bigint; state: WalletState | null }

/** Prefix, time and 80 random bits: ids sort by creation and can't be guessed. */
export function newId(ctx: Context, prefix: string): string {
  return `${prefix}_${ctx.now().toString(36).padStart(9, '0')}${bytesToHex(ctx.random(10))}`
}
