/** A dry run, against what becomes of the same payment on the same state. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maxPending } from '#domain/approval.ts'
import type { Limits } from '#domain/limits.ts'
import { type MicroUsdc, microUsdc, zeroUsdc } from '#domain/money.ts'
import type { RuleEdits } from '#domain/rules/values.ts'
import { hourMs, minuteMs } from '#domain/time.ts'
import type { PaymentCheck } from '#schemas/payment.ts'
import type { Recipient } from '#schemas/paymentTerms.ts'
import type { Result } from '../../worker/result.ts'
import { approvePayment, deny } from '../../worker/treasury/approvals/decisions/decide.ts'
import { approvalView } from '../../worker/treasury/approvals/decisions/views.ts'
import { endOverdue } from '../../worker/treasury/approvals/end.ts'
import { lookups } from '../../worker/treasury/core/knownRecipients.ts'
import type { Principal } from '../../worker/treasury/core/rpcTypes.ts'
import type { ApprovalRow, PaymentRow } from '../../worker/treasury/core/storage/rows.ts'
import { settleSend } from '../../worker/treasury/ledger/ledger.ts'
import { type Grants, lookupLimitRefusal } from '../../worker/treasury/limits/admission.ts'
import { takeRate } from '../../worker/treasury/limits/rates.ts'
import { type Accepted, accept } from '../../worker/treasury/payments/accept.ts'
import { check } from '../../worker/treasury/payments/check.ts'
import type { Gathered, Need } from '../../worker/treasury/payments/needs.ts'
import type { PayInput } from '../../worker/treasury/payments/rpcTypes.ts'
import type { PauseSubject } from '../../worker/treasury/policies/rpcTypes.ts'
import { contactChanged } from '../../worker/treasury/reports/changes/contacts.ts'
import { editGroup } from '../../worker/treasury/reports/changes/groups.ts'
import { setPaused } from '../../worker/treasury/reports/changes/pausing.ts'
import { anyRuleValues } from '../support/anyRules.ts'
import { by } from '../support/approvalBook.ts'
import { type Book, createBook } from '../support/book.ts'
import { addressOf, allScopes, groupEdit, payInput, payoutDraft, toAddress, toEmail } from '../support/build.ts'
import { cases } from '../support/cases.ts'
import { noLimits } from '../support/limits.ts'
import { purchaseOf } from '../support/purchaseBook.ts'

const blocked = 4
const scopes = [...allScopes, 'x402_payments:write']
const contact = { id: 'ctc_1', name: 'Grace', address: addressOf(7), email: 'grace@example.com', phone: null }
const recipients: Recipient[] = [
  ...[1, 2, 3, blocked].map(toAddress),
  { type: 'contact', contactId: contact.id },
  { type: 'contact', contactId: contact.id, method: 'email' },
  { type: 'contact', contactId: contact.id, method: 'phone' },
  { type: 'contact', contactId: 'ctc_unknown' },
  toEmail(),
  toEmail('eve@elsewhere.example'),
  { type: 'phone', phone: '+14155550123' },
  purchaseOf(),
  purchaseOf({ host: 'other.example.org' }),
  // The wallet itself, and the zero address.
  { type: 'address', address: `0x${'a'.repeat(40)}` },
  { type: 'address', address: `0x${'0'.repeat(40)}` },
]
/** Below the smallest payout, in each class of purchases, above them, and above what the wallet has. */
const amounts = [50_000, 100_000, 900_000, 1_000_000, 3_000_000, 30_000_000, 300_000_000, 500_000_000].map((each) =>
  microUsdc(BigInt(each)),
)

const slow = 1 / 6_000
/** Limits of which each world has one or two that a few payments reach. An account that is new shares gas and messages with others. */
const limits: Partial<Limits>[] = [
  {},
  { agentPaymentsPerSecond: slow, agentPaymentBurst: 3 },
  { userPaymentsPerSecond: slow, userPaymentBurst: 5 },
  { agentLookupsPerSecond: slow, agentLookupBurst: 2 },
  { agentQueued: 2 },
  { openPurchases: 3, openPurchasesPerSeller: 2 },
  { agentApprovalsPerDay: 2 },
  { emailsPerDay: 4, smsPerDay: 2, agentMessagePercent: 50 },
  { messagesPerRecipient: 1 },
  { gasPerDay: 1_000_000, maxGasPerDay: 1_000_000 },
  { establishedAfterPayments: 1_000, establishedAfterUsdc: 1_000 },
]

