import { ok, type Result } from '../../result.ts'
import { findReplay, type IdempotentRequest } from '../ledger/idempotency.ts'
import type { WalletRow } from '../storage/rows.ts'
import type { Store } from '../storage/store.ts'

/** The wallet that an earlier request with this idempotency key created; null if there was none. */
export function walletReplay(store: Store, request: IdempotentRequest | null): Result<WalletRow> | null {
  const replay = findReplay(store, request)
  return replay && (replay.ok ? ok(store.wallet(replay.value)!) : replay)
}
