import { type AskedRule, askedDespiteGrant, askedRules } from '#domain/approval.ts'
import type { MicroUsdc } from '#domain/money.ts'
import type { Context } from '../context.ts'
import type { Caller, Target } from '../payments/paymentParties.ts'
import { alive } from '../payments/recipientHistory.ts'
import { toColumn } from '../storage/columns.ts'
import type { WalletRow } from '../storage/rows.ts'
import { coveringGrant } from './grants.ts'
import type { GrantRow } from './rows.ts'

export type WhereTo = Pick<Target, 'address' | 'email' | 'phone'>

const alivePayment = alive.replace('status', 'payment.status')

/** SQL for "paid to this recipient", and its value. A payout's address does not identify its recipient. */
const paidTo = ({ address, email, phone }: WhereTo): [where: string, value: string] => {
  if (address !== null) return ["payment.kind = 'send' AND payment.to_address = ? COLLATE NOCASE", address]
  return email !== null ? ['payment.recipient_email = ?', email] : ['payment.recipient_phone = ?', phone ?? '']
}

/** Identifies group, recipient and amount: equal for repeated requests. */
export const contentOf = (groupId: string, to: WhereTo | null, amount: bigint): string =>
  JSON.stringify([groupId, to && (to.address?.toLowerCase() ?? to.email ?? to.phone), amount.toString()])

/** Whether no payment of the account to this recipient, on this wallet's chain, has moved money or still may. */
function isNewRecipient({ store }: Context, wallet: WalletRow, to: WhereTo): boolean {
  const [where, value] = paidTo(to)
  return (
    store.first(
      `SELECT 1 FROM payment JOIN wallet ON wallet.id = payment.wallet_id
       WHERE ${where} AND wallet.chain_id = ? AND ${alivePayment} LIMIT 1`,
      value,
      wallet.chain_id,
    ) === null
  )
}

/** Number of the group's payments of this amount to this recipient that were accepted after `since` (ms). */
export function equalPayments(
  { store }: Context,
  groupId: string,
  to: WhereTo,
  amount: number,
  since: number,
  exceptId: string | null = null,
): number {
  const [where, value] = paidTo(to)
  return store.first<{ n: number }>(
    `SELECT count(*) AS n FROM payment
     WHERE ${where} AND payment.group_id = ? AND payment.amount = ? AND payment.created_at > ? AND payment.id IS NOT ? AND ${alive}`,
    value,
    groupId,
    amount,
    since,
    exceptId,
  )!.n
}

/** Whether the same request is already pending. */
const isPending = ({ store }: Context, content: string, since: number): boolean =>
  store.first(
    "SELECT 1 FROM approval WHERE content = ? AND asked_at > ? AND status = 'PENDING' LIMIT 1",
    content,
    since,
  ) !== null

/**
 * The group's rules that require the owner's approval of this payment; empty if none applies or a grant covers it. `grant`
 * is the grant that the payment uses. Called inside the transaction that decides.
 */
export function whatIsAsked(
  ctx: Context,
  { wallet, group, agent, policy }: Caller,
  to: WhereTo,
  amount: MicroUsdc,
): { rules: AskedRule[]; grant: GrantRow | null } {
  if (!policy || !group || !agent) return { rules: [], grant: null }
  const { approvals } = policy
  const since = ctx.now() - approvals.duplicateMinutes * 60_000
  const rules = askedRules(approvals, {
    amount,
    isNewRecipient: approvals.approveNewRecipient && isNewRecipient(ctx, wallet, to),
    isDuplicate:
      approvals.duplicateMinutes > 0 &&
      (equalPayments(ctx, group.id, to, toColumn(amount), since) > 0 ||
        isPending(ctx, contentOf(group.id, to, amount), since)),
  })
  const left = askedDespiteGrant(rules)
  if (left.length === rules.length || to.address === null) return { rules, grant: null }
  const grant = coveringGrant(ctx, { agentId: agent.id, address: to.address, amount })
  // A payment that needs approval anyway does not use a grant.
  return grant && left.length === 0 ? { rules: [], grant } : { rules, grant: null }
}
