import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type MicroUsdc, microUsdc } from '#domain/money.ts'
import { type PastDecision, type Replayed, replayInSteps } from '#domain/replay.ts'
import { parseRules, type RuleEdits } from '#domain/rules/values.ts'
import { dayMs, hourMs } from '#domain/time.ts'
import type { DecisionCursor } from '../../worker/history/api.ts'
import { unwrap } from '../../worker/result.ts'
import { release } from '../../worker/treasury/ledger/ledger.ts'
import { recordChange } from '../../worker/treasury/outbox/changes.ts'
import { createApprovalBook } from '../support/approvalBook.ts'
import { toAddress } from '../support/build.ts'
import { leastCpuMs } from '../support/leastCpu.ts'
import { createMemoryHistory } from '../support/memoryHistory.ts'
import { policiesOf, replay } from '../support/replay.ts'

/** Replaying decisions of a real Treasury, as its History has them. */
const amount = fc.bigInt({ min: 1n, max: 3_000_000n }).map(microUsdc)
const limit = fc.bigInt({ min: 1n, max: 9_000_000n }).map(microUsdc)
const either = fc.constantFrom('refuse' as const, 'ask' as const)
const week = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const rules = {
  maxPayment: fc.option(limit),
  rollingBudget: fc.option(fc.record({ hours: fc.integer({ min: 1, max: 48 }), limit })),
  maxPayments: fc.option(
    fc.record({
      per: fc.constantFrom('hour', 'day', 'week', 'month'),
      count: fc.integer({ min: 1, max: 6 }),
      whenExceeded: either,
    }),
  ),
  perRecipient: fc.option(fc.record({ period: fc.constantFrom('day', 'week', 'month'), limit, whenExceeded: either })),
  periodBudget: fc.option(fc.record({ period: fc.constantFrom('day', 'week', 'month'), limit })),
  hours: fc.option(
    fc.record({
      zone: fc.constantFrom('UTC', 'Europe/Berlin'),
      days: fc.subarray(week, { minLength: 3 }),
      from: fc.constant('06:00'),
      to: fc.constant('20:00'),
      whenExceeded: either,
    }),
  ),
  approveAbove: fc.option(limit),
  duplicateMinutes: fc.constantFrom(0, 60),
}
const aboutNew = {
  approveNewRecipient: fc.boolean(),
  maxNewRecipients: fc.option(
    fc.record({
      per: fc.constantFrom('day', 'week', 'month'),
      count: fc.integer({ min: 1, max: 2 }),
      whenExceeded: either,
    }),
  ),
}
const allLimits = fc.record({ ...rules, ...aboutNew }, { requiredKeys: [] }) as fc.Arbitrary<RuleEdits>

type Step =
  | { do: 'pay'; amount: MicroUsdc; to: number }
  | { do: 'fail'; which: number }
  | { do: 'approve'; which: number }
  | { do: 'wait'; ms: number }
  | { do: 'edit'; limits: RuleEdits }
const pay = fc.record({ do: fc.constant('pay' as const), amount, to: fc.integer({ min: 1, max: 3 }) })
const wait = fc.record({ do: fc.constant('wait' as const), ms: fc.nat({ max: 20 * hourMs }) })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: pay },
  { weight: 3, arbitrary: wait },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fail' as const), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('approve' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('edit' as const), limits: allLimits }) },
)

