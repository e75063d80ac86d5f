/** I22: at most the limit has one person behind it in any 24 hours. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PersonId } from '#domain/accounts.ts'
import { person } from '#domain/actor.ts'
import { dayMs, hourMs, minuteMs } from '#domain/time.ts'
import { unwrap } from '../../worker/result.ts'
import { actingAs } from '../../worker/treasury/core/acting.ts'
import { check } from '../../worker/treasury/payments/check.ts'
import { changeRole, chooseSecondPerson, invite, join, remove } from '../../worker/treasury/policies/members.ts'
import { confirmRules, raiseBudget } from '../../worker/treasury/reports/changes/groups.ts'
import { by, createApprovalBook, known as gatheredFor } from '../support/approvalBook.ts'
import { addressOf, usdc } from '../support/build.ts'
import { cases } from '../support/cases.ts'

const owner = 'usr_test'
const bob = 'usr_bob'

/** An account with two agents, and Bob, who can become an approver. */
function createAccount() {
  const book = createApprovalBook({ approveAbove: usdc('70') })
  const { context, store, clock, groupId } = book
  store.run(
    "INSERT INTO owner (one, email, status, password_at, created_at, updated_at) VALUES (1, 'ann@acme.test', 'CONFIRMED', 0, 0, 0)",
  )
  const agents = [book.addAgent(), book.addAgent()]
  let members = 0
  let recipients = 0
  const as = <T>(who: string, act: () => T): T => actingAs(person(who), act)
  const asOwner = <T>(act: () => T): T => as(owner, act)
  const fresh = () => ({ type: 'address', address: addressOf(1000 + recipients++) }) as const
  return {
    ...book,
    payAsOwner: (amount: string) =>
      asOwner(() => book.ask({ type: 'user', passwordChecked: true } as never, fresh(), usdc(amount), undefined)),
    payAsAgent: (index: number, amount: string) => book.ask(agents[index]!, fresh(), usdc(amount)),
    mostWithoutAsking() {
      const input = { to: fresh(), amount: usdc('1') }
      const checked = check(context, agents[0]!, input, { ...gatheredFor(input.to), unused: false })
      return 'need' in checked ? checked.need : unwrap(checked).max_without_asking
    },
    pending: () => store.all<{ id: string }>("SELECT id FROM approval WHERE status = 'PENDING' ORDER BY asked_at, id"),
    approveAs: (who: string, id: string) =>
      as(who, () => book.approve(id, { by: { ...by, userId: who }, passwordChecked: true })),
    joinBob() {
      const id = `mem_${members++}`
      asOwner(() =>
        unwrap(invite(context, { id, tokenHash: id, email: 'bob@acme.test', role: 'approver', passwordChecked: true })),
      )
      unwrap(join(context, { id, tokenHash: id, person: { id: bob as PersonId, email: 'bob@acme.test', name: 'Bob' } }))
      return id
    },
    setRole: (id: string, role: 'viewer' | 'approver') =>
      asOwner(() => changeRole(context, id, { role, passwordChecked: true })),
    removeBob: (id: string) => asOwner(() => remove(context, id)),
    setLimit: (above: string | null) =>
      asOwner(() => chooseSecondPerson(context, { above: above === null ? null : usdc(above), passwordChecked: true })),
    confirm: (who: string) => as(who, () => confirmRules(context, groupId, store.group(groupId)!.version)),
    topUp: () => asOwner(() => raiseBudget(context, groupId, usdc('5'))),
    later(ms: number) {
      clock.now += ms
    },
  }
}

