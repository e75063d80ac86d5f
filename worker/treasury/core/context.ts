import { bytesToHex } from '@noble/hashes/utils'
import type { Limits } from '#domain/limits.ts'
import type { StopMode } from '#domain/serviceStop.ts'
import type { Payment } from '#schemas/payment.ts'
import type { WebhookFilter } from '#schemas/webhook.ts'
import type { UsdcDomain } from '../../chain/authorization.ts'
import type { Pace } from '../../chain/readLogs.ts'
import type { Block, Chain, ChainId, Hex, WalletState } from '../../chain/types.ts'
import type { Db } from '../../db/d1.ts'
import type { Env } from '../../env.ts'
import type { Sealer } from '../../keyrings/sealer.ts'
import type { Metrics } from '../../observability/metrics.ts'
import type { RelayJob } from '../../relayer/api.ts'
import type { StopReader } from '../../stops/reader.ts'
import type { PaymentRow, WalletRow } from '../storage/rows.ts'
import type { Store } from '../storage/store.ts'

export type AlarmKind =
  | 'settle'
  | 'outbox'
  | 'history'
  | 'scan'
  | 'expiry'
  | 'reclaim'
  | 'finality'
  | 'approvals'
  | 'keys'
  | 'schema'

/**
 * State shared by the parts of a Treasury. Time, randomness and chains are injected so that tests can replace them. Fields
 * from `heads` on are held in memory only; an eviction loses nothing that can't be read again.
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
  /** Runs `kind` no later than `at` (ms). Durable: stored in the transaction of the change that needs it. */
  schedule: (kind: AlarmKind, at: number) => void
  /**
   * Called when the stop object shows this restore as open. Returns true if the object must do nothing more, false if it has already
   * finished this restore.
   */
  freeze: (restoreId: string) => boolean
  /** The deployment's limits, overridden by those that an operator has set for this user. */
  limits: Limits
  /**
   * What operators have stopped. `mode` and `readAt` (ms) are those of the last reading that this object follows, `after` is
   * its number, and `reading` the one that it has in progress. `reader` is shared by the objects of the isolate.
   */
  stop: { reader: StopReader; after: number; mode: StopMode; readAt: number; reading: Promise<void> | null }
  /** Operators are alerted when the storage grows beyond this. */
  largeBytes: number
  metrics: Metrics
  /**
   * Reads a wallet's logs and session outside the alarms (settlement/chainRefresh.ts). Does nothing if the last reading is
   * younger than `freshEnoughMs`, or if the node or D1 is unreachable.
   */
  refreshWallet: (wallet: WalletRow, freshEnoughMs?: number) => Promise<void>
  /** When this object last read the wallet (ms); 0 if never. */
  lastReadAt: (walletId: string) => number
  /** A payment as replies and events show it (payments/views.ts). */
  paymentView: (payment: PaymentRow) => Payment
  /** USDC's domain by chain, once it was read (purchases/token.ts). */
  usdcDomains: Map<ChainId, UsdcDomain>
  /** Newest block by chain, and when it was read (ms). */
  heads: Map<ChainId, { block: Block; readAt: number }>
  /** Newest block in which the Relayer has reported one of our transactions, and when (ms): see minedReports.ts. */
  mined: Map<ChainId, { block: number; reportedAt: number }>
  /** How many blocks of a wallet's logs are read at once, by wallet id. */
  paces: Map<string, Pace>
  /** Latest on-chain snapshot by wallet id, and when it was read (ms). Null if it could not be read. */
  snapshots: Map<string, { value: Promise<WalletSnapshot | null>; at: number }>
  /** Balance in the latest one that was read, by wallet id, and when that reading began (ms). */
  balances: Map<string, { balance: bigint; readAt: number }>
  /** Unsealed session keys by `${walletId}:${epoch}`. */
  keys: Map<string, Hex>
  /** By id of an imported wallet: the last check for contract code. `isPlain`: it had none. `requestedAt` in ms. */
  codeChecks: Map<string, { isPlain: boolean; requestedAt: number }>
  /** By wallet: the block of the newest state that set its session, so that a slower, older reading does not replace it. */
  adoptedBlocks: Map<string, number>
  /** By wallet: how often its bookings were undone. What was read before that may be from the branch that was removed. */
  undos: Map<string, number>
  /** Recipients known to be in the table known_recipient, as `${chainId}:${address in lower case}`. */
  recipients: Set<string>
  /** Recent look-ups of other recipients, under the same keys. `at` in ms. */
  lookups: Map<string, { found: RecipientLookup; at: number }>
  /** Look-ups in progress, under the same keys. */
  lookupsRunning: Map<string, Promise<RecipientLookup>>
  /** True once the account has been found to be established, which is permanent. */
  established: boolean
  /** Jobs of payments whose signature is committed but not yet submitted. The tables have them as well. */
  unsentJobs: { chainId: ChainId; job: RelayJob }[]
  /** Payments confirmed by the scan in progress; recorded as metrics once it has committed. */
  confirmed: PaymentRow[]
  /** Enabled webhooks and their events. Null until read from the table. */
  webhooks: { id: string; events: WebhookFilter[] }[] | null
  /** When a wallet last refused to renew its purchase allowance (ms), by its id. */
  refillRefusedAt: Map<string, number>
  /** When a job was last submitted (ms), by id. */
  submittedAt: Map<string, number>
  /** Calls that wait for an approval to end: the function that wakes each, and its agent's id. */
  endWaiters: Map<() => void, string>
  /** The user's Relayer shard. Null until it has been read. */
  shard: number | null
}

/**
 * `blocked`: the token refuses the address. `unknown`: the node did not respond; the payment is allowed and the recipient is
 * looked up again next time.
 */
export type RecipientLookup = 'clear' | 'blocked' | 'unknown'

/** A wallet as read from the chain once. `state` is null for imported and undeployed wallets. */
export type WalletSnapshot = { balance: bigint; state: WalletState | null }

/** Prefix, time and 80 random bits: ids sort by creation and can't be guessed. */
export function newId(ctx: Context, prefix: string): string {
  return `${prefix}_${ctx.now().toString(36).padStart(9, '0')}${bytesToHex(ctx.random(10))}`
}