const rules = anyRuleValues({ mostAmount: 8_000_000n, offs: 12 }) as fc.Arbitrary<RuleEdits>
const index = fc.nat({ max: 1_000 })
const small = fc.nat({ max: 3 })
const pay = fc.record({
  do: fc.constant('pay' as const),
  agent: small,
  to: index,
  amount: index,
  /** The same recipient and amount as before. */
  isAgain: fc.integer({ min: 0, max: 2 }).map((n) => n === 0),
  isByOwner: fc.boolean(),
  isUnreachable: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
})
const edit = fc.record({
  do: fc.constant('edit' as const),
  group: small,
  rules,
  scopes: fc.oneof(fc.constant(scopes), fc.subarray(scopes)),
})
const wait = fc.constantFrom(1, minuteMs, hourMs, 25 * hourMs)
const answer = fc.constantFrom('approve' as const, 'deny' as const)
const step = fc.oneof(
  { weight: 16, arbitrary: pay },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: wait }) },
  { weight: 4, arbitrary: fc.record({ do: answer, which: index, grants: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('settle' as const), which: index }) },
  { weight: 1, arbitrary: edit },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('askOften' as const), agent: small }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('state' as const), which: index }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
type Pay = Extract<Step, { do: 'pay' }>

const pausing =
  (subject: (world: World) => PauseSubject): ((world: World) => () => void) =>
  (world) => {
    setPaused(world.context, subject(world), true, true)
    return () => setPaused(world.context, subject(world), false, true)
  }

const full = ({ size }: World) => {
  size(20_000_000_000)
  return () => size(0)
}
const suspended = ({ store }: World) => {
  store.suspension = { since: 1, version: 1 }
  return () => {
    store.suspension = { since: null, version: 1 }
  }
}
const stopped = ({ context }: World) => {
  context.stop.mode = 'new'
  return () => {
    context.stop.mode = 'none'
  }
}
/** Nothing of what new accounts share is left. */
const othersUsedAll = ({ shared }: World) => {
  shared.hasRoom = false
  return () => {
    shared.hasRoom = true
  }
}

const noPurchases = ({ set }: World) => set('session', 'purchase_allowance = 0', 'purchase_allowance = 2')

/** What lies outside the rules. Each returns how it ends. */
const states: ((world: World) => () => void)[] = [
  pausing(() => ({ kind: 'account' })),
  pausing(() => ({ kind: 'wallet', id: 'wal' })),
  pausing(({ groups }) => ({ kind: 'group', id: groups[0]! })),
  pausing(({ agents }) => ({ kind: 'agent', id: agents[0]!.agentId })),
  full,
  suspended,
  stopped,
  othersUsedAll,
  noPurchases,
  ({ set }) => set('wallet', "status = 'deploying'", "status = 'active'"),
  ({ set }) => set('wallet', "halt_kind = 'books'", 'halt_kind = NULL'),
  ({ set }) => set('wallet', 'contract_set = 99', 'contract_set = 1'),
  ({ set }) => set('session', 'valid_until = 1', 'valid_until = 4000000000'),
  ({ set }) => set('session', 'used = spend_limit', 'used = 0'),
  ({ context }) => {
    contactChanged(context, contact.id, { ...contact, address: addressOf(8) })
    return () => contactChanged(context, contact.id, contact)
  },
]

type World = ReturnType<typeof createWorld>

function createWorld(tight: Partial<Limits>) {
  const book = createBook({ funds: '100', sessionLimit: '400', limits: { ...noLimits, ...tight } })
  const { store } = book
  store.run('UPDATE session SET purchase_allowance = 2')
  const groups = [microUsdc(60_000_000n), null].map((spendLimit) =>
    book.addGroup({ scopes, contacts: [contact], spendLimit }),
  )
  const agents = groups.flatMap((group) => [book.addAgent(group), book.addAgent(group)])
  const set = (table: string, there: string, back: string) => {
    store.run(`UPDATE ${table} SET ${there}`)
    return () => void store.run(`UPDATE ${table} SET ${back}`)
  }
  const last: { terms?: { to: Recipient; amount: MicroUsdc } } = {}
  /** Ends the present one of `states`. */
  const undo: (() => void) | null = null as (() => void) | null
  /** Whether others have left gas and messages for new accounts. */
  const shared = { hasRoom: true }
  return { ...book, groups, agents, set, last, undo, shared }
}

