/** Random months of an account in memory: with sends, payouts, purchases, deposits, refusals, approvals, reorganizations. */
import fc from 'fast-check'
import { microUsdc } from '#domain/money.ts'
import { monthOf } from '#domain/statistics.ts'
import { dayMs, hourMs } from '#domain/time.ts'
import { sellerPair } from '#domain/x402/seller.ts'
import type { Recipient } from '#schemas/paymentTerms.ts'
import type { Address } from '../../worker/chain/types.ts'
import { approvePayment, deny } from '../../worker/treasury/approvals/decisions/decide.ts'
import { approvalView } from '../../worker/treasury/approvals/decisions/views.ts'
import type { ApprovalRow, PaymentRow } from '../../worker/treasury/core/storage/rows.ts'
import { recordChange } from '../../worker/treasury/outbox/changes.ts'
import { accept } from '../../worker/treasury/payments/accept.ts'
import { cancelPayment } from '../../worker/treasury/payments/cancel.ts'
import { pruneRefusals } from '../../worker/treasury/payments/refusals.ts'
import { releaseReturned } from '../../worker/treasury/settlement/finality.ts'
import { failUnsigned } from '../../worker/treasury/settlement/release.ts'
import { undoBookings } from '../../worker/treasury/settlement/undo.ts'
import { by } from './approvalBook.ts'
import { addressOf, allScopes, gatheredFor, owner, payInput, payoutDraft, toAddress } from './build.ts'
import { createMemoryAccount } from './memoryAccount.ts'
import { purchaseOf } from './purchaseBook.ts'

const scopes = [...allScopes, 'x402_payments:write']
export const grace = {
  id: 'contact_1',
  name: 'Grace Hopper',
  address: addressOf(7),
  email: 'grace@example.com',
  phone: null,
}
/** Known to no group. */
export const ad = { id: 'contact_2', name: 'Ad Exchange', address: addressOf(8), email: null, phone: null }
export const wallets = [
  { id: 'wal', chain: 8453, name: 'Main' },
  { id: 'wal2', chain: 8453, name: 'Savings' },
  { id: 'test', chain: 84532, name: 'Test money' },
] as const
const addressAt = (id: (typeof wallets)[number]['id']): Address =>
  id === 'wal' ? `0x${'a'.repeat(40)}` : addressOf(id === 'wal2' ? 0x77 : 0x78)

const recipients: Recipient[] = [
  toAddress(1),
  toAddress(7),
  { type: 'address', address: addressAt('wal2') },
  { type: 'contact', contactId: grace.id },
  { type: 'contact', contactId: grace.id, method: 'email' },
  { type: 'contact', contactId: ad.id },
  { type: 'email', email: grace.email },
  { type: 'email', email: 'eve@example.com' },
  { type: 'phone', phone: '+14155550123' },
  purchaseOf(),
]

const index = fc.nat({ max: 1_000 })
const acts = [
  'confirm',
  'confirm',
  'claim',
  'return',
  'cancel',
  'fail',
  'approve',
  'deny',
  'undo',
  'prune',
  'final',
  'rename',
] as const
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('pay' as const),
      who: index,
      to: index,
      amount: fc.integer({ min: 100_000, max: 900_000 }),
    }),
  },
  { weight: 12, arbitrary: fc.record({ do: fc.constantFrom(...acts), which: index }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('deposit' as const, 'withdraw' as const),
      which: index,
      amount: fc.integer({ min: 10_000, max: 900_000 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(hourMs, dayMs, 6 * dayMs, 20 * dayMs, 'month' as const),
    }),
  },
)
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