function createReplayBook(limits: RuleEdits) {
  const book = createApprovalBook(limits, null)
  const history = createMemoryHistory(book)
  const agent = book.addAgent()
  const { store, clock, context } = book
  clock.now = Date.UTC(2026, 10, 20, 12)
  const run = (each: Step) => {
    clock.now += 1
    if (each.do === 'wait') clock.now += each.ms
    if (each.do === 'edit') unwrap(book.edit(each.limits))
    if (each.do === 'pay') book.ask(agent, toAddress(each.to), each.amount)
    if (each.do === 'approve') {
      const open = store.all<{ id: string }>(
        "SELECT id FROM approval WHERE status = 'PENDING' AND expires_at > ?",
        clock.now,
      )
      if (open.length > 0) book.approve(open[each.which % open.length]!.id)
    }
    if (each.do !== 'fail') return
    const held = book.payments().filter(({ status }) => status === 'QUEUED')
    const failed = held[each.which % Math.max(1, held.length)]
    if (!failed) return
    store.transaction(() => {
      release(store, failed, clock.now)
      store.run("UPDATE payment SET status = 'FAILED' WHERE id = ?", failed.id)
      recordChange(context, failed.id)
    })
  }
  const decisions = (): PastDecision[] => history.follow().decisions(book.groupId, 0, null, 10_000).toReversed()
  const close = () => {
    history.close()
    book.close()
  }
  return { ...book, run, decisions, history, close }
}

/** A payment is requested under rules that do not count it, and approved under rules that do. */
const approvedAfterEdit: [RuleEdits, Step[]] = [
  { perRecipient: { period: 'day', limit: microUsdc(1n), whenExceeded: 'ask' } },
  [
    { do: 'pay', amount: microUsdc(2n), to: 1 },
    { do: 'edit', limits: { maxNewRecipients: { per: 'day', count: 1, whenExceeded: 'refuse' } } },
    { do: 'approve', which: 0 },
    { do: 'pay', amount: microUsdc(1n), to: 2 },
  ],
]

test('each decision replayed under its own version changes nothing @rules-30', () => {
  fc.assert(
    fc.property(allLimits, fc.array(step, { maxLength: 40 }), (limits, steps) => {
      const book = createReplayBook(limits)
      try {
        for (const each of steps) book.run(each)
        const replayed = replay(book.decisions(), policiesOf(book.store, book.groupId))
        expect(replayed.filter(({ decision, outcome }) => decision.outcome !== outcome)).toEqual([])
        for (const { decision, outcome, rule } of replayed)
          if (outcome === 'refused') expect(rule).toBe(decision.rules[0])
      } finally {
        book.close()
      }
    }),
    { numRuns: Number(process.env.FUZZ_SEQUENCES ?? 60), examples: [approvedAfterEdit] },
  )
})

test('a replay of other rules equals a fresh Treasury with those rules that is fed the same calls @rules-31', () => {
  const calls = fc.array(fc.oneof({ weight: 4, arbitrary: pay }, { weight: 1, arbitrary: wait }), { maxLength: 40 })
  fc.assert(
    fc.property(allLimits, allLimits, calls, (limits, candidate, steps) => {
      const [book, fresh] = [createReplayBook(limits), createReplayBook(candidate)]
      try {
        for (const each of steps) {
          book.run(each)
          fresh.run(each)
        }
        const current = parseRules(fresh.store.group(fresh.groupId)!.rules).values
        const scopes = JSON.parse(fresh.store.group(fresh.groupId)!.scopes) as string[]
        const replayed = replay(book.decisions(), () => ({ rules: current, scopes }))
        // An agent that asks the same again, or in a loop, is refused before it is recorded.
        const recorded = new Map(fresh.decisions().map((decision) => [decision.at, decision.outcome]))
        for (const { decision, outcome } of replayed)
          if (recorded.has(decision.at)) expect(outcome).toBe(recorded.get(decision.at))
      } finally {
        book.close()
        fresh.close()
      }
    }),
    { numRuns: Number(process.env.FUZZ_SEQUENCES ?? 60) },
  )
})

