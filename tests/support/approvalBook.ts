import type { MicroUsdc } from '#domain/money.ts'
import type { PaymentNotes } from '#domain/paymentNotes.ts'
import type { RuleEdits } from '#domain/rules/values.ts'
import type { Recipient } from '#schemas/paymentTerms.ts'
import { approveBudget, approvePayment, deny } from '../../worker/treasury/approvals/decisions/decide.ts'
import { approvalView } from '../../worker/treasury/approvals/decisions/views.ts'
import type { ApproveInput, Decider } from '../../worker/treasury/approvals/rpcTypes.ts'
import type { Principal } from '../../worker/treasury/core/rpcTypes.ts'
import { termsOf } from '../../worker/treasury/core/storage/newPayment.ts'
import type { ApprovalRow, PaymentRow } from '../../worker/treasury/core/storage/rows.ts'
import { accept } from '../../worker/treasury/payments/accept.ts'
import type { Gathered } from '../../worker/treasury/payments/needs.ts'
import { editGroup } from '../../worker/treasury/reports/changes/groups.ts'
import { createBook } from './book.ts'
import { addressOf, groupEdit, payInput, usdc } from './build.ts'

const scopes = ['address_payments:write', 'email_payments:write', 'contact_payments:write']
export const by: Decider = { userId: 'usr_test', name: 'Ada', sessionId: 'ses_1', passwordAt: 0 }
/** The group's only contact; addressOf(7) is its address. */
export const contactId = 'ctc_1'

export function createApprovalBook(limits: RuleEdits = {}, spendLimit: MicroUsdc | null = usdc('1000')) {
  const book = createBook()
  const { context, store } = book
  const contact = { id: contactId, name: 'Grace', address: addressOf(7), email: null, phone: null }
  const groupId = book.addGroup({ spendLimit, scopes, contacts: [contact], limits })
  const addAgent = () => book.addAgent(groupId)
  let keys = 0
  const ask = (
    principal: Principal,
    to: Recipient,
    amount: MicroUsdc,
    key = `key-${++keys}`,
    notes: Partial<PaymentNotes> = {},
  ) => {
    const result = accept(context, payInput({ principal, key, to, amount, ...notes, reason: 'rent' }), known(to))
    if ('need' in result) throw new Error(`needs ${result.need}`)
    return result
  }
  const asked = (...args: Parameters<typeof ask>): ApprovalRow => {
    const result = ask(...args)
    if (!result.ok || result.value.payment.status !== 'PENDING_APPROVAL')
      throw new Error(`not asked: ${JSON.stringify(result, big)}`)
    return context.store.approval(result.value.payment.approval_id!)!
  }
  const view = (id: string) => approvalView(context, context.store.approval(id)!)
  const approve = (id: string, over: Partial<ApproveInput> = {}) => {
    const row = context.store.approval(id)!
    const input = { hash: view(id).hash, by, passwordChecked: false, grant: null, ...over }
    if (row.kind === 'budget') return approveBudget(context, id, input)
    const waiting = store.payment(row.payment_id!)!
    const result = approvePayment(context, id, input, known(termsOf(waiting).to, waiting.to_address))
    if ('need' in result) throw new Error(`needs ${result.need}`)
    return result
  }
  const refuse = (id: string, pauseAgent = false) => deny(context, id, { hash: view(id).hash, by, pauseAgent })
  const edit = (over: RuleEdits & { spendLimit?: MicroUsdc | null }) => {
    const { spendLimit: limit, ...rest } = over
    return editGroup(context, groupId, groupEdit({ scopes, spendLimit: limit, limits: rest }))
  }
  const payments = () =>
    store.all<PaymentRow>('SELECT * FROM payment WHERE accepted_at IS NOT NULL ORDER BY accepted_at, rowid')
  const events = () =>
    store.all<{ event: string; data: string }>(
      "SELECT event, data FROM audit WHERE event LIKE 'approval.%' OR event LIKE 'grant.%'",
    )
  return { ...book, groupId, addAgent, ask, asked, view, approve, refuse, edit, payments, events }
}
const big = (_: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)

/** What a lookup finds for a recipient without problems. */
export const known = (to: Recipient, paid: string | null = null): Gathered => {
  const goesTo =
    to.type === 'address' ? to.address : to.type === 'contact' ? ((paid ?? addressOf(7)) as `0x${string}`) : null
  return { draft: null, lookup: goesTo && { address: goesTo, found: 'clear' }, refresh: 'done', grants: {} }
}