async function createMonth() {
  const account = createMemoryAccount()
  const { context, store } = account
  for (const { id, chain } of wallets.slice(1)) {
    store.insert('wallet', { ...store.wallet('wal')!, id, chain_id: chain, address: addressAt(id) })
    store.insert('session', { ...store.session('wal')!, wallet_id: id })
  }
  for (const { id, name, chain } of wallets) {
    store.run('UPDATE wallet SET name = ? WHERE id = ?', name, id)
    recordChange(context, `wallet:${id}`)
    store.run(
      'INSERT OR REPLACE INTO seller (pair, chain_id, confirmed_at, asked_at) VALUES (?, ?, ?, 1)',
      sellerPair('api.example.com', addressOf(5)),
      chain,
      Number.MAX_SAFE_INTEGER,
    )
  }
  store.run('UPDATE session SET purchase_allowance = 1000')
  for (const contact of [grace, ad]) await account.addContact(contact)
  const limits = [{}, { approveAbove: microUsdc(500_000n) }, { maxPayment: microUsdc(700_000n) }]
  const groups = wallets.map(({ id }, i) =>
    account.addGroup({
      scopes,
      contacts: [grace],
      walletId: id,
      spendLimit: microUsdc(3_000_000n),
      limits: limits[i]!,
    }),
  )
  const agents = groups.flatMap((group) => [account.addAgent(group), account.addAgent(group)])
  return { ...account, groups, agents }
}

/** The account after these steps. Its History has followed it meanwhile. */
export async function monthWith(steps: Step[]) {
  const made = await createMonth()
  continueMonth(made, steps)
  return made
}
export function continueMonth(month: Month, steps: Step[]): void {
  for (const [i, each] of steps.entries()) {
    run(month, each)
    if (i % 8 === 7) month.history.follow()
  }
  month.history.follow()
}
export type Month = Awaited<ReturnType<typeof createMonth>>

const newest = -1
const pick = <T>(from: readonly T[], at: number): T | undefined => from.at(at % Math.max(1, from.length))

function payments({ store }: Month, where: string): PaymentRow[] {
  return store.all<PaymentRow>(
    `SELECT payment.* FROM payment LEFT JOIN payout ON payout.id = payment.id WHERE ${where} ORDER BY payment.id`,
  )
}

