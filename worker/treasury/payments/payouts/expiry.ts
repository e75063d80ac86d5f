import { remindBeforeMs, remindersDue } from '#domain/payment.ts'
import type { ChainId } from '../../../chain/types.ts'
import { earliest } from '../../../durable/alarms.ts'
import { freshHead } from '../../core/chainHeads.ts'
import type { Context } from '../../core/context.ts'
import { knownSets } from '../../core/contracts.ts'
import { paidToOf } from '../../core/storage/newPayment.ts'
import type { PayoutRow } from '../../core/storage/rows.ts'
import { countMessage, messageRefusal, messageTo } from '../../limits/messageLimits.ts'
import { enqueue } from '../../outbox/enqueue.ts'
import { reclaim } from './actions.ts'

/** Starts reclaims of payouts that have expired by chain time, at most 25 per call. */
export async function reclaimExpired(ctx: Context, chainId: ChainId): Promise<void> {
  const expired = (time: number) =>
    ctx.store.all<PayoutRow>(
      `SELECT payout.* FROM payout JOIN wallet ON wallet.id = payout.wallet_id
         WHERE (payout.status = 'CREATED' OR (payout.status = 'CREATING' AND payout.funded = 1)) AND wallet.chain_id = ? AND payout.expires_at <= ?
           AND payout.contract_set IN (SELECT value FROM json_each(?)) LIMIT 25`,
      chainId,
      time,
      JSON.stringify(knownSets(ctx, chainId)),
    )
  if (expired(ctx.now()).length === 0) return
  const head = await freshHead(ctx, chainId)
  for (const payout of expired(head.timestamp * 1000)) await reclaim(ctx, payout.id, 'expiry')
}

/** When the next payout expires or the next shown code is to be erased (ms), or null if there is none. */
export function nextExpiryAt({ store }: Context): number | null {
  const first = (column: string, where: string) =>
    store.first<{ at: number | null }>(`SELECT min(${column}) AS at FROM payout WHERE ${where}`)!.at
  // One query for each status: for several at once SQLite reads all of them.
  const expiries = ['CREATING', 'CREATED', 'CLAIMING'].map((status) => first('expires_at', `status = '${status}'`))
  return earliest(...expiries, first('code_until', 'sealed_code IS NOT NULL'))
}

/** The rest is reminded when the alarm rings again. */
const remindersAtOnce = 100

/** Reminds recipients three days and one day before a payout expires. Returns when the next one is due (ms), or null. */
export function remindRecipients(ctx: Context): number | null {
  const { store } = ctx
  const now = ctx.now()
  const from = "FROM payout WHERE status = 'CREATED' AND taken_down_at IS NULL AND reminded = ?"
  const due = (beforeMs: number, reminded: number) =>
    store.all<PayoutRow>(
      `SELECT * ${from} AND expires_at <= ? ORDER BY expires_at LIMIT ?`,
      reminded,
      now + beforeMs,
      remindersAtOnce,
    )
  for (const payout of remindBeforeMs.flatMap(due)) remind(ctx, payout, remindersDue(payout.expires_at, now))
  const next = remindBeforeMs.map((beforeMs, reminded) => {
    const { at } = store.first<{ at: number | null }>(`SELECT min(expires_at) AS at ${from}`, reminded)!
    return at === null ? null : at - beforeMs
  })
  return earliest(...next)
}

function remind(ctx: Context, { id }: PayoutRow, reminded: number): void {
  const { store } = ctx
  store.transaction(() => {
    store.run('UPDATE payout SET reminded = ? WHERE id = ?', reminded, id)
    // A reminder that exceeds the message limits is skipped: the recipient already has the link.
    const to = messageTo(paidToOf(store.payment(id)!))!
    if (messageRefusal(ctx, null, to)) return
    countMessage(ctx, { spender: null }, to)
    enqueue(ctx, 'mail.payout_reminder', id)
  })
}
