import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatUsdc, type MicroUsdc, microUsdc } from '#domain/money.ts'
import { type Period, periodAt, periods } from '#domain/policyPeriod.ts'
import type { RuleEdits } from '#domain/rules/values.ts'
import { dayMs, hourMs } from '#domain/time.ts'
import type { Recipient } from '#schemas/paymentTerms.ts'
import { unwrap } from '../../worker/result.ts'
import type { Principal } from '../../worker/treasury/core/rpcTypes.ts'
import { rulesOf } from '../../worker/treasury/core/storage/groupPolicy.ts'
import type { AgentRow, GroupRow, PaymentRow } from '../../worker/treasury/core/storage/rows.ts'
import { verifyAudit } from '../../worker/treasury/ledger/audit.ts'
import {
  release,
  settleFunding,
  settleReclaimed,
  settleSend,
  settleWithdrawn,
} from '../../worker/treasury/ledger/ledger.ts'
import { cancelPayment } from '../../worker/treasury/payments/cancel.ts'
import { check } from '../../worker/treasury/payments/check.ts'
import { credentialRefusal } from '../../worker/treasury/policies/agentGate.ts'
import { budgetView } from '../../worker/treasury/policies/budgets.ts'
import type { GroupEdit } from '../../worker/treasury/policies/rpcTypes.ts'
import { agentView, groupView } from '../../worker/treasury/policies/views.ts'
import { deleteAgent, replaceCredential } from '../../worker/treasury/reports/changes/agents.ts'
import { deleteGroup, editGroup, topUp } from '../../worker/treasury/reports/changes/groups.ts'
import { setPaused } from '../../worker/treasury/reports/changes/pausing.ts'
import { type Book, createBook } from '../support/book.ts'
import {
  agentPrincipal,
  allScopes,
  gatheredFor,
  groupEdit,
  owner,
  payInput,
  toAddress,
  toEmail,
  usdc,
} from '../support/build.ts'
import type { MemoryTreasury } from '../support/memoryTreasury.ts'
import { patient } from '../support/patience.ts'

/**
 * Compares the Treasury's real tables and code with a plain list of payments. Whatever is paid, topped up, edited,
 * paused, deleted, confirmed, failed or taken back, and however time passes, no accepted payment exceeds a limit in
 * force at that moment, and every figure is the sum of its payments.
 */
type Model = { id: string; agent: string; group: string; amount: bigint; at: number; payout: boolean; status: string }
const open = (entry: Model) => ['QUEUED', 'PROCESSING', 'PENDING'].includes(entry.status)
const live = (entry: Model) => open(entry) || entry.status === 'CONFIRMED'
const total = (entries: Model[]) => entries.reduce((sum, entry) => sum + entry.amount, 0n)

/** Number of random sequences, new ones in each run. `npm run test:long fuzz-budgets` tries more. */
const sequences = Number(process.env.FUZZ_SEQUENCES ?? 40)

const shop = toAddress(0xd)

type World = {
  book: Book
  groups: string[]
  agents: { group: string; principal: ReturnType<Book['addAgent']> }[]
  payments: Model[]
}

/** A book with one agent. */
function createAgentBook(over: Parameters<Book['addGroup']>[0] = {}) {
  const book = createBook()
  const group = book.addGroup(over)
  return { book, group, principal: book.addAgent(group) }
}

/** Edits the group, changing only these fields. */
const edit = (book: Pick<Book, 'context'>, group: string, over: Partial<GroupEdit>) =>
  editGroup(book.context, group, groupEdit(over))

function pay(book: Book, principal: Principal, to: Recipient, amount: MicroUsdc, key = `key-${Math.random()}`) {
  const result = book.pay({ principal, key, to, amount })
  if ('need' in result) throw new Error(`needs ${result.need}`)
  if (result.ok && !result.value.replayed) {
    // The result is not read back from the tables, so it must equal what was written.
    const { payment, accepted } = result.value
    const { group } = accepted!
    expect(payment).toEqual(book.store.payment(payment.id))
    expect(budgetView(group)).toEqual(budgetView(group && book.store.group(group.id)))
  }
  return result
}

