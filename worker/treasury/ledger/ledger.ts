import type { MicroUsdc } from '#domain/money.ts'
import { periodAt } from '#domain/policyPeriod.ts'
import { toColumn } from '../storage/columns.ts'
import type { GroupRow, PaymentRow } from '../storage/rows.ts'
import { listedAt, statusIn } from '../storage/statuses.ts'
import type { Store } from '../storage/store.ts'

/**
 * The three ledgers: policy group, session (per epoch) and wallet. Each function books one event of a payment in all of
 * them, inside the transaction of the status change that it belongs to. docs/architecture.md has the table.
 */

/** Payment accepted: held in all three ledgers. `sequences` is the number of nonces issued with it (0 or 1). */
export function reserve(
  store: Store,
  payment: {
    walletId: string
    epoch: number
    group: GroupRow | null
    agentId: string | null
    amount: MicroUsdc
    isPayout: boolean
  },
  sequences: number,
  now: number,
): void {
  const { walletId, epoch, group, agentId } = payment
  const sum = toColumn(payment.amount)
  store.run('UPDATE wallet SET held = held + ? WHERE id = ?', sum, walletId)
  store.run(
    'UPDATE session SET held = held + ?, next_sequence = next_sequence + ? WHERE wallet_id = ? AND epoch = ?',
    sum,
    sequences,
    walletId,
    epoch,
  )
  if (group) {
    const startAt = group.period === null ? 0 : periodAt(group.period, now).startAt
    // Usually zero. If the clock was ahead earlier, what was reserved then belongs to this period and is released from it.
    const ahead = startAt > group.period_start ? reservedSince(store, group.id, startAt) : 0
    store.run(
      `UPDATE policy_group SET held = held + ?1, unclaimed = unclaimed + ?2, payments = payments + 1, last_activity_at = ?3,
         period_used = CASE WHEN period IS NULL THEN 0 WHEN period_start < ?4 THEN ?1 + ?5 ELSE period_used + ?1 END,
         period_start = max(period_start, ?4) WHERE id = ?6`,
      sum,
      payment.isPayout ? sum : 0,
      now,
      startAt,
      ahead,
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

/** Micro-USDC reserved since `startAt` (ms) and not released. */
export const reservedSince = (store: Store, groupId: string, startAt: number): number =>
  store.first<{ used: number }>(
    `SELECT coalesce(sum(amount), 0) AS used FROM payment
     WHERE agent_id IN (SELECT id FROM agent WHERE group_id = ?) AND ${listedAt} >= ? AND (status IN ${statusIn.alive}
       OR id IN (SELECT id FROM payout WHERE returned_block IS NOT NULL))`,
    groupId,
    startAt,
  )!.used

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

function spend(store: Store, payment: PaymentRow, now: number): void {
  if (payment.group_id)
    store.run(
      'UPDATE policy_group SET held = held - ?1, spent = spent + ?1, unclaimed = unclaimed - ?2, last_activity_at = ?3 WHERE id = ?4',
      payment.amount,
      payment.kind === 'payout' ? payment.amount : 0,
      now,
      payment.group_id,
    )
  if (payment.agent_id)
    store.run('UPDATE agent SET held = held - ?1, spent = spent + ?1 WHERE id = ?2', payment.amount, payment.agent_id)
}

/**
 * Releases the reservation in the group, and in the period in which it was made; a period that has ended stays unchanged.
 * `period_used` never goes below zero: a policy figure must not prevent a settled payment from being booked.
 */
function unreserve(store: Store, payment: PaymentRow): void {
  if (payment.group_id)
    store.run(
      `UPDATE policy_group SET held = held - ?1, unclaimed = unclaimed - ?2,
         period_used = max(0, period_used - CASE WHEN period IS NOT NULL AND period_start <= ?3 THEN ?1 ELSE 0 END) WHERE id = ?4`,
      payment.amount,
      payment.kind === 'payout' ? payment.amount : 0,
      payment.accepted_at,
      payment.group_id,
    )
  if (payment.agent_id) store.run('UPDATE agent SET held = held - ? WHERE id = ?', payment.amount, payment.agent_id)
}

/** Send confirmed: group held → spent as well. */
export function settleSend(store: Store, payment: PaymentRow, now: number): void {
  leave(store, payment, payment.amount)
  spend(store, payment, now)
}

/** Payout funded: the group keeps holding it while it is in escrow. */
export const settleFunding = (store: Store, payment: PaymentRow): void => leave(store, payment, payment.amount)

/** Payout withdrawn: group held → spent. */
export const settleWithdrawn = (store: Store, payment: PaymentRow, now: number): void => spend(store, payment, now)

/** Payout reclaimed and final: the group gets back exactly its amount. The wallet's return is booked from the log. */
export const settleReclaimed = (store: Store, payment: PaymentRow): void => unreserve(store, payment)

/** A reorganization removed the payment's transfer: held again but not released, since it may still be executed. */
export const undoLeave = (store: Store, payment: PaymentRow): void => leave(store, payment, -payment.amount)

/** Undoes `spend`: group and agent spent → held. */
export function undoSpend(store: Store, payment: PaymentRow): void {
  if (payment.group_id)
    store.run(
      'UPDATE policy_group SET held = held + ?1, spent = spent - ?1, unclaimed = unclaimed + ?2 WHERE id = ?3',
      payment.amount,
      payment.kind === 'payout' ? payment.amount : 0,
      payment.group_id,
    )
  if (payment.agent_id)
    store.run('UPDATE agent SET held = held + ?1, spent = spent - ?1 WHERE id = ?2', payment.amount, payment.agent_id)
}

/** Payment proven dead or never signed: released in all three ledgers and in the grant that it used. */
export function release(store: Store, payment: PaymentRow): void {
  store.run('UPDATE wallet SET held = held - ? WHERE id = ?', payment.amount, payment.wallet_id)
  store.run(
    'UPDATE session SET held = held - ? WHERE wallet_id = ? AND epoch = ?',
    payment.amount,
    payment.wallet_id,
    payment.epoch,
  )
  if (payment.grant_id !== null)
    store.run('UPDATE approval_grant SET used = used - ? WHERE id = ?', payment.amount, payment.grant_id)
  unreserve(store, payment)
}
