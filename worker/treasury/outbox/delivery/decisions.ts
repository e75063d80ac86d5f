import { type Answer, limitToPass } from '#domain/answers.ts'
import { kindOf } from '#domain/kinds/kinds.ts'
import { chainNameOf } from '#domain/networks.ts'
import { unverifiedSellers } from '#domain/rules/unverifiedSellers.ts'
import type { Decided } from '../../../history/api.ts'
import type { RecordedRefusal } from '../../../result.ts'
import { paidToOf } from '../../core/storage/newPayment.ts'
import { recipientText } from '../../core/storage/paidRecipients.ts'
import type { PaymentRow } from '../../core/storage/rows.ts'
import type { Store } from '../../core/storage/store.ts'
import { recipientKey } from './paymentStatistics.ts'

/** The decision about an agent's payment, for History. Undefined for the owner's own. */
export function decidedOf(store: Store, payment: PaymentRow): Decided | undefined {
  if (payment.group_id === null || payment.agent_id === null) return undefined
  const { created_at, accepted_at, approval_id, refusal } = payment
  // Refused by its owner or not answered in time: the decision was to ask.
  const approval = approval_id === null ? null : store.approval(approval_id)
  const refused = refusal === null || approval ? null : (JSON.parse(refusal) as { refusal?: RecordedRefusal }).refusal
  const asked = approval ? (JSON.parse(approval.rules) as { rule: string }[]).map(({ rule }) => rule) : []
  const isPayout = kindOf(payment).paidTo === 'emailOrPhone'
  const outcome = approval ? 'asked' : refused ? 'refused' : 'allowed'
  const rules = refused ? [refused.rule ?? ''] : asked
  return {
    groupId: payment.group_id,
    agentId: payment.agent_id,
    answer: answerOf(payment, outcome),
    needs: refused ? limitToPass(refused, payment.amount) : null,
    chain: chainNameOf(store.wallet(payment.wallet_id)!.chain_id),
    recipient: recipientKey(payment),
    at: approval ? created_at : (accepted_at ?? created_at),
    n: store.first<{ n: number }>('SELECT rowid AS n FROM payment WHERE id = ?', payment.id)!.n,
    amount: payment.amount,
    isPayout,
    type: payment.to_type as Decided['type'],
    address: isPayout ? null : payment.to_address,
    email: payment.recipient_email,
    phone: payment.recipient_phone,
    host: payment.seller,
    isConfirmed: payment.seller !== null && wasConfirmed(store, payment, { outcome, rules }),
    contactId: payment.contact_id,
    outcome,
    rules,
    granted: payment.grant_id !== null,
    version: payment.policy_version,
    acceptedAt: accepted_at,
    releasedAt: payment.released_at,
  }
}

function answerOf({ status, accepted_at }: PaymentRow, outcome: Decided['outcome']): Answer {
  if (outcome !== 'asked') return outcome
  if (accepted_at !== null) return 'approved'
  return status === 'PENDING_APPROVAL' ? 'waiting' : 'denied'
}

/**
 * Whether the host had confirmed the address when it was decided. Unless another rule refused the purchase, the decision says
 * so: unconfirmed sellers are always asked about or refused. Later confirmations would make the past look different.
 */
const wasConfirmed = (store: Store, payment: PaymentRow, { outcome, rules }: Pick<Decided, 'outcome' | 'rules'>) => {
  if (rules.includes(unverified)) return false
  return outcome !== 'refused' || hasConfirmed(store, payment)
}
const [unverified] = Object.keys(unverifiedSellers.names) as [string]

const hasConfirmed = (store: Store, payment: PaymentRow): boolean =>
  store.first(
    'SELECT 1 FROM seller WHERE pair = ? AND confirmed_at IS NOT NULL LIMIT 1',
    recipientText(paidToOf(payment)),
  ) !== null