/** The number of rows that were ever written. */
const written = (store: Book['store']): number => store.first<{ n: number }>('SELECT total_changes() AS n')!.n

/** Satisfies the needs of a decision, as far as the world has an answer. */
function decide<T>(
  world: World,
  decision: (gathered: Gathered) => Result<T> | Need,
  {
    isDryRun = false,
    isUnreachable = false,
    draftId,
  }: { isDryRun?: boolean; isUnreachable?: boolean; draftId?: string } = {},
): Result<T> {
  const { context, store, shared } = world
  const grants: Grants = isDryRun ? { isDryRun } : {}
  const gathered: Gathered = { draft: null, lookup: null, refresh: 'none', grants }
  for (let i = 0; i < 20; i++) {
    const before = written(store)
    const result = decision(gathered)
    if (isDryRun || 'need' in result) expect(written(store), 'deciding writes nothing').toBe(before)
    if (!('need' in result)) return result
    if (result.need === 'lookup') {
      const state = result.address === addressOf(blocked) ? 'blocked' : 'clear'
      const found = lookupLimitRefusal(context, result.spender) ?? state
      if (found === state) lookups(context).set(`8453:${result.address.toLowerCase()}`, { found, at: context.now() })
      gathered.lookup = { address: result.address, found }
    }
    if (result.need === 'refresh') {
      gathered.refresh = lookupLimitRefusal(context, result.spender) ? 'limited' : 'done'
      if (gathered.refresh === 'done' && !isUnreachable) gathered.arriving = zeroUsdc
    }
    if (result.need === 'seller') gathered.sellerLimit = takeRate(context, 'sellers', result.agentId)
    if (result.need === 'seller' && !gathered.sellerLimit)
      store.run(
        'INSERT OR REPLACE INTO seller (pair, chain_id, confirmed_at, asked_at) VALUES (?, 8453, ?, ?)',
        `${new URL(result.to.resource.split(' ')[1]!).host} ${result.to.address.toLowerCase()}`,
        result.to.resource.includes('api.example.com') ? context.now() : null,
        context.now(),
      )
    if (result.need === 'usage') gathered.unused = null
    if (result.need === 'signer') gathered.signer = true
    if (result.need === 'draft') gathered.draft = payoutDraft({ ...(draftId && { id: draftId }) })
    if (result.need === 'messageGrant') grants.message = shared.hasRoom
    if (result.need === 'gasGrant') {
      grants.gas = shared.hasRoom
      // As `askForGas` does: what was granted is the account's.
      if (shared.hasRoom && !isDryRun)
        store.run(
          `INSERT INTO gas_use (day, principal, gas) VALUES (?1, 'granted work 8453', ?2)
           ON CONFLICT (day, principal) DO UPDATE SET gas = gas + ?2`,
          Math.floor(context.now() / (24 * hourMs)),
          result.gas,
        )
    }
  }
  throw new Error('the decision never has what it needs')
}

/** What became of the payment: refused, waiting, or accepted. */
function outcomeOf({ store }: Book, result: Result<Accepted>): unknown {
  if (!result.ok) return refusedAs(result.code, result.message, result.refusal)
  const { status, approval_id } = result.value.payment
  if (status !== 'PENDING_APPROVAL') return 'paid'
  const asked = JSON.parse(store.approval(approval_id!)!.rules) as { rule: string }[]
  return { asks: asked.map(({ rule }) => rule) }
}

function predictedBy(result: Result<PaymentCheck>): unknown {
  if (!result.ok) return refusedAs(result.code, result.message, result.refusal)
  const { refusal, allowed, approval_required, approval_rules } = result.value
  expect(allowed).toBe(refusal === null)
  if (refusal) return refusedAs(refusal.code, refusal.detail, refusal)
  return approval_required ? { asks: approval_rules } : 'paid'
}

/** The text for agents; owners read another one. */
const refusedAs = (
  code: string,
  message: string,
  { rule, max_allowed_now, max_without_asking, resets_at }: Partial<NonNullable<PaymentCheck['refusal']>> = {},
) => ({
  code,
  message,
  rule,
  max_allowed_now,
  max_without_asking,
  resets_at,
})