function dryRun(book: Book, principal: Principal, to: Recipient, amount: MicroUsdc) {
  const result = check(book.context, principal, { to, amount }, gatheredFor(payInput({ to, amount }), { unused: null }))
  if ('need' in result) throw new Error(`needs ${result.need}`)
  return result
}

/** Like scan.ts and settle.ts, changes the guarded status and the ledger in one transaction. */
function move({ store }: MemoryTreasury, id: string, from: string, to: string, work: (row: PaymentRow) => void) {
  store.transaction(() => {
    const row = store.payment(id)!
    expect(row.status).toBe(from)
    store.run('UPDATE payment SET status = ?, sig_version = 1 WHERE id = ?', to, id)
    work(row)
  })
}

function figuresAddUp({ book, groups, payments }: World) {
  const { store, context, clock } = book
  for (const id of groups) {
    const row = store.first<GroupRow>('SELECT * FROM policy_group WHERE id = ?', id)!
    const own = payments.filter((entry) => entry.group === id)
    const held = total(own.filter(open))
    const spent = total(own.filter((entry) => entry.status === 'CONFIRMED'))
    expect([BigInt(row.held), BigInt(row.spent)], 'held and spent of a group').toEqual([held, spent])
    expect(BigInt(row.unclaimed), 'unclaimed').toBe(total(own.filter((entry) => entry.payout && open(entry))))
    const agents = store.all<AgentRow>('SELECT * FROM agent WHERE group_id = ?', id)
    for (const agent of agents) {
      const theirs = own.filter((entry) => entry.agent === agent.id)
      expect([BigInt(agent.held), BigInt(agent.spent)], 'held and spent of an agent').toEqual([
        total(theirs.filter(open)),
        total(theirs.filter((entry) => entry.status === 'CONFIRMED')),
      ])
    }
    if (row.spend_limit !== null) expect(spent + held, 'I3').toBeLessThanOrEqual(BigInt(row.spend_limit))
    if (row.deleted_at !== null) continue

    const view = groupView(context, row)
    if (view.spendLimitUsdc !== null)
      expect(usdc(view.currentSpent) + usdc(view.held) + usdc(view.remaining!)).toBe(usdc(view.spendLimitUsdc))
    if (view.periodBudget) {
      const { period, used, limit, remaining } = view.periodBudget
      const { startAt, endAt } = periodAt(period, clock.now)
      expect([Date.parse(view.periodBudget.startsAt), Date.parse(view.periodBudget.resetsAt)]).toEqual([startAt, endAt])
      expect(usdc(used), 'reserved in this period and not released').toBe(
        total(own.filter((entry) => live(entry) && entry.at >= startAt)),
      )
      if (usdc(used) <= usdc(limit)) expect(usdc(used) + usdc(remaining)).toBe(usdc(limit))
      else expect(remaining).toBe('0')
    }
    const shownAgents = agents.filter(({ deleted_at }) => deleted_at === null).map((agent) => agentView(context, agent))
    const sum = (what: 'totalSpent' | 'held', former: 'spent' | 'held') =>
      shownAgents.reduce((so, agent) => so + usdc(agent[what]), 0n as bigint) + usdc(view.formerAgents[former])
    expect(formatUsdc(sum('totalSpent', 'spent')), 'agents add up to their group').toBe(view.currentSpent)
    expect(formatUsdc(sum('held', 'held'))).toBe(view.held)
  }
  const wallet = store.wallet('wal')!
  const session = store.session('wal')!
  const left = total(payments.filter((entry) => entry.status === 'CONFIRMED' || entry.status === 'PENDING'))
  const back = total(payments.filter((entry) => entry.status === 'CANCELLED' && entry.payout))
  const onTheWay = total(payments.filter((entry) => ['QUEUED', 'PROCESSING'].includes(entry.status)))
  expect([BigInt(wallet.held), BigInt(wallet.out)], 'wallet').toEqual([onTheWay, left + back])
  expect([BigInt(session.held), BigInt(session.used)], 'session').toEqual([onTheWay, left + back])
}

