import { type MicroUsdc, zeroUsdc } from '../domain/money.ts'
import type { GroupPolicy, WalletFunds } from '../domain/policy.ts'
import { type PeriodBudget, periodAt } from '../domain/policyPeriod.ts'
import type { Scope } from '../domain/scopes.ts'
import {
  type AgentRow,
  column,
  type GroupRow,
  type PaymentRow,
  type PayoutRow,
  type SessionRow,
  type Store,
  usd,
  type WalletRow,
} from './store.ts'

/**
 * The three ledgers of design.md section 6: policy group, session (per epoch) and wallet. Each function is one row
 * of that table and runs inside the transaction of the status change it belongs to.
 */

/** What the wallet holds that nothing is reserved from. Never below zero: money the owner withdrew is not ours to promise. */
export function availableOf(wallet: WalletRow): MicroUsdc {
  const left =
    BigInt(wallet.deposits) +
    BigInt(wallet.returns) -
    BigInt(wallet.out) -
    BigInt(wallet.withdrawn) -
    BigInt(wallet.held)
  return (left > 0n ? left : 0n) as MicroUsdc
}

export function groupPolicy(group: GroupRow, agent: AgentRow | null, accountPaused: boolean): GroupPolicy {
  return {
    name: group.name,
    budget: {
      limit: group.spend_limit === null ? null : usd(group.spend_limit),
      spent: usd(group.spent),
      held: usd(group.held),
    },
    scopes: JSON.parse(group.scopes) as Scope[],
    paused: group.paused === 1,
    agentPaused: agent?.paused === 1,
    accountPaused,
    maxPayment: group.max_payment === null ? null : usd(group.max_payment),
    period: periodBudget(group),
    unclaimed: { open: usd(group.unclaimed), limit: group.max_unclaimed === null ? null : usd(group.max_unclaimed) },
    emailDomains: group.email_domains === null ? null : (JSON.parse(group.email_domains) as string[]),
    phoneCodes: group.phone_codes === null ? null : (JSON.parse(group.phone_codes) as string[]),
  }
}

const periodBudget = ({ period, period_limit, period_start, period_used }: GroupRow): PeriodBudget | null =>
  period === null || period_limit === null
    ? null
    : { period, limit: usd(period_limit), startAt: period_start, used: usd(period_used) }

export function walletFunds(wallet: WalletRow, session: SessionRow | null): WalletFunds {
  return {
    available: availableOf(wallet),
    status: wallet.status,
    halted: wallet.halted !== null,
    paused: wallet.paused === 1,
    session: session && {
      limit: usd(session.spend_limit),
      spent: usd(session.used),
      held: usd(session.held),
      validUntil: session.valid_until * 1000,
    },
  }
}

/** accepted: + held in all three. `sequences`: nonces issued along with it (0 or 1). */
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
  const sum = column(payment.amount)
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
    // Nothing, unless the clock was ahead before: what was reserved then is released from this period later.
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

/** Reserved from `startAt` (ms) on and not released since. */
export const reservedSince = (store: Store, groupId: string, startAt: number): number =>
  store.first<{ used: number }>(
    `SELECT coalesce(sum(payment.amount), 0) AS used FROM agent JOIN payment ON payment.agent_id = agent.id
     WHERE agent.group_id = ? AND payment.created_at >= ? AND payment.status IN ('QUEUED','PROCESSING','PENDING','CONFIRMED')`,
    groupId,
    startAt,
  )!.used

/** Money of this payment left the wallet: session held → used, wallet held → out. */
function leave(store: Store, payment: PaymentRow): void {
  store.run(
    'UPDATE wallet SET held = held - ?, out = out + ? WHERE id = ?',
    payment.amount,
    payment.amount,
    payment.wallet_id,
  )
  store.run(
    'UPDATE session SET held = held - ?, used = used + ? WHERE wallet_id = ? AND epoch = ?',
    payment.amount,
    payment.amount,
    payment.wallet_id,
    payment.epoch,
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
 * What was reserved comes back to the group, and to the period in which it was reserved: one that is over stays as it
 * was (decision 060). Never below zero: a figure of the policy must not keep a settled payment out of the books.
 */
function unreserve(store: Store, payment: PaymentRow): void {
  if (payment.group_id)
    store.run(
      `UPDATE policy_group SET held = held - ?1, unclaimed = unclaimed - ?2,
         period_used = max(0, period_used - CASE WHEN period IS NOT NULL AND period_start <= ?3 THEN ?1 ELSE 0 END) WHERE id = ?4`,
      payment.amount,
      payment.kind === 'payout' ? payment.amount : 0,
      payment.created_at,
      payment.group_id,
    )
  if (payment.agent_id) store.run('UPDATE agent SET held = held - ? WHERE id = ?', payment.amount, payment.agent_id)
}

/** send confirmed: group held → spent as well. */
export function settleSend(store: Store, payment: PaymentRow, now: number): void {
  leave(store, payment)
  spend(store, payment, now)
}

/** payout funded: the group keeps holding it (escrowed). */
export const settleFunding = (store: Store, payment: PaymentRow): void => leave(store, payment)

/** payout withdrawn: group held → spent. */
export const settleWithdrawn = (store: Store, payment: PaymentRow, now: number): void => spend(store, payment, now)

/** payout reclaimed: the group gets back exactly the payout's amount; the wallet's return is imported with the log. */
export const settleReclaimed = (store: Store, payment: PaymentRow): void => unreserve(store, payment)

/** proven dead, or never signed: release in all three. */
export function release(store: Store, payment: PaymentRow): void {
  store.run('UPDATE wallet SET held = held - ? WHERE id = ?', payment.amount, payment.wallet_id)
  store.run(
    'UPDATE session SET held = held - ? WHERE wallet_id = ? AND epoch = ?',
    payment.amount,
    payment.wallet_id,
    payment.epoch,
  )
  unreserve(store, payment)
}

/** Money of this wallet that waits in payouts: funded and neither withdrawn nor reclaimed. */
export function escrowedOf(store: Store, walletId: string): MicroUsdc {
  const row = store.first<{ sum: number | null }>(
    "SELECT sum(amount) AS sum FROM payout WHERE wallet_id = ? AND funded = 1 AND status IN ('CREATING','CREATED','CLAIMING','RECLAIMING')",
    walletId,
  )
  return row?.sum ? usd(row.sum) : zeroUsdc
}

/** SQL: when a CONFIRMED payment's money was spent. A payout's was when its recipient withdrew it, not when it was funded. */
export const spentAt = 'coalesce((SELECT done_at FROM payout WHERE payout.id = payment.id), confirmed_at)'

/** Spent for good: confirmed sends and withdrawn payouts. */
export function spentOf(store: Store, walletId: string): MicroUsdc {
  const row = store.first<{ sum: number | null }>(
    "SELECT sum(amount) AS sum FROM payment WHERE wallet_id = ? AND status = 'CONFIRMED'",
    walletId,
  )
  return row?.sum ? usd(row.sum) : zeroUsdc
}

export const isOpenPayout = (payout: PayoutRow): boolean =>
  !['WITHDRAWN', 'RECLAIMED', 'FAILED'].includes(payout.status)
