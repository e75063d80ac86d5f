/** I22: at most the limit has one person behind it in any 24 hours. */
import { expect, test } from 'vitest'
import { person } from '#domain/actor.ts'
import { dayMs, minuteMs } from '#domain/time.ts'
import { begin } from '../../worker/treasury/account/restore/begin.ts'
import { actingAs } from '../../worker/treasury/core/acting.ts'
import { leftAlone, recountAlone } from '../../worker/treasury/limits/secondPerson.ts'
import { listPeople } from '../../worker/treasury/policies/members.ts'
import { usdc } from '../support/build.ts'
import { bob, createSecondPersonBook, owner } from '../support/secondPersonBook.ts'

test('the owner’s own payment above the limit is refused, an agent’s waits for a second person @second-person-1', () => {
  const account = createSecondPersonBook()
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
  const account = createSecondPersonBook()
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
  const account = createSecondPersonBook()
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

test('what waits when the limit is set, and what was accepted before it was lowered, need a second person @second-person-7', () => {
  const account = createSecondPersonBook()
  const memberId = account.joinBob()
  account.later(dayMs)
  expect(account.payAsAgent(0, '80')).toMatchObject({ value: { payment: { status: 'PENDING_APPROVAL' } } })
  const [before] = account.pending()
  expect(account.payAsOwner('60').ok).toBe(true)
  expect(account.setLimit('70')).toMatchObject({ ok: true })
  expect(account.approveAs(owner, before!.id), 'asked before the limit').toMatchObject({
    code: 'second_person_required',
  })
  expect(account.approveAs(bob, before!.id)).toMatchObject({ ok: true })

  expect(account.setLimit('20'), 'less than what was accepted today').toMatchObject({
    value: { above: '20', next: null },
  })
  expect(account.mostWithoutAsking()).toBe('0')
  expect(account.payAsOwner('0.000001')).toMatchObject({ code: 'second_person_required' })
  expect(account.payAsAgent(2, '1')).toMatchObject({ value: { payment: { status: 'PENDING_APPROVAL' } } })
  account.removeBob(memberId)
  const [waiting] = account.pending()
  expect(account.approveAs(owner, waiting!.id), 'without an approver').toMatchObject({ code: 'second_person_required' })
  account.later(dayMs + 15 * minuteMs)
  expect(account.payAsOwner('20').ok).toBe(true)
  expect(account.payAsOwner('0.000001')).toMatchObject({ code: 'second_person_required' })
  account.close()
})

test('a restore ends memberships, and keeps the limit, also from a raise that was still to come @second-person-8', () => {
  const account = createSecondPersonBook()
  const { context, store, clock } = account
  account.joinBob()
  account.later(dayMs)
  account.setLimit('100')
  expect(account.payAsOwner('60').ok).toBe(true)
  expect(account.setLimit('500')).toMatchObject({ value: { above: '100', next: { above: '500' } } })
  begin(context, 'restore', clock.now + 1)
  store.transaction(() => recountAlone(context))
  expect(actingAs(person(owner), () => listPeople(context))).toMatchObject({
    members: [],
    secondPerson: { above: '100', next: null },
  })
  expect(leftAlone(context, null), 'what was accepted today counts').toBe(usdc('40'))
  account.later(2 * dayMs)
  expect(leftAlone(context, null), 'nobody has called the raise off, and it does not come').toBe(usdc('100'))
  account.close()
})
