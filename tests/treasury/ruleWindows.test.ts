import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type MicroUsdc, microUsdc } from '#domain/money.ts'
import type { RuleEdits } from '#domain/rules/values.ts'
import { dayMs, hourMs } from '#domain/time.ts'
import { unwrap } from '../../worker/result.ts'
import { rulesOf } from '../../worker/treasury/core/storage/groupPolicy.ts'
import { release } from '../../worker/treasury/ledger/ledger.ts'
import { readWindows, rebuildWindows } from '../../worker/treasury/ledger/windows.ts'
import { groupView } from '../../worker/treasury/policies/views.ts'
import { createApprovalBook } from '../support/approvalBook.ts'
import { addressOf, toAddress, usdc } from '../support/build.ts'

const rolling = (hours: number, limit: string) => ({ rollingBudget: { hours, limit: usdc(limit) } })
const noon = Date.UTC(2026, 10, 20, 12) // a Friday

function createRuleBook(limits: RuleEdits) {
  const book = createApprovalBook(limits, null)
  book.clock.now = noon
  const agent = book.addAgent()
  const pay = (amount = '1', to = 1) => book.ask(agent, toAddress(to), usdc(amount))
  const view = () => groupView(book.context, book.store.group(book.groupId)!)
  const fail = (id: string) =>
    book.store.transaction(() => {
      release(book.store, book.store.payment(id)!, book.clock.now)
      book.store.run("UPDATE payment SET status = 'FAILED' WHERE id = ?", id)
    })
  return { ...book, agent, pay, view, fail }
}
const idOf = (result: ReturnType<ReturnType<typeof createRuleBook>['pay']>) => unwrap(result).payment.id

describe('a rolling budget', () => {
  test('refuses what its hours would contain above the limit, and says when more is left @rules-14', () => {
    const book = createRuleBook(rolling(24, '10'))
    idOf(book.pay('6'))
    book.clock.now += 12 * hourMs
    idOf(book.pay('4'))
    const refused = book.pay('0.000001')
    expect(refused).toMatchObject({
      ok: false,
      code: 'budget_exceeded',
      field: 'amount',
      refusal: {
        rule: 'group.rolling_budget',
        limit: '10',
        spent: '10',
        max_allowed_now: '0',
        max_without_asking: '0',
      },
    })
    const resetsAt = Date.parse((refused as { refusal: { resets_at: string } }).refusal.resets_at)
    expect(resetsAt).toBeGreaterThanOrEqual(noon + dayMs)
    expect(resetsAt).toBeLessThanOrEqual(noon + dayMs + dayMs / 23 + 1_000)
    book.clock.now = resetsAt - 1
    expect(book.pay('6').ok).toBe(false)
    book.clock.now = resetsAt
    expect(book.pay('6.000001').ok).toBe(false)
    idOf(book.pay('6'))
    expect(book.view().rollingBudget).toMatchObject({ hours: 24, limit: '10', used: '10', remaining: '0' })
    book.close()
  })

  test('a failed payment returns its amount, and one that left the window changes nothing @rules-15', () => {
    const book = createRuleBook(rolling(24, '10'))
    const first = idOf(book.pay('6'))
    const second = idOf(book.pay('4'))
    book.fail(first)
    expect(book.view().rollingBudget).toMatchObject({ used: '4' })
    book.clock.now += 3 * dayMs
    idOf(book.pay('9'))
    book.fail(second)
    expect(book.view().rollingBudget).toMatchObject({ used: '9', remaining: '1' })
    book.close()
  })

  test('made longer or shorter counts what was paid before in it; a limit below that leaves nothing @rules-16', () => {
    const book = createRuleBook(rolling(1, '10'))
    idOf(book.pay('3'))
    book.clock.now += 5 * hourMs
    idOf(book.pay('4'))
    const used = (hours: number, limit = '10') => unwrap(book.edit(rolling(hours, limit))).rollingBudget
    expect(used(12)).toMatchObject({ used: '7', remaining: '3' })
    expect(used(2)).toMatchObject({ used: '4', remaining: '6' })
    expect(used(720)).toMatchObject({ used: '7' })
    expect(used(720, '5')).toMatchObject({ used: '7', remaining: '0' })
    expect(book.pay('0.01')).toMatchObject({ refusal: { rule: 'group.rolling_budget', max_allowed_now: '0' } })
    unwrap(book.edit({ rollingBudget: null }))
    expect(book.store.group(book.groupId)!.windows).toBe('{}')
    idOf(book.pay('20'))
    book.close()
  })
})

