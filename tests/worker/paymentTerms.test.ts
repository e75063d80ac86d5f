/** Every field of a payment's terms reaches every place that keeps, compares or shows a payment. */
import { runInDurableObject } from 'cloudflare:test'
import { beforeAll, expect, test } from 'vitest'
import { eachNote, filterNames } from '#domain/paymentNotes.ts'
import { PaymentsQuery } from '#schemas/payment.ts'
import { PaymentTerms } from '#schemas/paymentTerms.ts'
import { unwrap } from '../../worker/result.ts'
import { listPayments } from '../../worker/services/agentPayments.ts'
import { exportPayouts, exportTransactions } from '../../worker/services/lists.ts'
import { approvalView } from '../../worker/treasury/approvals/decisions/views.ts'
import { approvalHash } from '../../worker/treasury/approvals/views.ts'
import type { Principal } from '../../worker/treasury/core/rpcTypes.ts'
import { newPayment, termsOf } from '../../worker/treasury/core/storage/newPayment.ts'
import type { PaymentRow } from '../../worker/treasury/core/storage/rows.ts'
import { idempotentRequest } from '../../worker/treasury/ledger/idempotency.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { groupEdit, owner, payInput, toEmail, usdc } from '../support/build.ts'
import { signedIn } from '../support/histories.ts'
import { createPayer, manualChain, type Payer, prepare, until } from '../support/payer.ts'
import { copyOf, restoringOperator } from '../support/restoringOperator.ts'
import { createReceiver } from '../support/webhookReceiver.ts'
import { env } from './apiClient.ts'

beforeAll(prepare)

const fields = Object.keys(PaymentTerms.shape) as (keyof PaymentTerms)[]

const terms = {
  wallet: null,
  to: toEmail('terms@example.com'),
  amount: usdc('7.654321'),
  ...eachNote((name) => `The ${name}`),
  expiresInDays: 7,
  senderName: 'Terms Incorporated',
} satisfies PaymentTerms
const others = {
  wallet: 'wal_other',
  to: toEmail('others@example.com'),
  amount: usdc('7.654322'),
  ...eachNote((name) => `Another ${name}`),
  expiresInDays: 90,
  senderName: 'Another sender',
} satisfies PaymentTerms

/** What readers of a payment see of each field. */
const shown: Record<keyof PaymentTerms, string | null> = {
  ...eachNote((name) => terms[name]),
  to: 'terms@example.com',
  amount: '7.654321',
  // An agent's wallet follows from its group. The other two are terms of the payout, which the claim page shows.
  wallet: null,
  expiresInDays: null,
  senderName: null,
}
const missingIn = (text: string) => fields.filter((field) => shown[field] !== null && !text.includes(shown[field]))

const inTreasury = <T>({ treasury }: Payer, work: (treasury: Treasury) => T) => runInDurableObject(treasury(), work)

/** An agent's payments with these terms: one accepted, one that waits, one refused. */
async function pay(payer: Payer) {
  const { treasury, group, principals } = payer
  const payAs = async (over: Partial<PaymentTerms> = {}) =>
    treasury().payAsAgent(payInput({ principal: principals[0]!, ...terms, ...over }))
  const accepted = unwrap(await payAs()).payment
  const refused = await payAs({ amount: usdc('7000') })
  if (refused.ok) throw new Error('not refused')
  await treasury()
    .policies()
    .editGroup(group.id, groupEdit({ limits: { approveAbove: usdc('1') } }))
  const waiting = unwrap(await payAs()).payment
  return { accepted, waiting, refusedId: refused.refusal!.id! }
}

const rowOf = (payer: Payer, id: string) => inTreasury(payer, ({ context: { store } }) => store.payment(id)!)

test('every field of the terms is in the rows of accepted, waiting and refused payments @terms-1', async () => {
  const payer = await createPayer()
  const { accepted, waiting, refusedId } = await pay(payer)
  const statuses = { [accepted.id]: 'PROCESSING', [waiting.id]: 'PENDING_APPROVAL', [refusedId]: 'POLICY_REJECTED' }
  for (const [id, status] of Object.entries(statuses)) {
    const row = await rowOf(payer, id)
    expect(row.status).toBe(status)
    expect(termsOf(row)).toEqual({ ...terms, amount: BigInt(row.amount) })
  }
})