/** Checks the payment that was just accepted against each limit in force at that moment. */
function withinLimits(group: GroupRow, payments: Model[], made: Model) {
  const own = payments.filter((entry) => entry.group === group.id)
  if (group.spend_limit !== null) expect(total(own.filter(live))).toBeLessThanOrEqual(BigInt(group.spend_limit))
  const { maxPayment, periodBudget, maxUnclaimed } = rulesOf(group)
  if (maxPayment !== null) expect(made.amount).toBeLessThanOrEqual(maxPayment)
  if (periodBudget !== null) {
    const { startAt } = periodAt(periodBudget.period, made.at)
    expect(total(own.filter((entry) => live(entry) && entry.at >= startAt))).toBeLessThanOrEqual(periodBudget.limit)
  }
  if (made.payout && maxUnclaimed !== null)
    expect(total(own.filter((entry) => entry.payout && open(entry)))).toBeLessThanOrEqual(maxUnclaimed)
}

const amount = fc.bigInt({ min: 1n, max: 30_000_000n }).map(microUsdc)
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const limitsOf = fc.record({
  maxPayment: maybe(fc.option(amount)),
  maxUnclaimed: maybe(fc.option(amount)),
  periodBudget: maybe(fc.option(fc.record({ period: fc.constantFrom<Period>(...periods), limit: amount }))),
})
const pick = fc.nat({ max: 999 })
type Step =
  | { do: 'pay'; agent: number; payout: boolean; amount: MicroUsdc; most: boolean }
  | { do: 'settle'; payment: number; how: number }
  | { do: 'cancel'; payment: number }
  | { do: 'topUp'; group: number; amount: MicroUsdc }
  | { do: 'edit'; group: number; limit: MicroUsdc | null | undefined; limits: RuleEdits }
  | { do: 'wait'; hours: number }
  | { do: 'pause'; what: 'agent' | 'group' | 'wallet' | 'account'; which: number; paused: boolean }
  | { do: 'deleteAgent'; agent: number }
  | { do: 'deleteGroup'; group: number }
const kind = <T extends Step['do']>(name: T) => ({ do: fc.constant(name) })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ ...kind('pay'), agent: pick, payout: fc.boolean(), amount, most: fc.boolean() }),
  },
  { weight: 8, arbitrary: fc.record({ ...kind('settle'), payment: pick, how: pick }) },
  { weight: 2, arbitrary: fc.record({ ...kind('cancel'), payment: pick }) },
  { weight: 2, arbitrary: fc.record({ ...kind('topUp'), group: pick, amount }) },
  {
    weight: 3,
    arbitrary: fc.record({ ...kind('edit'), group: pick, limit: maybe(fc.option(amount)), limits: limitsOf }),
  },
  { weight: 3, arbitrary: fc.record({ ...kind('wait'), hours: fc.constantFrom(0.01, 5, 12, 24, 80, 300, 800) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      ...kind('pause'),
      what: fc.constantFrom('agent', 'group', 'wallet', 'account' as const),
      which: pick,
      paused: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ ...kind('deleteAgent'), agent: pick }) },
  { weight: 1, arbitrary: fc.record({ ...kind('deleteGroup'), group: pick }) },
) as fc.Arbitrary<Step>

/** The possible next states of a payment, by its current state. */
const nextStates: Record<string, (payout: boolean) => string[]> = {
  QUEUED: () => ['PROCESSING', 'FAILED'],
  PROCESSING: (payout) => [payout ? 'PENDING' : 'CONFIRMED', 'FAILED'],
  PENDING: () => ['CONFIRMED', 'CANCELLED'],
}