describe('a number of payments', () => {
  test('counts each accepted payment, also those that fail @rules-17', () => {
    const book = createRuleBook({ maxPayments: { per: 'day', count: 2, whenExceeded: 'refuse' } })
    book.fail(idOf(book.pay()))
    idOf(book.pay())
    expect(book.pay('0.01')).toMatchObject({
      ok: false,
      code: 'policy_refused',
      message: 'The policy group may make 2 payments a day, and has made 2.',
      refusal: {
        rule: 'group.max_payments',
        count: { limit: 2, used: 2 },
        max_allowed_now: '0',
        resets_at: '2026-11-21T00:00:00.000Z',
        next: 'Wait until 2026-11-21T00:00:00.000Z, or ask the owner to raise the limit.',
      },
    })
    expect((book.pay() as { field?: string }).field).toBe(undefined)
    book.clock.now = Date.UTC(2026, 10, 21)
    idOf(book.pay())
    expect(book.view().maxPayments).toMatchObject({ count: 2, used: 1, remaining: 1 })
    book.close()
  })

  test('per hour are those of the last 60 minutes @rules-18', () => {
    const book = createRuleBook({ maxPayments: { per: 'hour', count: 1, whenExceeded: 'refuse' } })
    book.clock.now = noon + hourMs - 1
    idOf(book.pay())
    book.clock.now = noon + 2 * hourMs - 2
    expect(book.pay().ok, 'another hour of the day, but within 60 minutes').toBe(false)
    book.clock.now = noon + 2 * hourMs + 3 * 60_000
    idOf(book.pay())
    book.close()
  })

  test('that asks instead of refusing lets the owner approve, and counts approved payments @rules-19', () => {
    const book = createRuleBook({ maxPayments: { per: 'day', count: 1, whenExceeded: 'ask' } })
    idOf(book.pay())
    const row = book.asked(book.agent, toAddress(1), usdc('2'))
    expect(JSON.parse(row.rules)).toEqual([
      { rule: 'group.max_payments', message: 'The policy group may make 1 payment a day, and has made 1.' },
    ])
    expect(book.view().maxPayments).toMatchObject({ used: 1 })
    expect(book.approve(row.id).ok).toBe(true)
    expect(book.view().maxPayments).toMatchObject({ used: 2, remaining: 0 })
    book.close()
  })
})

describe('a limit per recipient', () => {
  const limits = { perRecipient: { period: 'day', limit: usdc('5'), whenExceeded: 'refuse' } } as const

  test('applies to each recipient, however an address is written @rules-20', () => {
    const book = createRuleBook(limits)
    idOf(book.pay('5', 1))
    idOf(book.pay('4', 2))
    const upper = { type: 'address' as const, address: addressOf(1).toUpperCase().replace('0X', '0x') as `0x${string}` }
    const result = book.ask(book.agent, upper, usdc('0.01'))
    expect(result).toMatchObject({
      ok: false,
      code: 'policy_limit_exceeded',
      field: 'amount',
      refusal: { rule: 'group.per_recipient', limit: '5', spent: '5', max_allowed_now: '0' },
    })
    expect(book.pay('1.000001', 2)).toMatchObject({ refusal: { max_allowed_now: '1' } })
    idOf(book.pay('1', 2))
    expect(book.store.group(book.groupId)!.subjects).toBe(2)
    book.close()
  })

  test('added later counts what each recipient got in the period @rules-21', () => {
    const book = createRuleBook({})
    idOf(book.pay('3', 1))
    idOf(book.pay('2', 2))
    unwrap(book.edit(limits))
    expect(book.pay('3', 1)).toMatchObject({ refusal: { max_allowed_now: '2' } })
    idOf(book.pay('3', 2))
    idOf(book.pay('5', 3))
    expect(book.store.group(book.groupId)!.subjects).toBe(3)
    book.close()
  })

  test('is counted for 50,000 recipients; the next one is refused until others are forgotten @rules-22', () => {
    const book = createRuleBook(limits)
    idOf(book.pay('5', 1))
    book.store.run('UPDATE policy_group SET subjects = 50000')
    expect(book.pay('1', 2)).toMatchObject({
      ok: false,
      code: 'policy_refused',
      refusal: { rule: 'group.per_recipient', max_allowed_now: '0' },
    })
    expect(book.pay('1', 1), 'a known one is judged by the limit').toMatchObject({ code: 'policy_limit_exceeded' })
    book.clock.now += dayMs
    idOf(book.pay('1', 2))
    expect(book.store.group(book.groupId)!.subjects).toBe(50_000)
    expect(book.store.count('recipient_window')).toBe(1)
    book.close()
  })
})

test('payments outside the hours can be asked for, and an approved one is made @rules-23', () => {
  const hours = { zone: 'UTC', days: ['fri'], from: '09:00', to: '12:00', whenExceeded: 'ask' } as const
  const book = createRuleBook({ hours: { ...hours, days: [...hours.days] } })
  book.clock.now = noon - 1
  idOf(book.pay())
  book.clock.now = noon
  const row = book.asked(book.agent, toAddress(1), usdc('2'))
  expect(book.approve(row.id).ok).toBe(true)
  unwrap(book.edit({ hours: { ...hours, days: [...hours.days], whenExceeded: 'refuse' } }))
  expect(book.pay()).toMatchObject({ code: 'policy_refused', refusal: { rule: 'group.hours' } })
  book.close()
})