test('another value of any field is another request, and changes what the owner approves @terms-2', async () => {
  const payer = await createPayer()
  const { accepted, waiting } = await pay(payer)
  for (const field of fields) {
    const changed = { ...terms, [field]: others[field] }
    const [before, after] = [terms, changed].map((content) => idempotentRequest(owner, 'key', content)!.fingerprint)
    expect(before, field).toContain(`"${field}":`)
    expect(after, field).not.toBe(before)
  }
  // The same terms in another order are the same request.
  const reversed = Object.fromEntries(Object.entries(terms).reverse())
  expect(idempotentRequest(owner, 'key', reversed)).toEqual(idempotentRequest(owner, 'key', terms))

  await inTreasury(payer, ({ context }) => {
    const { store } = context
    const row = store.payment(waiting.id)!
    const approval = context.store.approval(row.approval_id!)!
    const caller = {
      wallet: store.wallet(row.wallet_id)!,
      group: store.group(row.group_id!),
      agent: store.agent(row.agent_id!),
    }
    const withTerms = (content: PaymentTerms): PaymentRow => ({
      ...row,
      ...newPayment(content, { id: row.id, caller, target: null, status: row.status, created_at: row.created_at }),
      approval_id: row.approval_id,
    })
    const hash = approvalHash(context, approval, row)
    expect(approvalHash(context, approval, withTerms(terms))).toBe(hash)
    // The wallet is the group's, whatever an agent's terms say; the hash has its address.
    for (const field of fields.filter((each) => each !== 'wallet'))
      expect(approvalHash(context, approval, withTerms({ ...terms, [field]: others[field] })), field).not.toBe(hash)
    expect(missingIn(JSON.stringify(approvalView(context, approval)))).toEqual([])
  })
  expect(missingIn(JSON.stringify(accepted))).toEqual([])
})

test('replies, lists, exports and webhooks show every field of the terms @terms-3', async () => {
  const payer = await createPayer()
  const { userId, treasury, principals } = payer
  const webhook = await (await createReceiver(userId)).add(['approval.requested'])
  const { accepted, waiting, refusedId } = await pay(payer)
  for (const id of [accepted.id, waiting.id]) {
    expect(missingIn(JSON.stringify(unwrap(await treasury().payment(principals[0]!, id)))), 'reply').toEqual([])
    expect(missingIn(JSON.stringify(unwrap(await treasury().transaction(id)))), 'transaction').toEqual([])
  }
  for (const name of filterNames) {
    const listed = async (value: string) => {
      const { agentId, credentialHash } = principals[0] as Principal & { type: 'agent' }
      const agent = { userId, agentId, credentialHash, scopes: [], via: 'api' as const }
      const found = await listPayments({ env, agent }, PaymentsQuery.parse({ [name]: value }))
      return unwrap(found).data.map(({ id }) => id)
    }
    expect((await listed(terms[name])).sort()).toEqual([accepted.id, waiting.id, refusedId].sort())
    expect(await listed('The'), 'part of it').toEqual([])
  }
  expect(missingIn(JSON.stringify(unwrap(await treasury().escrow(accepted.id)))), 'payout').toEqual([])

  const lineOf = async (csv: Promise<Response>, id: string) =>
    (await (await csv).text()).split('\r\n').find((line) => line.includes(id))!
  for (const name of filterNames) {
    const filter = { [name]: terms[name] }
    expect(missingIn(await lineOf(exportTransactions(signedIn(userId), filter), waiting.id)), 'transactions').toEqual(
      [],
    )
    expect(missingIn(await lineOf(exportPayouts(signedIn(userId), filter), accepted.id)), 'payouts').toEqual([])
    for (const exported of [exportTransactions, exportPayouts])
      expect(await lineOf(exported(signedIn(userId), { [name]: 'The' }), accepted.id), 'part of it').toBeUndefined()
  }

  const event = await until('the event arrives', async () => webhook.events()[0])
  expect(missingIn(event.body), 'webhook').toEqual([])
})

test('an account that is restored from a backup gets every field of the terms back @terms-4', async () => {
  const payer = await createPayer({ on: manualChain })
  const { run, back, continueRestore } = await restoringOperator(payer)
  const earlier = await copyOf(payer)
  const { accepted } = await pay(payer)
  await run('freeze')
  await back(earlier)
  expect(await continueRestore()).toMatchObject({ state: 'open' })
  await until('the account works', () => payer.ledger().catch(() => null))
  expect(termsOf(await rowOf(payer, accepted.id))).toEqual(terms)
})
