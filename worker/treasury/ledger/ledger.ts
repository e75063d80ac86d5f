import { kindOf } from '#domain/kinds/kinds.ts'
import { type MicroUsdc, zeroUsdc } from '#domain/money.ts'
import type { PaymentFacts } from '#domain/rules/rule.ts'
import { toColumn } from '../core/storage/columns.ts'
import { rulesOf } from '../core/storage/groupPolicy.ts'
import type { PaidTo } from '../core/storage/paidRecipients.ts'
import type { GroupRow, PaymentRow } from '../core/storage/rows.ts'
import type { Store } from '../core/storage/store.ts'
import { countPayment, type GroupWindows, readWindows, returnPayment } from './windows.ts'

/**
 * The three ledgers: policy group, session (per epoch) and wallet. Each function books one event of a payment in all of
 * them, inside the transaction of the status change that it belongs to. docs/architecture.md has the table.
 */

/**
 * Payment accepted: held in all three ledgers. `sequences` is the number of nonces issued with it (0 or 1). `windows` are
 * those that the decision has read, if it has.
 */
export function reserve(
  store: Store,
  payment: {
    walletId: string
    /** Null for a purchase of a smart wallet: it uses a number, and nothing that the session has for sends. */
    epoch: number | null
    agentId: string | null
    amount: MicroUsdc
    isPayout: boolean
  } & ({ group: null } | { group: GroupRow | null; to: PaidTo; isNewRecipient: () => boolean }),
  sequences: number,
  now: number,
  windows?: GroupWindows,
): void {
  const { walletId, epoch, group, agentId } = payment
  const sum = toColumn(payment.amount)
  store.run('UPDATE wallet SET held = held + ? WHERE id = ?', sum, walletId)
  if (epoch !== null)
    store.run(
      'UPDATE session SET held = held + ?, next_sequence = next_sequence + ? WHERE wallet_id = ? AND epoch = ?',
      sum,
      sequences,
      walletId,
      epoch,
    )
  if (group && 'to' in payment) {
    const rules = rulesOf(group)
    const { to, amount, isPayout, isNewRecipient } = payment
    const counted = countPayment(store, group, rules, windows ?? readWindows(store, group, rules, to, now), {
      to,
      amount,
      facts: factsOf(now, isPayout, amount, to, isNewRecipient),
    })
    store.run(
      `UPDATE policy_group SET held = held + ?1, unclaimed = unclaimed + ?2, payments = payments + 1, last_activity_at = ?3,
         windows = coalesce(?4, windows) WHERE id = ?5`,
      sum,
      isPayout ? sum : 0,
      now,
      counted,
      group.id,
    )
  }
  if (agentId)
    store.run(
      'UPDATE agent SET held = held + ?, payments = payments + 1, last_activity_at = ? WHERE id = ?',
      sum,
      now,
      agentId,
    )
}

const factsOf = (at: number, isPayout: boolean, amount: MicroUsdc, to: PaidTo, isNew: () => boolean): PaymentFacts => ({
  at,
  isPayout,
  amount,
  unclaimed: zeroUsdc,
  recipient: {
    type: 'contact',
    address: to.address,
    email: to.email,
    phone: to.phone,
    seller: null,
    isNew,
    isDuplicate: () => false,
  },
})

/** The money left the wallet: session held → used, wallet held → out. A negative `sum` moves it back. */
function leave(store: Store, { wallet_id, epoch }: PaymentRow, sum: number): void {
  store.run('UPDATE wallet SET held = held - ?1, out = out + ?1 WHERE id = ?2', sum, wallet_id)
  store.run(
    'UPDATE session SET held = held - ?1, used = used + ?1 WHERE wallet_id = ?2 AND epoch = ?3',
    sum,
    wallet_id,
    epoch,
  )
}

/** What of it the group counts as unclaimed, until the recipient withdraws it. */
const unclaimedOf = (payment: PaymentRow): number => (kindOf(payment).transfer === 'funded' ? payment.amount : 0)

function spend(store: Store, payment: PaymentRow, now: number): void {
  if (payment.group_id)
    store.run(
      'UPDATE policy_group SET held = held - ?1, spent = spent + ?1, unclaimed = unclaimed - ?2, last_activity_at = ?3 WHERE id = ?4',
      payment.amount,
      unclaimedOf(payment),
      now,
      payment.group_id,
    )
  if (payment.agent_id)
    store.run('UPDATE agent SET held = held - ?1, spent = spent + ?1 WHERE id = ?2', payment.amount, payment.agent_id)
}

/** Releases the reservation in the group and in the windows of its rules. What has ended stays as it was. */
function unreserve(store: Store, payment: PaymentRow, now: number): void {
  store.update('payment', payment.id, { released_at: now })
  if (payment.group_id)
    store.run(
      'UPDATE policy_group SET held = held - ?1, unclaimed = unclaimed - ?2 WHERE id = ?3',
      payment.amount,
      unclaimedOf(payment),
      payment.group_id,
    )
  returnPayment(store, payment)
  if (payment.agent_id) store.run('UPDATE agent SET held = held - ? WHERE id = ?', payment.amount, payment.agent_id)
}

/** Send or purchase confirmed: group held → spent as well. */
export function settleSend(store: Store, payment: PaymentRow, now: number): void {
  leave(store, payment, payment.amount)
  spend(store, payment, now)
}

/** Payout funded: the group keeps holding it while it is in escrow. */
export const settleFunding = (store: Store, payment: PaymentRow): void => leave(store, payment, payment.amount)

/** Payout withdrawn: group held → spent. */
export const settleWithdrawn = (store: Store, payment: PaymentRow, now: number): void => spend(store, payment, now)

/** Payout reclaimed and final: the group gets back exactly its amount. The wallet's return is booked from the log. */
export const settleReclaimed = (store: Store, payment: PaymentRow, now: number): void => unreserve(store, payment, now)

/** A reorganization removed the payment's transfer: held again but not released, since it may still be executed. */
export const undoLeave = (store: Store, payment: PaymentRow): void => leave(store, payment, -payment.amount)

/** Undoes `spend`: group and agent spent → held. */
export function undoSpend(store: Store, payment: PaymentRow): void {
  if (payment.group_id)
    store.run(
      'UPDATE policy_group SET held = held + ?1, spent = spent - ?1, unclaimed = unclaimed + ?2 WHERE id = ?3',
      payment.amount,
      unclaimedOf(payment),
      payment.group_id,
    )
  if (payment.agent_id)
    store.run('UPDATE agent SET held = held + ?1, spent = spent - ?1 WHERE id = ?2', payment.amount, payment.agent_id)
}

/** Payment proven dead or never signed: released in all three ledgers and in the grant that it used. */
export function release(store: Store, payment: PaymentRow, now: number): void {
  store.run('UPDATE wallet SET held = held - ? WHERE id = ?', payment.amount, payment.wallet_id)
  store.run(
    'UPDATE session SET held = held - ? WHERE wallet_id = ? AND epoch = ?',
    payment.amount,
    payment.wallet_id,
    payment.epoch,
  )
  if (payment.grant_id !== null)
    store.run('UPDATE approval_grant SET used = used - ? WHERE id = ?', payment.amount, payment.grant_id)
  unreserve(store, payment, now)
}