const pick = <T>(from: readonly T[], at: number): T => from[at % from.length]!

/** Makes a dry run and the payment, and compares what was predicted with what became of it, which is returned. */
function tryAndPay(world: World, each: Pay): unknown {
  const { context, store, agents, last } = world
  const { isUnreachable } = each
  const principal: Principal = pick(agents, each.agent)
  const terms = (each.isAgain && last.terms) || { to: pick(recipients, each.to), amount: pick(amounts, each.amount) }
  last.terms = terms
  const caller = each.isByOwner ? ({ type: 'user' } as const) : principal
  const dryRun = (gathered: Gathered) => check(context, caller, { ...terms, agentId: principal.agentId }, gathered)
  const offer = terms.to.type === 'x402' ? { accepted: { maxTimeoutSeconds: 60 } } : undefined
  const input: PayInput = { ...payInput({ principal, ...terms }), offer }
  const known = [...lookups(context)]
  // It may use up a look-up, so that is undone: the payment is decided on the same state.
  const { predicted } = store.attempt(() => {
    const made = predictedBy(decide(world, dryRun, { isDryRun: true, isUnreachable }))
    return { ok: false, predicted: made }
  })
  lookups(context).clear()
  for (const [address, found] of known) lookups(context).set(address, found)
  const outcome = outcomeOf(
    world,
    decide(world, (gathered) => accept(context, input, gathered), { isUnreachable }),
  )
  expect(predicted).toEqual(outcome)
  return outcome
}

/** The owner's answer to one of the requests that wait. */
function answerOne(
  { context, store, clock, ...world }: World,
  { do: answer, which, grants }: Extract<Step, { grants: boolean }>,
) {
  const open = store.all<ApprovalRow>("SELECT * FROM approval WHERE status = 'PENDING' AND expires_at > ?", clock.now)
  if (open.length === 0) return
  const { id, payment_id } = pick(open, which)
  const { hash } = approvalView(context, store.approval(id)!)
  // Answering also ends what is overdue, which is no part of the decision.
  store.transaction(() => endOverdue(context))
  if (answer === 'deny') return void deny(context, id, { hash, by, pauseAgent: false })
  const endsAt = clock.now + 48 * hourMs
  const grant = grants && store.payment(payment_id!)!.to_address ? { amount: microUsdc(5_000_000n), endsAt } : null
  const input = { hash, by, passwordChecked: true, grant }
  decide({ context, store, clock, ...world }, (gathered) => approvePayment(context, id, input, gathered), {
    draftId: payment_id!,
  })
}

/** A payment that waits for a signature is confirmed. */
function settleOne({ store, clock }: World, which: number) {
  const queued = store.all<PaymentRow>("SELECT * FROM payment WHERE status = 'QUEUED' AND kind <> 'payout' ORDER BY id")
  if (queued.length === 0) return
  const row = pick(queued, which)
  store.transaction(() => {
    store.update('payment', row.id, { status: 'PROCESSING' })
    settleSend(store, row, clock.now)
    store.update('payment', row.id, { status: 'CONFIRMED', confirmed_at: clock.now })
  })
}

/** The agent has as many requests waiting as it may have. */
function askOften(world: World, agent: number) {
  const { context, agents, groups } = world
  const group = groups[agent < 2 ? 0 : 1]!
  editGroup(context, group, groupEdit({ limits: { approveAbove: microUsdc(0n) }, scopes }))
  for (let i = 0; i < maxPending.agent; i++) {
    const input = payInput({ principal: pick(agents, agent), to: toAddress(100 + i) })
    decide(world, (gathered) => accept(context, input, gathered))
  }
  editGroup(context, group, groupEdit({ limits: { approveAbove: microUsdc(2_000_000n) }, scopes }))
}

function run(world: World, each: Step): unknown {
  const { context, clock, groups } = world
  clock.now += 1
  switch (each.do) {
    case 'pay':
      return tryAndPay(world, each)
    case 'wait':
      clock.now += each.ms
      return
    case 'approve':
    case 'deny':
      return answerOne(world, each)
    case 'settle':
      return settleOne(world, each.which)
    case 'edit':
      return void editGroup(context, pick(groups, each.group), groupEdit({ limits: each.rules, scopes: each.scopes }))
    case 'askOften':
      return askOften(world, each.agent)
    case 'state':
      if (world.undo) world.undo()
      world.undo = world.undo ? null : pick(states, each.which)(world)
  }
}

