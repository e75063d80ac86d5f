import type { Escrow } from '#schemas/escrow.ts'
import type { Transaction } from '#schemas/transaction.ts'
import { type ListRow, projectLists } from '../../db/projectLists.ts'
import type { Context } from '../core/context.ts'
import { type Entry, markSent, nextEdition } from '../outbox/entries.ts'
import { companionIds, companionView, transactionView } from '../payments/views.ts'
import { deskView, escrowView } from '../payouts/views.ts'
import type { PayoutRow } from '../storage/rows.ts'
import { backupPayment, backupPayout } from './backup.ts'

/** Writes the current state of these payments and payouts to D1's lists in one batch. */
export async function writeReadModel(ctx: Context, entries: Entry[]): Promise<void> {
  const { store, db, userId } = ctx
  const edition = nextEdition(ctx)
  await projectLists(db, userId, edition, listRows(ctx, entries))
  store.transaction(() => {
    for (const entry of entries) markSent(ctx, entry)
  })
}

/** The rows of these entries in D1's lists. `gone`: ids of rows that must not be there. */
export function listRows(ctx: Context, entries: Pick<Entry, 'kind' | 'ref'>[]) {
  const { store } = ctx
  const transactions: ListRow<Transaction>[] = []
  const payouts: ListRow<Escrow>[] = []
  const gone: string[] = []
  for (const { kind, ref } of entries) {
    const payment = store.payment(ref)
    if (!payment) continue
    if (kind === 'payment')
      transactions.push({
        row: transactionView(store, payment),
        amount: payment.amount,
        kept: backupPayment(store, payment),
      })
    const payout = kind === 'payout' && store.payout(ref)
    if (!payout) continue
    payouts.push({ row: escrowView(ctx, payout), amount: payout.amount, kept: backupPayout(payout) })
    const companion = companionView(store, payment, payout)
    if (payout.end_undone === 1) gone.push(...companionIds(payment).filter((id) => id !== companion?.id))
    if (companion) transactions.push({ row: companion, amount: payout.amount })
  }
  return { transactions, payouts, gone }
}

/** Sends the payout's current state to its ClaimDesk. */
export async function updateDesk(ctx: Context, entry: Entry): Promise<void> {
  await sendToDesk(ctx, ctx.store.payout(entry.ref)!)
  markSent(ctx, entry)
}

export async function sendToDesk(ctx: Context, payout: PayoutRow): Promise<void> {
  await ctx.env.CLAIM_DESK.getByName(payout.id).update(deskView(ctx, payout, nextEdition(ctx)))
}
