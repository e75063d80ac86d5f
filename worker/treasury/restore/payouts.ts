import type { Context } from '../core/context.ts'
import type { KeptPayout } from '../delivery/kept.ts'
import { enqueuePayout } from '../outbox/enqueue.ts'
import { codeReplayMs } from '../payouts/codes.ts'
import { storedPayoutKey } from '../payouts/keys.ts'
import type { PayoutRow } from '../storage/rows.ts'
import { type RestoreState, recordUnexplained } from './state.ts'

export type FreshCode = { version: number; sealedCode: string; codeHmac: string }

/** Columns that are not taken from D1, most of them because the chain determines them. */
const notFromD1 = {
  funded: 0,
  announced: 0,
  sealed_code: null,
  action: null,
  action_to: null,
  action_deadline: null,
  action_r: null,
  action_vs: null,
  action_block: null,
  action_delivered_at: null,
  action_tx: null,
  action_by: null,
  done_tx: null,
  done_at: null,
  withdrawn_to: null,
  announce_delivered_at: null,
  returned_block: null,
} satisfies Partial<PayoutRow>

/** Call inside the transaction that adds the payment. */
export function addPayout(
  ctx: Context,
  state: RestoreState,
  kept: KeptPayout,
  status: 'CREATING' | 'FAILED',
  code: FreshCode | null,
): void {
  const { store, now } = ctx
  const fresh = code && {
    code_version: code.version,
    code_hmac: code.codeHmac,
    sealed_code: code.sealedCode,
    code_until: now() + codeReplayMs,
    tries_version: (kept.tries_version ?? 1) + 1,
  }
  const row = { ...kept, ...notFromD1, ...fresh, status } as PayoutRow
  const columns = Object.keys(row) as (keyof PayoutRow)[]
  store.run(
    `INSERT INTO payout (${columns}) VALUES (${columns.map(() => '?')})`,
    ...columns.map((column) => row[column]),
  )
  // A payout that has ended no longer needs its keys, and its secret may have been removed.
  if (kept.status !== 'WITHDRAWN' && kept.status !== 'RECLAIMED') checkKeys(ctx, state, row)
  enqueuePayout(ctx, row.id)
  ctx.schedule('expiry', row.expires_at)
}

/** With a lost salt, or a payout secret that was removed, we could neither claim nor return the payout. */
function checkKeys(ctx: Context, state: RestoreState, row: PayoutRow): void {
  for (const purpose of ['claim', 'reclaim'] as const)
    if (storedPayoutKey(ctx, row, purpose) === null)
      recordUnexplained(state, { what: 'payout', ref: row.id, detail: `its ${purpose} key can’t be derived` })
}

/**
 * Updates a payout that is known here with what people have done since, off chain. Its code becomes the newest one that
 * was sent.
 */
export function updatePayout(ctx: Context, kept: KeptPayout): void {
  const { store } = ctx
  const known = store.payout(kept.id!)!
  const isSame =
    (kept.taken_down_at ?? null) === known.taken_down_at &&
    (kept.reminded ?? 0) <= known.reminded &&
    kept.sealed_token === known.sealed_token &&
    kept.action_version! <= known.action_version &&
    kept.code_version! <= known.code_version
  if (isSame) return
  store.run(
    // The Relayer knows the jobs of earlier versions and would not send them again.
    `UPDATE payout SET taken_down_at = ?, reminded = max(reminded, ?), sealed_token = ?,
       action_version = max(action_version, ?) WHERE id = ?`,
    kept.taken_down_at ?? null,
    kept.reminded ?? 0,
    kept.sealed_token!,
    kept.action_version!,
    known.id,
  )
  if (kept.code_version! > known.code_version)
    store.run(
      `UPDATE payout SET code_version = ?, code_hmac = ?, sealed_code = NULL, code_at = ?, tries_version = ?,
         sender_resends = ?, recipient_resends = ? WHERE id = ?`,
      kept.code_version!,
      kept.code_hmac ?? null,
      kept.code_at!,
      kept.tries_version!,
      kept.sender_resends!,
      kept.recipient_resends!,
      known.id,
    )
  enqueuePayout(ctx, known.id)
}