test('10,000 decisions are replayed under six rules within a second of CPU time @rules-32', () => {
  const book = createReplayBook({})
  book.run({ do: 'pay', amount: microUsdc(1_000_000n), to: 1 })
  const [one] = book.decisions()
  const many = Array.from({ length: 10_000 }, (_, i) => {
    const at = one!.at + i * 60_000
    return { ...one!, id: `pay_${i}`, at, acceptedAt: at, n: i, address: toAddress(i % 500).address }
  })
  const policy = {
    rules: {
      ...parseRules(
        JSON.stringify({
          rollingBudget: { hours: 24, limit: '500' },
          maxPayments: { per: 'day', count: 700, whenExceeded: 'ask' },
          perRecipient: { period: 'day', limit: '2', whenExceeded: 'refuse' },
          hours: { zone: 'Europe/Berlin', days: week, from: '06:00', to: '20:00', whenExceeded: 'ask' },
          approveAbove: '5',
          duplicateMinutes: 60,
        }),
      ).values,
    },
    scopes: ['address_payments:write'],
  }
  let replayed: Replayed[] = []
  const ms = leastCpuMs(() => {
    replayed = replay(many, () => policy)
  })
  expect(replayed.some(({ outcome }) => outcome === 'refused')).toBe(true)
  expect(ms).toBeLessThan(1_000)
  book.close()
})

test('the work of a replay grows with the number of decisions, and each of its steps is short @safety-2', () => {
  const book = createReplayBook({})
  book.run({ do: 'pay', amount: microUsdc(1_000_000n), to: 1 })
  const [one] = book.decisions()
  book.close()
  let reads = 0
  const counted: PastDecision = {
    ...one!,
    get address() {
      reads += 1
      return one!.address
    },
  }
  const policy = {
    rules: parseRules(JSON.stringify({ duplicateMinutes: 10_080 })).values,
    scopes: ['address_payments:write'],
  }
  // None is a duplicate, so all earlier ones would have to be looked at.
  const readsFor = (many: number) => {
    const decisions = Array.from({ length: many }, (_, i) =>
      Object.defineProperties({} as PastDecision, {
        ...Object.getOwnPropertyDescriptors(counted),
        at: { value: one!.at + i },
        n: { value: i },
        amount: { value: 1_000 + i },
      }),
    )
    reads = 0
    const steps = replayInSteps(decisions, () => policy)
    let inStep = 0
    for (let done = false; !done; ) {
      const before = reads
      done = steps.next().done ?? false
      inStep = Math.max(inStep, reads - before)
    }
    return { all: reads, inStep }
  }
  const [few, many] = [readsFor(500), readsFor(4_000)]
  expect(many.all).toBeLessThan(few.all * 9)
  expect(many.inStep).toBeLessThan(100 * 20)
})

test('a call of a replay does not grow with the decisions of its group @rules-34', () => {
  const book = createReplayBook({})
  book.run({ do: 'pay', amount: microUsdc(1_000_000n), to: 1 })
  const [one] = book.decisions()
  const add = (groupId: string, many: number) =>
    book.history.all(
      `INSERT INTO decision (id, group_id, agent_id, at, n, chain, recipient, answer, rules, amount, body)
       WITH RECURSIVE row (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM row WHERE i < ${many})
       SELECT '${groupId}' || i, '${groupId}', agent_id, at - i * 1000, i, chain, recipient, answer, rules, amount, body
       FROM decision, row WHERE id = '${one!.id}'`,
    )
  const [few, many] = [1_000, 100_000]
  add('few', few)
  add('many', many)
  const rows = book.history.follow()
  const pageAt = (groupId: string, skipped: number) =>
    leastCpuMs(() => {
      const place: DecisionCursor = { at: one!.at - skipped * 1000, n: skipped }
      for (let i = 0; i < 10; i++) expect(rows.decisions(groupId, one!.at - 31 * dayMs, place, 500)).toHaveLength(500)
    })
  const inSmall = pageAt('few', few / 2)
  for (const skipped of [0, many / 2, many - 500])
    expect(pageAt('many', skipped), `ten pages after ${skipped} decisions, in ms`).toBeLessThan(10 * inSmall)
  book.close()
})
