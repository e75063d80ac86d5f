import { within } from '../../../durable/within.ts'
import type { Change, ChangePage, Position } from '../../../history/api.ts'
import { historyOf } from '../../../historyOf.ts'
import type { Context } from '../../core/context.ts'
import { pageRows } from '../../core/storage/pages.ts'
import type { Store } from '../../core/storage/store.ts'
import { findMovement, movementView } from '../../payments/movements.ts'
import { escrowView } from '../../payments/payouts/views.ts'
import { companionView, transactionView } from '../../payments/views.ts'
import { decidedOf } from './decisions.ts'
import { countedOf } from './paymentStatistics.ts'
import { recoverablePayment, recoverablePayout, recoverableValue } from './recoverableRows.ts'

/** Changes in one page: a few milliseconds of work for either object. */
const pageSize = 200
/** Pages sent in one go, so that other work of the account has its turn. */
const maxPages = 25
/** A History that does not answer must not hold up settling, which the same alarm does. */
const timeoutMs = 10_000 // 10 seconds

/** The Treasury's number of its newest change; 0 if there is none. */
export const lastChange = (store: Store): number =>
  store.first<{ seq: number | null }>('SELECT max(seq) AS seq FROM change')!.seq ?? 0

/**
 * The next page of changes after `position`. Null if History has changes that this Treasury has not, because it was put back
 * to an earlier time: History then keeps what it has, until a restore has given the Treasury a new incarnation.
 */
export function changesSince(ctx: Context, position: Position): ChangePage | null {
  const { store } = ctx
  const last = lastChange(store)
  const incarnation = store.meta('incarnation') ?? ''
  const isSame = position.incarnation === incarnation
  if (position.incarnation !== null && (position.seq > last || (isSame && !hasAuditRow(store, position)))) return null
  const from = isSame ? position.seq : 0
  const rows = store.all<{ seq: number; ref: string }>(
    'SELECT seq, ref FROM change WHERE seq > ? ORDER BY seq LIMIT ?',
    from,
    pageSize,
  )
  const isLast = rows.length < pageSize
  const to = { incarnation, seq: rows.at(-1)?.seq ?? from, audit: auditEnd(store) }
  return { from, to, changes: rows.map(({ seq, ref }) => changeOf(ctx, seq, ref)), isLast }
}

/** Numbers from here on are above all that a History has seen, even one that followed this object's lost changes. */
export function raiseChanges({ store }: Context, to: number, incarnation: string): void {
  store.replace('change', { seq: to, ref: 'restore' })
  store.setMeta('incarnation', incarnation)
}

const auditEnd = (store: Store): Position['audit'] =>
  store.auditHead ?? store.first<{ seq: number; hash: string }>('SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1')

/** Every row's hash covers all rows before it, so a Treasury with other events since has another hash there, or no row. */
const hasAuditRow = (store: Store, { audit }: Position): boolean =>
  audit === null || store.first('SELECT 1 FROM audit WHERE seq = ? AND hash = ?', audit.seq, audit.hash) !== null

function changeOf(ctx: Context, seq: number, ref: string): Change {
  const { store } = ctx
  const change: Change = {
    seq,
    ref,
    rows: { transactions: [], payout: null, counted: null },
    value: recoverableValue(ctx, ref),
  }
  const { rows } = change
  const movement = findMovement(store, ref)
  if (movement)
    rows.transactions.push({ row: movementView(store, movement), amount: movement.amount, recoverable: null })
  const payment = store.payment(ref)
  if (!payment) return change
  rows.transactions.push({
    row: transactionView(store, payment),
    amount: payment.amount,
    recoverable: recoverablePayment(store, payment),
  })
  const payout = store.payout(ref)
  rows.counted = countedOf(store, payment, payout)
  const decision = decidedOf(store, payment)
  if (decision) rows.decision = decision
  if (!payout) return change
  rows.payout = { row: escrowView(ctx, payout), amount: payout.amount, recoverable: recoverablePayout(payout) }
  const end = companionView(store, payment, payout)
  if (end) rows.transactions.push({ row: end, amount: payout.amount, recoverable: null })
  return change
}

/**
 * Sends History what it lacks. `left`: changes that wait for the next call, counted up to a thousand. Throws if History does not answer, or has changes
 * that were lost here.
 */
export async function sendChanges(ctx: Context): Promise<{ left: number }> {
  const { store, env, userId } = ctx
  const history = historyOf(env, userId)
  let position = await within(timeoutMs, () => history.position())
  for (let pages = 0; pages < maxPages; pages++) {
    const page = changesSince(ctx, position)
    if (page === null) throw new Error('History has changes that were lost here')
    position = await within(timeoutMs, () => history.receive(page))
    if (page.isLast) break
  }
  return { left: store.count(`(SELECT 1 FROM change WHERE seq > ? LIMIT ${pageRows})`, position.seq) }
}

/** True once History has the salt of the payouts' keys: without it, a lost Treasury's open payouts could not be taken back. */
export async function keepSalt(ctx: Context): Promise<boolean> {
  const { store } = ctx
  if (store.meta('salt_kept')) return true
  if (store.first('SELECT 1 FROM kept_salt') === null) return false
  if ((await sendChanges(ctx)).left > 0) return false
  store.setMeta('salt_kept', true)
  return true
}
