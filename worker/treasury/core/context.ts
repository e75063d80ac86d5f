import { bytesToHex } from '@noble/hashes/utils'
import type { Limits } from '#domain/limits.ts'
import type { StopMode } from '#domain/serviceStop.ts'
import type { Payment } from '#schemas/payment.ts'
import type { Bindings } from '../../bindings.ts'
import type { Chain, ChainId } from '../../chain/types.ts'
import type { Db } from '../../db/d1.ts'
import type { Sealer } from '../../keyrings/sealer.ts'
import type { Metrics } from '../../observability/metrics.ts'
import type { StopReader } from '../../stops/reader.ts'
import type { PaymentRow, WalletRow } from './storage/rows.ts'
import type { Store } from './storage/store.ts'

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
  | 'runs'
  | 'schema'

/**
 * State shared by the parts of a Treasury. Time, randomness and chains are injected so that tests can replace them.
 */
export type Context = {
  env: Bindings
  db: Db
  userId: string
  store: Store
  sealer: Sealer
  chains: Record<ChainId, Chain>
  now: () => number
  random: (bytes: number) => Uint8Array
  /** Runs `kind` no later than `at` (ms). Durable: stored in the transaction of the change that needs it. */
  schedule: (kind: AlarmKind, at: number) => void
  /** The deployment's limits, overridden by those that an operator has set for this user. */
  limits: Limits
  /**
   * What operators have stopped. `mode` and `readAt` (ms) are those of the last reading that this object follows, `after` is
   * its number, and `reading` the one that it has in progress. `reader` is shared by the objects of the isolate. `freeze` is
   * called when the stop object shows this restore as open; it returns true if the object must do nothing more, false if it has
   * already finished this restore.
   */
  stop: {
    reader: StopReader
    after: number
    mode: StopMode
    readAt: number
    reading: Promise<void> | null
    freeze: (restoreId: string) => boolean
  }
  metrics: Metrics
  /**
   * Reads a wallet's logs and session outside the alarms (settlement/chainRefresh.ts). Does nothing if the last reading is
   * younger than `freshEnoughMs`, or if the node or D1 is unreachable. `lastReadAt`: when this object last did (ms); 0 if never.
   */
  chainReads: {
    refresh: (wallet: WalletRow, freshEnoughMs?: number) => Promise<void>
    lastReadAt: (walletId: string) => number
  }
  /** A payment as replies and events show it (payments/views.ts). */
  paymentView: (payment: PaymentRow) => Payment
  /** What modules keep of this Treasury between calls (core/memory.ts). */
  memory: Map<object, object>
}

/**
 * `blocked`: the token refuses the address. `screened`: the sanctions oracle lists it. `unknown`: the node did not respond; the
 * payment is allowed and the recipient is looked up again next time. `unscreened`: the oracle did not respond; nothing is paid.
 */
export type RecipientLookup = 'clear' | 'blocked' | 'screened' | 'unknown' | 'unscreened'

/** Prefix, time and 80 random bits: ids sort by creation and can't be guessed. */
export function newId(ctx: Context, prefix: string): string {
  return `${prefix}_${ctx.now().toString(36).padStart(9, '0')}${bytesToHex(ctx.random(10))}`
}