test('the owner’s own payment above the limit is refused, an agent’s waits for a second person @second-person-1', () => {
  const account = createAccount()
  expect(account.setLimit('100')).toMatchObject({ code: 'unprocessable', field: 'above' })
  account.joinBob()
  account.later(dayMs)
  expect(account.payAsOwner('60').ok).toBe(true)
  expect(account.setLimit('100'), 'what was paid before counts').toMatchObject({ value: { above: '100', next: null } })
  expect(account.mostWithoutAsking(), 'a dry run').toBe('40')
  expect(account.payAsOwner('40.000001')).toMatchObject({ code: 'second_person_required' })
  expect(account.payAsAgent(0, '40').ok, 'exactly the limit').toBe(true)
  expect(account.payAsAgent(0, '1')).toMatchObject({ value: { payment: { status: 'PENDING_APPROVAL' } } })
  const [waiting] = account.pending()
  expect(account.view(waiting!.id).askedBecause).toMatchObject([{ rule: 'second_person' }])
  const shownTo = (who: string) => actingAs(person(who), () => account.view(waiting!.id).wouldPass)
  expect(shownTo(owner)).toMatchObject({
    ok: false,
    rule: 'second_person_required',
    message: expect.stringContaining('an approver has to decide'),
  })
  expect(shownTo(bob)).toEqual({ ok: true })
  expect(account.approveAs(owner, waiting!.id)).toMatchObject({ code: 'second_person_required' })
  expect(account.approveAs(bob, waiting!.id)).toMatchObject({ ok: true })
  account.later(dayMs + 15 * minuteMs)
  expect(account.payAsOwner('100').ok, 'a day later').toBe(true)
})

test('a limit that protects less takes effect a day later, and can be called off @second-person-2', () => {
  const account = createAccount()
  const memberId = account.joinBob()
  account.setLimit('100')
  const raised = account.setLimit('500')
  expect(raised).toMatchObject({ ok: true, value: { above: '100', next: { above: '500' } } })
  account.later(dayMs - 1)
  expect(account.payAsOwner('101')).toMatchObject({ code: 'second_person_required' })
  account.later(1)
  expect(account.payAsOwner('101').ok).toBe(true)
  expect(account.setLimit(null)).toMatchObject({ value: { above: '500', next: { above: null } } })
  expect(account.setLimit('50')).toMatchObject({ value: { above: '50', next: null } })
  account.later(dayMs)
  account.removeBob(memberId)
  expect(account.payAsOwner('51'), 'it stays when the last approver is gone').toMatchObject({ ok: false })
})

test('an approver is a second person from a day after joining, and a group that they confirmed until it changes @second-person-3', () => {
  const account = createAccount()
  const memberId = account.joinBob()
  account.setLimit('10')
  account.payAsAgent(0, '20')
  const [first] = account.pending()
  expect(account.approveAs(bob, first!.id)).toMatchObject({ code: 'second_person_required' })
  expect(account.confirm(bob)).toMatchObject({ code: 'second_person_required' })
  account.later(dayMs)
  expect(account.confirm(owner)).toMatchObject({ code: 'forbidden' })
  expect(account.confirm(bob)).toMatchObject({ ok: true, value: { isConfirmed: true } })
  expect(account.payAsAgent(0, '30')).toMatchObject({ value: { payment: { status: 'QUEUED' } } })
  account.topUp()
  expect(account.payAsAgent(0, '30')).toMatchObject({ value: { payment: { status: 'PENDING_APPROVAL' } } })
  account.setRole(memberId, 'viewer')
  account.setRole(memberId, 'approver')
  const last = account.pending().at(-1)!
  expect(account.approveAs(bob, last.id), 'a raised role').toMatchObject({ code: 'second_person_required' })
})

type Act =
  | { type: 'pay' | 'agent'; amount: number; index: number }
  | { type: 'approve'; who: string; nth: number }
  | { type: 'limit'; above: number | null }
  | { type: 'confirm'; who: string }
  | { type: 'join' | 'leave' | 'demote' | 'promote' | 'topUp' }
  | { type: 'later'; ms: number }

const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constantFrom('pay', 'agent'),
        amount: fc.integer({ min: 1, max: 120 }),
        index: fc.nat(1),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ type: fc.constant('approve'), who: fc.constantFrom(owner, bob), nth: fc.nat(3) }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('limit'), above: fc.constantFrom(null, 20, 60, 100, 200) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('confirm'), who: fc.constantFrom(owner, bob) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('join', 'leave', 'demote', 'promote', 'topUp') }) },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('later'),
        ms: fc.constantFrom(1, minuteMs, 7 * hourMs, 15 * minuteMs, dayMs - 1, dayMs, dayMs + 1),
      }),
    },
  ) as fc.Arbitrary<Act>,
  { minLength: 5, maxLength: 40 },
)

