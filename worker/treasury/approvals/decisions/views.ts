import { cancelText } from '#domain/approval.ts'
import { kindOf } from '#domain/kinds/kinds.ts'
import { encodeRowCursor } from '#domain/lists.ts'
import { chainNameOf } from '#domain/networks.ts'
import { eachNote, notesOf } from '#domain/paymentNotes.ts'
import { isoOf } from '#domain/time.ts'
import type { Approval, ApprovalList, Channel } from '#schemas/approval.ts'
import type { Refused } from '../../../result.ts'
import { suspendedOwner } from '../../core/commonRefusals.ts'
import type { Context } from '../../core/context.ts'
import { formatColumn, fromColumn } from '../../core/storage/columns.ts'
import { paidToOf } from '../../core/storage/newPayment.ts'
import type { AgentRow, ApprovalRow, PaymentRow } from '../../core/storage/rows.ts'
import { wouldNeedPassword } from '../../limits/ownerPassword.ts'
import { needsSecondPerson, secondPersonRequired } from '../../limits/secondPerson.ts'
import { check } from '../../payments/check.ts'
import type { Gathered } from '../../payments/needs.ts'
import { raisedLimit } from '../../policies/budgets.ts'
import { resolveCaller, resolveTarget } from '../../policies/paymentParties.ts'
import { contactChangedRefusal, recipientChanged } from '../ask.ts'
import { endOverdue } from '../end.ts'
import type { ApprovalsInput } from '../rpcTypes.ts'
import { approvalHash, equalPaymentsSince, pendingCount, purchaseFacts, recipientFacts, walletOf } from '../views.ts'
import { credentialGone, inputOf } from './decide.ts'

export function approvalView(ctx: Context, row: ApprovalRow): Approval {
  const payment = row.payment_id === null ? null : ctx.store.payment(row.payment_id)
  const wallet = walletOf(ctx, row, payment)!
  const { address, email, phone } = payment ? paidToOf(payment) : nobody
  const purchase = purchaseFacts(ctx, row, payment)
  const channel = (state: Channel['state'], time: number | null): Channel => ({ state, at: isoOf(time) })
  return {
    id: row.id,
    kind: row.kind,
    status: row.status,
    agent: agentOf(ctx, row.agent_id),
    policyGroup: { id: row.group_id, name: ctx.store.groupName(row.group_id) },
    wallet: { id: wallet.id, name: wallet.name, address: wallet.address, chain: chainNameOf(wallet.chain_id) },
    recipient: payment && {
      type: payment.to_type,
      ...{ address, email, phone },
      contactId: payment.contact_id,
      contactName: payment.contact_name,
    },
    purchase,
    recipientHistory: recipientFacts(ctx, row, payment),
    amount: formatColumn(row.amount),
    ...(payment ? notesOf(payment) : eachNote(() => null)),
    agentReason: row.reason,
    askedBecause: JSON.parse(row.rules) as Approval['askedBecause'],
    askedAt: isoOf(row.asked_at),
    expiresAt: isoOf(row.expires_at),
    endedAt: isoOf(row.ended_at),
    decidedBy: row.decided_by === null ? null : { id: row.decided_by, name: row.decided_name },
    cancelledWhy: row.cancelled && { reason: row.cancelled, message: cancelText(row.cancelled) },
    payment: payment && { id: payment.id, status: payment.status, txHash: payment.tx_hash },
    wouldPass: row.status === 'PENDING' ? wouldPass(ctx, row, payment) : null,
    equalPaymentsSince: equalPaymentsSince(ctx, row, payment),
    hash: approvalHash(ctx, row, payment),
    needsPassword: wouldNeedPassword(ctx, fromColumn(row.amount)),
    canGrant: payment !== null && kindOf(payment).canGrant(purchase?.isConfirmed === true),
    grantId: row.grant_id,
    channels: { email: channel(row.email_state, row.email_at), push: channel(row.push_state, row.push_at) },
  }
}

function agentOf({ store }: Context, id: string): Approval['agent'] {
  const agent = store.first<AgentRow>('SELECT name, paused FROM agent WHERE id = ?', id)
  return { id, name: agent?.name ?? '', paused: agent?.paused === 1 }
}

const nobody = { address: null, email: null, phone: null }

const pageSize = 25
/** Pending approvals, the next to expire first; then ended ones, newest first, in pages. */
export function listApprovals(ctx: Context, { status, agentId, after }: ApprovalsInput): ApprovalList {
  const { store } = ctx
  endOverdue(ctx)
  const [whose, ...values] = agentId === null ? ['1'] : ['agent_id = ?', agentId]
  const open =
    status === 'ended' || after
      ? []
      : store.all<ApprovalRow>(
          `SELECT * FROM approval WHERE status = 'PENDING' AND ${whose} ORDER BY expires_at, id`,
          ...values,
        )
  const from = after ?? { at: Number.MAX_SAFE_INTEGER, id: '' }
  const found =
    status === 'pending'
      ? []
      : store.all<ApprovalRow>(
          `SELECT * FROM approval WHERE status <> 'PENDING' AND ${whose} AND (asked_at, id) < (?, ?)
           ORDER BY asked_at DESC, id DESC LIMIT ?`,
          ...values,
          from.at,
          from.id,
          pageSize + 1,
        )
  const ended = found.slice(0, pageSize)
  const last = ended.at(-1)
  return {
    approvals: [...open, ...ended].map((row) => approvalView(ctx, row)),
    pending: pendingCount(ctx),
    next: last && found.length > pageSize ? encodeRowCursor({ at: last.asked_at, id: last.id }) : null,
  }
}

type WouldPass = NonNullable<Approval['wouldPass']>

const no = (rule: string, message: string): WouldPass => ({ ok: false, rule, message })
const refused = ({ code, message, refusal }: Refused): WouldPass => no(refusal?.rule ?? code, message)

/** Whether approving it now would succeed, as far as this object knows: neither chain nor recipient is looked up. */
function wouldPass(ctx: Context, row: ApprovalRow, waiting: PaymentRow | null): WouldPass {
  const suspended = suspendedOwner(ctx)
  if (suspended) return refused(suspended)
  if (waiting === null) {
    const group = ctx.store.group(row.group_id)
    const raised = group && raisedLimit(group, fromColumn(row.amount))
    if (!raised) return no('group.deleted', 'The policy group was deleted.')
    return raised.ok ? { ok: true } : no('group.budget', raised.message)
  }
  const { principal, terms } = inputOf(row, waiting)
  const caller = resolveCaller(ctx, principal, null)
  if (!caller.ok) return caller.code === 'unauthenticated' ? no('agent.credential', credentialGone) : refused(caller)
  const target = resolveTarget(ctx, caller.value, terms.to)
  if ('refusal' in target) return no(target.refusal.rule, target.refusal.message)
  if (recipientChanged(waiting, caller.value.wallet, target)) return refused(contactChangedRefusal)
  const known: Gathered = {
    draft: null,
    lookup: target.address && { address: target.address, found: 'clear' },
    refresh: 'done',
    grants: {},
  }
  const asked = { group: caller.value.group, amount: terms.amount, isApproval: true }
  if (needsSecondPerson(ctx, asked)) return refused(secondPersonRequired(ctx, true))
  const result = check(ctx, principal, terms, known)
  // Can't happen: `known` provides everything that `check` could need.
  if ('need' in result) return { ok: true }
  if (!result.ok) return refused(result)
  const { refusal } = result.value
  return refusal ? no(refusal.rule ?? refusal.code, refusal.detail) : { ok: true }
}