function settle(book: Book, entry: Model, how: number) {
  const next = nextStates[entry.status]?.(entry.payout)[how % 2]
  if (!next) return
  const { store, clock } = book
  move(book, entry.id, entry.status, next, (row) => {
    if (next === 'FAILED') release(store, row, clock.now)
    else if (next === 'PENDING') settleFunding(store, row)
    else if (next === 'CANCELLED') settleReclaimed(store, row, clock.now)
    else if (next === 'CONFIRMED' && entry.payout) settleWithdrawn(store, row, clock.now)
    else if (next === 'CONFIRMED') settleSend(store, row, clock.now)
  })
  entry.status = next
}

function run({ book, groups, agents, payments }: World, each: Step) {
  const { context, store, clock } = book
  const groupAt = (index: number) => groups[index % groups.length]!
  /** Updates the model with payments that the code ended itself; only queued ones may be. */
  const ended = (how: string) => {
    for (const entry of payments) {
      const status = store.payment(entry.id)!.status
      if (status === entry.status) continue
      expect([entry.status, status]).toEqual(['QUEUED', how])
      entry.status = status
    }
  }
  switch (each.do) {
    case 'pay': {
      const { group, principal } = agents[each.agent % agents.length]!
      const to = each.payout ? toEmail() : shop
      const before = book.dump()
      const checked = dryRun(book, principal, to, each.amount)
      expect(book.dump(), 'a check writes nothing').toBe(before)
      const most = checked.ok ? usdc(checked.value.max_allowed_now) : microUsdc(0n)
      const wanted = each.most && most > 0n ? most : each.amount
      const prediction = dryRun(book, principal, to, wanted)
      const inForce = store.first<GroupRow>('SELECT * FROM policy_group WHERE id = ?', group)!
      const paid = pay(book, principal, to, wanted)
      expect(prediction.ok ? prediction.value.allowed : false, 'the check predicts the payment').toBe(paid.ok)
      if (prediction.ok && !paid.ok) expect(prediction.value.refusal?.code).toBe(paid.code)
      if (wanted === most) expect(paid.ok, 'the most allowed is allowed').toBe(true)
      if (!paid.ok) return
      const entry = {
        id: paid.value.payment.id,
        agent: principal.agentId,
        group,
        amount: wanted as bigint,
        at: clock.now,
        payout: each.payout,
        status: 'QUEUED',
      }
      payments.push(entry)
      withinLimits(inForce, payments, entry)
      return
    }
    case 'settle': {
      const entry = payments[each.payment % payments.length]
      if (entry) settle(book, entry, each.how)
      return
    }
    case 'cancel': {
      const entry = payments[each.payment % payments.length]
      if (!entry) return
      const queued = entry.status === 'QUEUED'
      const result = cancelPayment(context, owner, entry.id)
      if (queued) expect(result.ok).toBe(true)
      ended('CANCELLED')
      // Removed: in the model a CANCELLED payout has returned its money, but this one was never funded.
      if (queued) payments.splice(payments.indexOf(entry), 1)
      return
    }
    case 'topUp':
      topUp(context, groupAt(each.group), each.amount, null)
      return
    case 'edit': {
      const id = groupAt(each.group)
      const group = store.group(id)
      const result = edit(book, id, { spendLimit: each.limit, limits: each.limits })
      if (!group) expect(result.ok).toBe(false)
      else if (each.limit != null && each.limit < BigInt(group.spent + group.held))
        expect(result).toMatchObject({ ok: false, field: 'spendLimit' })
      else expect(result.ok).toBe(true)
      return
    }
    case 'wait':
      clock.now += Math.round(each.hours * hourMs)
      return
    case 'pause': {
      const id = {
        agent: agents[each.which % agents.length]!.principal.agentId,
        group: groupAt(each.which),
        wallet: 'wal',
      }
      const subject = each.what === 'account' ? { kind: each.what } : { kind: each.what, id: id[each.what] }
      setPaused(context, subject as Parameters<typeof setPaused>[1], each.paused)
      ended('FAILED')
      return
    }
    case 'deleteAgent':
      deleteAgent(context, agents[each.agent % agents.length]!.principal.agentId)
      ended('FAILED')
      return
    case 'deleteGroup':
      // The first group stays, so that later steps still have an effect.
      if (each.group % groups.length > 0) deleteGroup(context, groupAt(each.group))
      ended('FAILED')
  }
}

