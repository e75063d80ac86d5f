import { formatUsdc } from '#domain/money.ts'
import type { RunEventData } from '#schemas/webhook.ts'
import type { Context } from '../core/context.ts'
import type { RunRow } from '../core/storage/rows.ts'
import { sumsOf, totalOf } from './rows.ts'

/** What webhooks get; `seq` is added when the event is stored. */
export function runEventData({ store }: Context, run: RunRow): RunEventData {
  const sums = sumsOf(store, run.id)
  const total = totalOf(sums)
  return {
    ...{ id: run.id, object: 'payout_run', title: run.title, status: run.status, wallet_id: run.wallet_id },
    ...{ rows: total.rows, amount: formatUsdc(total.amount) },
    ...{ handed_over: sums.handed_over.rows, failed: sums.failed.rows, released: sums.released.rows, seq: 0 },
  }
}