function run(month: Month, each: Step) {
  const { context, store, clock, agents } = month
  clock.now += 1_000
  switch (each.do) {
    case 'wait':
      clock.now = each.ms === 'month' ? monthOf(clock.now).endsAt : clock.now + each.ms
      return
    case 'pay': {
      const to = pick(recipients, each.to)!
      // The owner names no contact of a group's whitelist, and buys nothing.
      const isByOwner = each.who % 4 === 0 && to.type !== 'contact' && to.type !== 'x402'
      const principal = isByOwner ? owner : pick(agents, each.who)!
      const input = payInput({ principal, to, amount: microUsdc(BigInt(each.amount)) })
      if (isByOwner) input.terms.wallet = pick(wallets, each.who)!.id
      // Two agents for each wallet.
      const payer = addressAt(isByOwner ? pick(wallets, each.who)!.id : wallets[(each.who % agents.length) >> 1]!.id)
      const lookup = to.type === 'contact' ? { address: grace.address, found: 'clear' as const } : null
      const draft = payoutDraft({ amount: each.amount, payer })
      const gathered = { ...gatheredFor(input), ...(lookup && { lookup }), draft, signer: true }
      if (to.type === 'x402') Object.assign(gathered, { lookup: { address: to.address, found: 'clear' } })
      const result = accept(context, { ...input, offer: { accepted: { maxTimeoutSeconds: 60 } } }, gathered)
      if ('need' in result) throw new Error(`needs ${result.need}`)
      return
    }
    case 'confirm': {
      const open = pick(payments(month, "payment.status IN ('QUEUED', 'PROCESSING')"), each.which)
      if (open) month.confirm(open.id)
      return
    }
    case 'claim':
    case 'return': {
      const open = pick(payments(month, "payment.status = 'PENDING'"), each.which)
      if (open)
        month.endPayout(open.id, each.do === 'claim' ? addressOf(50) : (store.payout(open.id)!.payer as Address))
      return
    }
    case 'cancel': {
      const open = pick(payments(month, "payment.status = 'QUEUED' AND agent_id IS NOT NULL"), each.which)
      const agent = agents.find(({ agentId }) => agentId === open?.agent_id)
      if (open && agent) cancelPayment(context, agent, open.id)
      return
    }
    case 'fail': {
      const late = pick(payments(month, "payment.status = 'QUEUED'"), each.which)
      if (!late) return
      store.update('payment', late.id, { give_up_at: 1 })
      return failUnsigned(context, store.wallet(late.wallet_id)!)
    }
    case 'approve':
    case 'deny': {
      const open = store.all<ApprovalRow>(
        "SELECT * FROM approval WHERE status = 'PENDING' AND expires_at > ? ORDER BY id",
        clock.now,
      )
      const asked = pick(open, each.which)
      if (!asked) return
      const { hash } = approvalView(context, asked)
      if (each.do === 'deny') return void deny(context, asked.id, { hash, by, pauseAgent: false })
      const waiting = store.payment(asked.payment_id!)!
      const payer = addressAt(waiting.wallet_id as (typeof wallets)[number]['id'])
      const draft = payoutDraft({ id: waiting.id, amount: waiting.amount, payer })
      const lookup = waiting.to_address && { address: waiting.to_address as Address, found: 'clear' as const }
      const gathered = { draft, lookup: lookup || null, refresh: 'done' as const, grants: {} }
      approvePayment(context, asked.id, { hash, by, passwordChecked: true, grant: null }, gathered)
      return
    }
    case 'undo':
      return undoBookings(context, pick(wallets, each.which)!.id, { why: 'test' })
    case 'final': {
      // What was booked until now can no longer be undone.
      const { id } = pick(wallets, each.which)!
      const { block } = store.first<{ block: number | null }>(
        'SELECT max(block) AS block FROM booking WHERE wallet_id = ?',
        id,
      )!
      if (block === null) return
      store.transaction(() => {
        store.run('UPDATE wallet SET final_block = ? WHERE id = ?', block, id)
        store.run('DELETE FROM booking WHERE wallet_id = ?', id)
        releaseReturned(context, id, block)
      })
      return
    }
    case 'prune':
      return void pruneRefusals(context)
    case 'rename':
      store.run('UPDATE wallet SET name = ? WHERE id = ?', `Pot ${each.which % 3}`, 'wal2')
      recordChange(context, 'wallet:wal2')
      return
    case 'deposit':
    case 'withdraw': {
      const { id } = pick(wallets, each.which)!
      const [own, other] = [addressAt(id), each.which % 3 === 0 ? grace.address : addressOf(60)]
      const [from, to] = each.do === 'deposit' ? [other, own] : [own, other]
      return month.bookTransfer(id, [from, to, BigInt(each.amount)])
    }
  }
}

/** A payment by the owner (0) or by an agent of the first group (1), and what becomes of it. */
function paid(who: 0 | 1, type: Recipient['type'], ...then: (typeof acts)[number][]): Step[] {
  const to = recipients.findIndex((each) => each.type === type)
  return [
    { do: 'pay', who, to, amount: 100_000 + 1_000 * to },
    ...then.map((act): Step => ({ do: act, which: newest })),
  ]
}

/** A payment in each state that a figure counts. */
const eachState: Step[] = [
  ...paid(1, 'email', 'confirm', 'return'),
  { do: 'final', which: 0 },
  ...paid(1, 'phone', 'confirm', 'return'),
  ...paid(1, 'email', 'confirm', 'claim'),
  ...paid(1, 'address', 'confirm'),
  ...paid(1, 'x402', 'confirm'),
  ...paid(1, 'address', 'cancel'),
  ...paid(1, 'email', 'cancel'),
  ...paid(1, 'phone', 'confirm'),
  ...paid(0, 'email', 'confirm'),
  ...paid(1, 'address'),
  ...paid(1, 'email'),
]

/**
 * The steps of a month. A payment of each state is somewhere among them, because steps at random seldom lead to a payout that
 * waits or is on its way back.
 */
export const monthSteps = fc
  .tuple(fc.array(step, { maxLength: 50, size: 'max' }), fc.array(step, { maxLength: 10, size: 'max' }))
  .map(([before, after]) => [...before, ...eachState, ...after])