describe('I3 with every limit', () => {
  test(
    'no sequence of events exceeds a limit in force, and figures always add up @budgets-1',
    () => {
      fc.assert(
        fc.property(
          fc.option(amount),
          limitsOf,
          fc.array(step, { minLength: 1, maxLength: 60, size: 'max' }),
          (limit, limits, steps) => {
            const book = createBook()
            try {
              const groups = [{ spendLimit: limit, limits }, { spendLimit: usdc('20') }].map(book.addGroup)
              const [first, second] = groups as [string, string]
              const agents = [first, first, second].map((group) => ({ group, principal: book.addAgent(group) }))
              const world: World = { book, groups, agents, payments: [] }
              for (const each of steps) {
                run(world, each)
                figuresAddUp(world)
              }
              expect(verifyAudit(book.store).brokenAt).toBe(null)
            } finally {
              book.close()
            }
          },
        ),
        { numRuns: sequences },
      )
    },
    patient(120_000 + sequences * 1_000),
  )
})

describe('a period budget', () => {
  const daily = (limit: string) => ({ periodBudget: { period: 'day' as const, limit: usdc(limit) } })

  test('a failed payment returns its amount to the period in which it was reserved, not to the next @budgets-2', () => {
    const { book, group, principal } = createAgentBook({ limits: daily('10') })
    const paid = unwrap(pay(book, principal, shop, usdc('10')))
    expect(pay(book, principal, shop, usdc('0.000001'))).toMatchObject({
      ok: false,
      code: 'budget_exceeded',
      refusal: { rule: 'group.budget_per_day', resets_at: '2026-11-21T00:00:00.000Z', max_allowed_now: '0' },
    })
    book.clock.now = Date.UTC(2026, 10, 21)
    unwrap(pay(book, principal, shop, usdc('10')))
    move(book, paid.payment.id, 'QUEUED', 'FAILED', (row) => release(book.store, row, book.clock.now))
    expect(pay(book, principal, shop, usdc('0.000001')), 'today stays full').toMatchObject({ ok: false })
    expect(groupView(book.context, book.store.group(group)!)).toMatchObject({
      held: '10',
      periodBudget: { used: '10' },
    })
  })

  test('after the clock went back across a period boundary, a failed payment frees its amount exactly once @budgets-3', () => {
    const { book, group, principal } = createAgentBook()
    const midnight = Date.UTC(2026, 10, 21)
    book.clock.now = midnight + 1
    const early = unwrap(pay(book, principal, shop, usdc('10')))
    book.clock.now = midnight - 1
    unwrap(edit(book, group, { limits: daily('20') }))
    book.clock.now = midnight + 2
    unwrap(pay(book, principal, shop, usdc('3')))
    const used = () => groupView(book.context, book.store.group(group)!).periodBudget?.used
    expect(used(), 'both were reserved in this day').toBe('13')
    move(book, early.payment.id, 'QUEUED', 'FAILED', (row) => release(book.store, row, book.clock.now))
    expect(used()).toBe('3')
  })

  test('after a change of the period’s kind, the new period counts payments made before the change @budgets-4', () => {
    const { book, group, principal } = createAgentBook()
    book.clock.now = Date.UTC(2026, 10, 19, 12) // Thursday
    unwrap(pay(book, principal, shop, usdc('3')))
    book.clock.now = Date.UTC(2026, 10, 20, 12)
    unwrap(pay(book, principal, shop, usdc('4')))
    const per = (period: Period) =>
      unwrap(edit(book, group, { limits: { periodBudget: { period, limit: usdc('7') } } })).periodBudget
    expect(per('day')).toMatchObject({ used: '4', remaining: '3' })
    expect(per('week')).toMatchObject({ used: '7', remaining: '0', startsAt: '2026-11-16T00:00:00.000Z' })
    expect(per('month')).toMatchObject({ used: '7', resetsAt: '2026-12-01T00:00:00.000Z' })
  })
})