test('a dry run says what becomes of the payment: over all rules, kinds of payment, limits and states @check-1', () => {
  const steps = fc.array(step, { maxLength: 60, size: 'max' })
  fc.assert(
    fc.property(fc.constantFrom(...limits), rules, steps, (tight, first, steps) => {
      const world = createWorld(tight)
      for (const group of world.groups) editGroup(world.context, group, groupEdit({ limits: first, scopes }))
      for (const each of steps) run(world, each)
      world.close()
    }),
    { numRuns: cases(25) },
  )
})

const to = (recipient: Recipient, amount: number, over: Partial<Pay> = {}): Pay => ({
  do: 'pay',
  agent: 2,
  to: recipients.indexOf(recipient),
  amount: amounts.indexOf(microUsdc(BigInt(amount))),
  isAgain: false,
  isByOwner: false,
  isUnreachable: false,
  ...over,
})
const [shop, , , blockedShop] = recipients as [Recipient, Recipient, Recipient, Recipient]
const mail = recipients.find(({ type }) => type === 'email')!
const seller = recipients.find(({ type }) => type === 'x402')!
const asking = (limits: RuleEdits): Step => ({ do: 'edit', group: 1, rules: limits, scopes })
const askAll = asking({ approveAbove: microUsdc(0n) })
const times = (n: number, each: Step): Step[] => Array.from({ length: n }, () => each)
const isNewAccount = { establishedAfterPayments: 1_000, establishedAfterUsdc: 1_000 }
const inState = (of: (world: World) => () => void): Step => ({ do: 'state', which: states.indexOf(of) })
const dollar = to(shop, 1_000_000)

test.each<[code: string, Step[], tight?: Partial<Limits>]>([
  ['paid', [dollar]],
  ['asked', [askAll, dollar]],
  ['approval_denied', [askAll, dollar, { do: 'deny', which: 0, grants: false }, dollar]],
  ['paid', [askAll, dollar, { do: 'approve', which: 0, grants: true }, dollar]],
  ['approvals_full', [{ do: 'askOften', agent: 2 }, to(shop, 3_000_000)]],
  ['rate_limited', [askAll, to(shop, 900_000), to(shop, 1_000_000), to(shop, 3_000_000)], { agentApprovalsPerDay: 2 }],
  ['payment_rate_exceeded', times(4, dollar), { agentPaymentsPerSecond: slow, agentPaymentBurst: 3 }],
  [
    'rate_limited',
    [to(shop, 1_000_000), to(recipients[1]!, 1_000_000)],
    { agentLookupsPerSecond: slow, agentLookupBurst: 1 },
  ],
  ['queue_full', times(3, dollar), { agentQueued: 2 }],
  ['queue_full', times(3, to(seller, 50_000)), { openPurchases: 2 }],
  ['purchases_used_up', [inState(noPurchases), to(seller, 1_000_000)]],
  ['message_limit', times(2, to(mail, 1_000_000)), { messagesPerRecipient: 1 }],
  ['gas_allowance_exceeded', times(9, dollar), { gasPerDay: 500_000, maxGasPerDay: 500_000 }],
  ['paid', [dollar], isNewAccount],
  ['gas_allowance_exceeded', [inState(othersUsedAll), dollar], isNewAccount],
  ['unavailable', [inState(full), dollar]],
  ['payments_paused', [inState(stopped), dollar]],
  ['account_suspended', [inState(suspended), dollar]],
  ['insufficient_balance', [to(shop, 300_000_000)]],
  ['upstream_unavailable', [to(shop, 300_000_000, { isUnreachable: true })]],
  ['recipient_blocked', [to(blockedShop, 1_000_000)]],
])('a dry run predicts %s (%#) @check-2', (code, steps, tight = {}) => {
  const world = createWorld(tight)
  const outcome = steps.map((each) => run(world, each)).at(-1)
  expect(typeof outcome === 'string' ? outcome : ((outcome as { code?: string }).code ?? 'asked')).toBe(code)
  world.close()
})
