import { accountAsks } from '#domain/approval.ts'
import { isSeller } from '#domain/kinds/kinds.ts'
import type { MicroUsdc } from '#domain/money.ts'
import { askedBy, type PaymentKind } from '#domain/policy.ts'
import { both } from '#domain/refusal.ts'
import type { Verdict } from '#domain/rules/rule.ts'
import { ruleNamed } from '#domain/rules/values.ts'
import { sameAddress } from '#domain/sameAddress.ts'
import { minuteMs } from '#domain/time.ts'
import type { Recipient } from '#schemas/paymentTerms.ts'
import type { Context } from '../core/context.ts'
import { toColumn } from '../core/storage/columns.ts'
import { isToAddress, isToSeller } from '../core/storage/kindSql.ts'
import type { Target } from '../core/storage/newPayment.ts'
import { type PaidTo, paymentsTo, recipientText } from '../core/storage/paidRecipients.ts'
import type { GrantRow } from '../core/storage/rows.ts'
import { statusIn } from '../core/storage/statuses.ts'
import { type GroupWindows, noWindows, readWindows } from '../ledger/windows.ts'
import type { Caller } from '../policies/paymentParties.ts'
import { isConfirmedSeller } from '../policies/sellers.ts'
import { coveringGrant } from './grants.ts'

/** Written like the condition of the indexes that serve it (storage/paymentTables.ts). */
const isAlive = `payment.status IN ${statusIn.alive}`

/** SQL for "paid to this recipient", and its values. A payout's address does not identify its recipient. */
export const paidTo = ({ address, email, phone, seller }: PaidTo): [where: string, ...values: string[]] => {
  if (address !== null && seller !== null)
    return [
      `${isToSeller('payment.kind')} AND payment.seller = ? AND payment.to_address = ? COLLATE NOCASE`,
      seller,
      address,
    ]
  if (address !== null) return [`${isToAddress('payment.kind')} AND payment.to_address = ? COLLATE NOCASE`, address]
  return email !== null ? ['payment.recipient_email = ?', email] : ['payment.recipient_phone = ?', phone ?? '']
}

/**
 * Identifies group, recipient and amount, for denials, duplicates and pending requests. Deliberately less than the terms: a
 * new reference must not evade a denial.
 */
export const sameRequest = (groupId: string, to: PaidTo | null, amount: bigint): string =>
  JSON.stringify([groupId, to && recipientText(to), amount.toString()])

/** Number of the group's payments of this amount to this recipient that were accepted after `since` (ms); counts to `most`. */
export function equalPayments(
  { store }: Context,
  groupId: string,
  to: PaidTo,
  amount: number,
  since: number,
  { exceptId = null, most = Number.MAX_SAFE_INTEGER }: { exceptId?: string | null; most?: number } = {},
): number {
  const [where, ...values] = paidTo(to)
  return store.count(
    `(SELECT 1 FROM payment WHERE ${where} AND payment.group_id = ? AND payment.amount = ? AND payment.accepted_at > ?
       AND payment.id IS NOT ? AND ${isAlive} LIMIT ?)`,
    ...values,
    groupId,
    amount,
    since,
    exceptId,
    most,
  )
}

/** Whether the same request is already pending. */
const isPending = ({ store }: Context, same: string, since: number): boolean =>
  store.first(
    "SELECT 1 FROM approval WHERE same_request = ? AND asked_at > ? AND status = 'PENDING' LIMIT 1",
    same,
    since,
  ) !== null

/** What rules know about a payment of the caller, and the windows that they were read from. */
export function paymentKind(
  ctx: Context,
  { wallet, group, policy }: Caller,
  target: Target,
  to: Recipient,
  amount: MicroUsdc,
  now: number,
): { kind: PaymentKind; windows: GroupWindows } {
  const { store } = ctx
  const windows = group && policy ? readWindows(store, group, policy.rules, target, now) : noWindows
  const { address, email, phone, seller } = target
  let isNew: boolean | null = null
  const recipient: PaymentKind['recipient'] = {
    type: to.type,
    address,
    email,
    phone,
    seller: isSeller(to) ? { host: seller!, isConfirmed: () => isConfirmedSeller(ctx, wallet, to) } : null,
    // No payment to them on this chain has moved money or still may.
    isNew: () => (isNew ??= paymentsTo(store, target, wallet.chain_id).payments === 0),
    isDuplicate(minutes) {
      // Sellers charge the same for every call: a purchase is repeated on purpose, with a key of its own.
      if (!group || seller !== null) return false
      const since = now - minutes * minuteMs
      return (
        equalPayments(ctx, group.id, target, toColumn(amount), since, { most: 1 }) > 0 ||
        isPending(ctx, sameRequest(group.id, target, amount), since)
      )
    },
  }
  return { kind: { at: now, isPayout: address === null, amount, recipient, used: windows.used }, windows }
}

const unrecorded: Verdict = {
  above: null,
  outcome: 'ask',
  rule: 'unrecorded_transfer',
  code: 'policy_refused',
  message: accountAsks.unrecorded_transfer,
  next: both('Wait for the approval.'),
}

/** Why an approver is asked about a payment that would have only the owner behind it. */
export const secondPerson: Verdict = {
  ...{ above: null, outcome: 'ask', rule: 'second_person', code: 'policy_refused' },
  message: accountAsks.second_person,
  next: both('Wait for the approval.'),
}

/**
 * Whether it may be a payment that was made before the account was restored and of which there is no record. Of a payout's
 * transfer only the amount can be compared.
 */
function isUnrecorded({ store, now }: Context, { address }: PaidTo, amount: MicroUsdc): boolean {
  const watch = store.meta('watch')
  if (watch === null || watch.until <= now()) return false
  return watch.transfers.some(
    (sent) => sent.amount === toColumn(amount) && (address === null || sameAddress(sent.to, address)),
  )
}

/**
 * The group's rules that require the owner's approval of this payment; empty if none applies or a grant covers it. `grant`
 * is the grant that the payment uses. Called inside the transaction that decides.
 */
export function approvalRulesFor(
  ctx: Context,
  { agent, policy }: Caller,
  to: PaidTo,
  amount: MicroUsdc,
  kind: PaymentKind,
): { rules: Verdict[]; grant: GrantRow | null } {
  if (!policy || !agent) return { rules: [], grant: null }
  const rules = askedBy(policy, amount, kind)
  if (isUnrecorded(ctx, to, amount)) rules.push(unrecorded)
  const left = rules.filter(({ rule }) => !ruleNamed(rule)?.isGrantable)
  if (left.length === rules.length || to.address === null) return { rules, grant: null }
  const grant = coveringGrant(ctx, { agentId: agent.id, address: to.address, amount })
  // A payment that needs approval anyway does not use a grant.
  return grant && left.length === 0 ? { rules: [], grant } : { rules, grant: null }
}