test('a full account accepts no payment, group, contact or agent, but settles open payments and allows lower limits', () => {
  const { book, group, principal } = createAgentBook({ spendLimit: usdc('50') })
  const paid = unwrap(pay(book, principal, shop, usdc('10')))
  book.size(8_000_000_001)
  const full = /This account is full/
  expect(pay(book, principal, shop, usdc('1'))).toMatchObject({ ok: false, code: 'unavailable' })
  expect(() => book.addGroup({ spendLimit: usdc('5') })).toThrow(full)
  expect(() => book.addAgent(group)).toThrow(full)
  const contact = { id: 'contact_1', name: 'Ada', address: shop.address, email: null, phone: null }
  expect(() => unwrap(edit(book, group, { contactIds: [contact.id], contacts: [contact] }))).toThrow(full)
  expect(edit(book, group, { spendLimit: usdc('20') })).toMatchObject({ ok: true, value: { spendLimitUsdc: '20' } })
  move(book, paid.payment.id, 'QUEUED', 'FAILED', (row) => release(book.store, row, book.clock.now))
  expect(groupView(book.context, book.store.group(group)!)).toMatchObject({ held: '0' })
  book.size(0)
  unwrap(pay(book, principal, shop, usdc('1')))
})

test('every decision is in the audit log with its figures and policy version @budgets-5', () => {
  const { book, group, principal } = createAgentBook({ spendLimit: usdc('5'), limits: { maxPayment: usdc('4') } })
  const paid = unwrap(pay(book, principal, shop, usdc('3')))
  unwrap(topUp(book.context, group, usdc('1'), null))
  expect(pay(book, principal, shop, usdc('4')).ok).toBe(false)
  const logged = book.store
    .all<{ event: string; data: string }>("SELECT event, data FROM audit WHERE event LIKE 'payment.%' ORDER BY seq")
    .map(({ event, data }) => ({ event, ...JSON.parse(data) }))
  expect(logged).toMatchObject([
    {
      event: 'payment.accepted',
      by: principal.agentId,
      amount: '3',
      group,
      policyVersion: 1,
      spent: '0',
      held: '0',
      limit: '5',
    },
    {
      event: 'payment.refused',
      by: principal.agentId,
      amount: '4',
      rule: 'group.budget',
      policyVersion: 2,
      held: '3',
      limit: '6',
    },
  ])
  expect(book.store.payment(paid.payment.id)!.policy_version).toBe(1)
  const versions = book.store.all<{ data: string }>("SELECT data FROM audit WHERE event LIKE 'group.%' ORDER BY seq")
  expect(versions.map(({ data }) => JSON.parse(data))).toMatchObject([
    {
      policyVersion: 1,
      limit: '5',
      maxPayment: '4',
      scopes: expect.arrayContaining(allScopes),
    },
    { policyVersion: 2, limit: '6' },
  ])
})

test('an agent’s view shows its own figures and the remaining budget of its group', () => {
  const book = createBook()
  const group = book.addGroup({ spendLimit: usdc('10') })
  const [a, b] = [book.addAgent(group), book.addAgent(group)]
  const paid = unwrap(pay(book, a, shop, usdc('3')))
  unwrap(pay(book, b, toEmail(), usdc('2')))
  move(book, paid.payment.id, 'QUEUED', 'PROCESSING', () => {})
  move(book, paid.payment.id, 'PROCESSING', 'CONFIRMED', (row) => settleSend(book.store, row, book.clock.now))
  const view = (id: string) => agentView(book.context, book.store.agent(id)!)
  expect(view(a.agentId)).toMatchObject({ totalSpent: '3', held: '0', remaining: '5', transactionCount: 1 })
  expect(view(b.agentId)).toMatchObject({ totalSpent: '0', held: '2', remaining: '5' })
})