/** Most sequences begin where the limit is set: with Bob as an approver for a day, or for no time. */
const beginnings = fc.constantFrom<Act[]>(
  [],
  [{ type: 'join' }, { type: 'limit', above: 60 }],
  [{ type: 'join' }, { type: 'later', ms: dayMs }, { type: 'limit', above: 60 }],
  [{ type: 'join' }, { type: 'later', ms: dayMs }, { type: 'limit', above: 60 }, { type: 'confirm', who: bob }],
)

test('whatever one person with two mailboxes and two agents does, at most the limit has one person behind it @second-person-4', () => {
  fc.assert(
    fc.property(beginnings, acts, (beginning, sequence) => {
      const account = createAccount()
      const { clock } = account
      let memberId: string | null = null
      /** When Bob became somebody who decides above the limit; null while he can't. */
      let decidesFrom: number | null = null
      let isConfirmed = false
      const limits: { at: number; above: bigint | null }[] = [{ at: 0, above: null }]
      const limitAt = (at: number) => limits.filter((one) => one.at <= at).at(-1)!.above
      const known = new Set<string>()
      const alone: { at: number; amount: bigint }[] = []

      const act = (step: Act): { second: boolean } => {
        switch (step.type) {
          case 'pay':
            account.payAsOwner(String(step.amount))
            return { second: false }
          case 'agent':
            account.payAsAgent(step.index, String(step.amount))
            return { second: isConfirmed }
          case 'approve': {
            const waiting = account.pending()[step.nth]
            if (!waiting || (step.who === bob && (memberId === null || decidesFrom === null))) return { second: false }
            account.approveAs(step.who, waiting.id)
            return { second: step.who === bob ? clock.now >= decidesFrom! : isConfirmed }
          }
          case 'limit': {
            const above = step.above === null ? null : BigInt(step.above) * 1_000_000n
            const current = limitAt(clock.now)
            if (!account.setLimit(step.above === null ? null : String(step.above)).ok) break
            const isLess = current !== null && (above === null || above > current)
            // What was to come is called off.
            while (limits.at(-1)!.at > clock.now) limits.pop()
            limits.push({ at: isLess ? clock.now + dayMs : clock.now, above })
            break
          }
          case 'confirm':
            if (step.who === bob && decidesFrom === null) break
            if (account.confirm(step.who).ok) isConfirmed = true
            break
          case 'join':
            if (memberId !== null) break
            memberId = account.joinBob()
            decidesFrom = clock.now + dayMs
            break
          case 'leave':
            if (memberId !== null) account.removeBob(memberId)
            memberId = null
            decidesFrom = null
            break
          case 'demote':
            if (memberId !== null && account.setRole(memberId, 'viewer').ok) decidesFrom = null
            break
          case 'promote':
            if (memberId !== null && decidesFrom === null) {
              account.setRole(memberId, 'approver')
              decidesFrom = clock.now + dayMs
            }
            break
          case 'topUp':
            account.topUp()
            isConfirmed = false
            break
          case 'later':
            account.later(step.ms)
        }
        return { second: false }
      }

      for (const step of [...beginning, ...sequence]) {
        const { second } = act(step)
        for (const { id, accepted_at, amount } of account.payments()) {
          if (known.has(id)) continue
          known.add(id)
          if (second) continue
          alone.push({ at: accepted_at!, amount: BigInt(amount) })
          const limit = limitAt(accepted_at!)
          const sum = alone.filter(({ at }) => at > accepted_at! - dayMs).reduce((all, one) => all + one.amount, 0n)
          if (limit !== null) expect(sum).toBeLessThanOrEqual(limit)
        }
      }
    }),
    { numRuns: cases(100, 500) },
  )
})