test('a stored rule that the code does not know refuses every payment @rules-24', () => {
  const book = createRuleBook({})
  book.store.run(`UPDATE policy_group SET rules = '{"maxSpeed":{"per":"day"},"maxPayment":"5"}'`)
  expect(book.pay()).toMatchObject({ ok: false, code: 'policy_unknown', refusal: { max_allowed_now: '0' } })
  // An edit by code that does not know the rule keeps it, and the rules that it knows.
  expect(unwrap(book.edit({ approveAbove: usdc('1') }))).toMatchObject({ maxPayment: '5', approveAbove: '1' })
  expect(book.pay()).toMatchObject({ ok: false, code: 'policy_unknown' })
  book.store.run(`UPDATE policy_group SET rules = '{"maxPayment":5}'`)
  expect(book.pay(), 'a value that is not valid').toMatchObject({ ok: false, code: 'policy_unknown' })
  unwrap(book.edit({ maxPayment: usdc('5') }))
  expect(book.pay()).toMatchObject({ ok: true })
  book.close()
})

type Step =
  | { do: 'pay'; amount: MicroUsdc; to: number }
  | { do: 'fail'; which: number }
  | { do: 'wait'; ms: number }
  | { do: 'edit'; limits: RuleEdits }
const amount = fc.bigInt({ min: 1n, max: 3_000_000n }).map(microUsdc)
const limit = fc.bigInt({ min: 1n, max: 9_000_000n }).map(microUsdc)
const refuse = fc.constant('refuse' as const)
const limitsOf: fc.Arbitrary<RuleEdits> = fc.record(
  {
    rollingBudget: fc.option(fc.record({ hours: fc.integer({ min: 1, max: 48 }), limit })),
    maxPayments: fc.option(
      fc.record({
        per: fc.constantFrom('hour', 'day', 'week', 'month'),
        count: fc.integer({ min: 1, max: 6 }),
        whenExceeded: refuse,
      }),
    ),
    perRecipient: fc.option(
      fc.record({ period: fc.constantFrom('day', 'week', 'month'), limit, whenExceeded: refuse }),
    ),
    periodBudget: fc.option(fc.record({ period: fc.constantFrom('day', 'week', 'month'), limit })),
  },
  { requiredKeys: [] },
)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('pay' as const), amount, to: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fail' as const), which: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat({ max: 20 * hourMs }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('edit' as const), limits: limitsOf }) },
)

test('whatever is paid, fails and is edited, windows are those of the payments, and no limit is exceeded @rules-25', () => {
  fc.assert(
    fc.property(limitsOf, fc.array(step, { maxLength: 40 }), (limits, steps) => {
      const book = createRuleBook(limits)
      try {
        for (const each of steps) {
          if (each.do === 'wait') book.clock.now += each.ms
          if (each.do === 'edit') unwrap(book.edit(each.limits))
          if (each.do === 'fail') {
            const open = book.payments().filter(({ status }) => status === 'QUEUED')
            if (open.length > 0) book.fail(open[each.which % open.length]!.id)
          }
          if (each.do !== 'pay') continue
          const made = book.ask(book.agent, toAddress(each.to), each.amount)
          if (made.ok) withinLimits(book, made.value.payment.id)
        }
        // Made again from the payments, every window contains the same.
        const group = book.store.group(book.groupId)!
        const rules = rulesOf(group)
        const windows = () =>
          [1, 2, 3].map((to) => {
            const paidTo = { address: addressOf(to), email: null, phone: null, seller: null }
            return readWindows(book.store, book.store.group(book.groupId)!, rules, paidTo, book.clock.now).used
          })
        const kept = windows()
        rebuildWindows(
          book.store,
          group.id,
          rules,
          { ...rules, rollingBudget: null, maxPayments: null, perRecipient: null, periodBudget: null },
          book.clock.now,
        )
        rebuildWindows(
          book.store,
          group.id,
          { ...rules, rollingBudget: null, maxPayments: null, perRecipient: null, periodBudget: null },
          rules,
          book.clock.now,
        )
        expect(windows()).toEqual(kept)
      } finally {
        book.close()
      }
    }),
    { numRuns: 60 },
  )
})

/** The payment that was just made, compared with the plain sum of all payments in each window. */
function withinLimits({ store, groupId, clock, payments }: ReturnType<typeof createRuleBook>, id: string) {
  const { rollingBudget, maxPayments } = rulesOf(store.group(groupId)!)
  const alive = payments().filter(({ status }) => status !== 'FAILED')
  const sum = (since: number) =>
    alive.filter((row) => row.accepted_at! > since).reduce((total, row) => total + BigInt(row.amount), 0n)
  if (rollingBudget)
    expect(sum(clock.now - rollingBudget.hours * hourMs), 'I21').toBeLessThanOrEqual(rollingBudget.limit)
  if (maxPayments?.per === 'hour') {
    const counted = payments().filter((row) => row.accepted_at! > clock.now - hourMs)
    expect(counted.length).toBeLessThanOrEqual(maxPayments.count)
  }
  expect(store.payment(id)!.accepted_at).toBe(clock.now)
}