describe('credentials and pauses, by the Treasury’s own clock', () => {
  const unauthenticated = { ok: false, code: 'unauthenticated' }

  test('a replaced credential works until the last millisecond of its 24 hours, even after a second renewal @budgets-6', () => {
    const { book, principal } = createAgentBook()
    const id = principal.agentId
    const ends = book.clock.now + dayMs
    const renew = (hash: string, endsAt: number) =>
      unwrap(replaceCredential(book.context, id, { kind: 'api_key', hash, endsAt }))
    renew('second', ends)
    book.clock.now += 1_000
    renew('third', ends + 1_000)
    const works = (credentialHash: string) => credentialRefusal(book.context, { ...principal, credentialHash }) === null
    const hashes = [`k${id}`, 'second', 'third', `s${id}`]
    book.clock.now = ends - 1
    expect(hashes.map(works)).toEqual([true, true, true, true])
    book.clock.now = ends
    expect(hashes.map(works), 'the secret is another credential').toEqual([false, true, true, true])
    expect(pay(book, principal, shop, usdc('1'))).toMatchObject(unauthenticated)
    renew('fourth', book.clock.now)
    expect([...hashes, 'fourth'].map(works)).toEqual([false, false, false, true, true])
  })

  test('a caller without valid credentials learns nothing about earlier payments', () => {
    const { book, principal } = createAgentBook()
    const again = () => pay(book, principal, shop, usdc('1'), 'one key')
    const paid = unwrap(again())
    expect(unwrap(again())).toMatchObject({ replayed: true, payment: { id: paid.payment.id } })
    unwrap(setPaused(book.context, { kind: 'agent', id: principal.agentId }, true))
    expect(again()).toMatchObject({ ok: false, code: 'agent_disabled' })
    unwrap(setPaused(book.context, { kind: 'agent', id: principal.agentId }, false))
    expect(unwrap(again())).toMatchObject({ replayed: true, payment: { id: paid.payment.id } })
    unwrap(deleteAgent(book.context, principal.agentId))
    expect(again()).toMatchObject(unauthenticated)
  })

  test('a pause fails queued payments with its reason, releases them once, and does not touch signed payments @budgets-7', () => {
    const { book, group, principal } = createAgentBook({ spendLimit: usdc('10') })
    const signed = unwrap(pay(book, principal, shop, usdc('1')))
    move(book, signed.payment.id, 'QUEUED', 'PROCESSING', () => {})
    const queued = unwrap(pay(book, principal, toEmail(), usdc('2')))
    const pause = () => unwrap(setPaused(book.context, { kind: 'agent', id: principal.agentId }, true)).stoppedPayments
    expect([pause(), pause()]).toEqual([1, 0])
    expect(book.store.payment(queued.payment.id)).toMatchObject({ status: 'FAILED', error_code: 'agent_paused' })
    expect(book.store.payout(queued.payment.id)).toMatchObject({ status: 'FAILED' })
    expect(book.store.payment(signed.payment.id)).toMatchObject({ status: 'PROCESSING' })
    expect(cancelPayment(book.context, owner, signed.payment.id)).toMatchObject({
      ok: false,
      code: 'conflict',
    })
    expect(groupView(book.context, book.store.group(group)!)).toMatchObject({
      held: '1',
      remaining: '9',
      unclaimed: '0',
    })
  })

  test('cancelling a payment twice releases it once, and an agent does not find another agent’s payment @budgets-8', () => {
    const { book, group, principal } = createAgentBook({ spendLimit: usdc('10') })
    const paid = unwrap(pay(book, principal, shop, usdc('4')))
    const cancel = (agent: string) => cancelPayment(book.context, agentPrincipal(agent), paid.payment.id)
    expect(cancel('agt_other')).toMatchObject({ ok: false, code: 'not_found' })
    for (let i = 0; i < 2; i++)
      expect(cancel(principal.agentId)).toMatchObject({ ok: true, value: { status: 'CANCELLED' } })
    expect(groupView(book.context, book.store.group(group)!)).toMatchObject({ held: '0', remaining: '10' })
  })
})
