import type { MicroUsdc } from '#domain/money.ts'
import type { RuleEdits } from '#domain/rules/values.ts'
import { sellerPair } from '#domain/x402/seller.ts'
import type { Address } from '../../worker/chain/types.ts'
import { approvePayment, deny } from '../../worker/treasury/approvals/decisions/decide.ts'
import { approvalView } from '../../worker/treasury/approvals/decisions/views.ts'
import type { ApproveInput } from '../../worker/treasury/approvals/rpcTypes.ts'
import type { ApprovalRow } from '../../worker/treasury/core/storage/rows.ts'
import { accept } from '../../worker/treasury/payments/accept.ts'
import type { Gathered } from '../../worker/treasury/payments/needs.ts'
import { by } from './approvalBook.ts'
import { createBook } from './book.ts'
import { addressOf, allScopes, gatheredFor, payInput, usdc } from './build.ts'

type Agent = ReturnType<ReturnType<typeof createBook>['addAgent']>
export type Bought = { host?: string; payTo?: Address; amount?: MicroUsdc; key?: string; path?: string }

export const purchaseOf = ({ host = 'api.example.com', payTo = addressOf(5), path = '/weather' }: Bought = {}) =>
  ({ type: 'x402', address: payTo, resource: `GET https://${host}${path}` }) as const

/**
 * A Treasury in memory whose agents buy, with a session that allows purchases of 50 USDC. Nothing is signed: it has no key.
 */
export function createPurchaseBook(limits: RuleEdits = {}) {
  const book = createBook()
  const { context, store } = book
  store.run('UPDATE session SET purchase_allowance = 50')
  const groupId = book.addGroup({ scopes: [...allScopes, 'x402_payments:write'], limits })
  const addAgent = () => book.addAgent(groupId)
  /** What the host has answered when it was asked for its address. */
  const hostAnswers = (isConfirmed: boolean, { host = 'api.example.com', payTo = addressOf(5) }: Bought = {}) =>
    store.run(
      `INSERT INTO seller (pair, chain_id, confirmed_at, asked_at) VALUES (?1, 8453, ?2, ?3)
       ON CONFLICT DO UPDATE SET confirmed_at = excluded.confirmed_at, asked_at = excluded.asked_at`,
      sellerPair(host, payTo),
      isConfirmed ? context.now() : null,
      context.now(),
    )
  const offer = { accepted: { maxTimeoutSeconds: 60 } }
  let keys = 0
  /** Buys for 0.1 USDC. */
  const buy = (principal: Agent, bought: Bought = {}) => {
    const { amount = usdc('0.1'), key = `buy-${++keys}` } = bought
    const input = { ...payInput({ principal, key, to: purchaseOf(bought), amount }), offer }
    return accept(context, input, gathered(bought, gatheredFor(input)))
  }
  const asked = (principal: Agent, bought: Bought = {}): ApprovalRow => {
    const result = buy(principal, bought)
    if ('need' in result) throw new Error(`needs ${result.need}`)
    if (!result.ok || result.value.payment.status !== 'PENDING_APPROVAL') throw new Error('not asked')
    return store.approval(result.value.payment.approval_id!)!
  }
  const view = (id: string) => approvalView(context, store.approval(id)!)
  const approve = (id: string, over: Partial<ApproveInput> = {}) => {
    const input = { hash: view(id).hash, by, passwordChecked: false, grant: null, ...over }
    const { to_address } = store.payment(store.approval(id)!.payment_id!)!
    return approvePayment(context, id, input, gathered({ payTo: to_address! }))
  }
  const refuse = (id: string) => deny(context, id, { hash: view(id).hash, by, pauseAgent: false })
  return { ...book, groupId, addAgent, hostAnswers, buy, asked, view, approve, refuse }
}

const gathered = ({ payTo = addressOf(5) }: Bought, from?: Gathered): Gathered => ({
  ...(from ?? { draft: null, refresh: 'done', grants: {} }),
  lookup: { address: payTo, found: 'clear' },
  signer: true,
})
