/** What the bell shows, tested with the Treasury's real tables. */

import { expect, test } from 'vitest'
import { type EventName, events, isNoticeEvent } from '#domain/events.ts'
import { dayMs, hourMs, minuteMs } from '#domain/time.ts'
import type { Address } from '../../worker/chain/types.ts'
import { monthMessage, sessionEndingMessage } from '../../worker/notifications/ownerMessages.ts'
import { payoutsReturnedMessage } from '../../worker/notifications/payoutMessages.ts'
import { unwrap } from '../../worker/result.ts'
import type { Principal } from '../../worker/treasury/core/rpcTypes.ts'
import { audit } from '../../worker/treasury/ledger/audit.ts'
import { pruneNotices } from '../../worker/treasury/ledger/notices.ts'
import { listNotices, markRead } from '../../worker/treasury/outbox/notices/views.ts'
import { lastMonth, reportMonth } from '../../worker/treasury/payments/month.ts'
import { endingKeys, warnOfEndingKeys } from '../../worker/treasury/wallets/endingKeys.ts'
import { createBook, paid } from '../support/book.ts'
import { addressOf, owner, payoutDraft, usdc } from '../support/build.ts'
import { createMemoryAccount } from '../support/memoryAccount.ts'

const shop = addressOf(1)

function createNoticeBook() {
  const book = createBook()
  const { context, store, clock } = book
  const limits = { maxPayment: usdc('80') }
  const groupId = book.addGroup({ name: 'Research', spendLimit: usdc('100'), limits })
  /** Without the notice of it. */
  const addAgent = (name: string) => {
    const principal = book.addAgent(groupId, name)
    store.run("DELETE FROM notice WHERE event = 'agent.created'")
    return principal
  }
  const pay = (principal: Principal, amount: string) => {
    clock.now += 1000
    const result = book.pay({ principal, amount: usdc(amount) })
    if ('need' in result) throw new Error(`needs ${result.need}`)
    return result
  }
  /** Records the event as the code that observes it does. */
  const happens = (event: EventName, ref: string, data = {}) => {
    clock.now += 1000
    store.transaction(() => audit(store, clock.now, event as 'payment.failed', ref, data))
  }
  const notices = () => listNotices(context).notices
  return { ...book, groupId, addAgent, pay, happens, notices }
}

test('each event for the bell becomes a notice with a text and its subject @notices-4', () => {
  const { addAgent, pay, happens, notices, store, groupId } = createNoticeBook()
  const scout = addAgent('Scout') as Extract<Principal, { type: 'agent' }>
  const { id } = unwrap(pay(scout, '76.5')).payment
  store.run(
    "UPDATE payment SET error_message = 'Not sent: too late.', recipient_email = 'ann@example.com' WHERE id = ?",
    id,
  )
  store.run("UPDATE wallet SET name = 'Main'")
  pay(addAgent('Rover'), '81')
  happens('payment.failed', id)
  happens('payout.withdrawn', id)
  happens('payout.reclaimed', id)
  happens('approval.expired', 'apr_gone')
  happens('wallet.failed', 'wal')
  happens('wallet.halted', 'wal', { kind: 'books', detail: 'x' })
  happens('wallet.withdrawn', 'wal', { amount: '7', to: shop, tx: '0x1' })
  happens('session.ending', 'wal', { days: 7 })
  happens('wallet.refill_refused', 'wal', { why: 'Rotate it.' })
  happens('account.suspended', 'account')
  happens('account.restored', 'account')
  happens('webhook.disabled', 'whk_1', { host: 'example.com', reason: 'gone' })
  happens('connection.created', 'con_1', { app: 'Claude', agent: scout.agentId })
  happens('connection.revoked', 'con_1', { app: 'Claude', agent: scout.agentId, why: 'reused' })
  happens('connection.revoked', 'con_2', { app: 'Claude', agent: scout.agentId, why: 'owner' })
  happens('connection.token_reused', 'con_3', { app: 'Claude', agent: scout.agentId })
  happens('agent.created', scout.agentId, { group: groupId })
  happens('agent.created', 'agt_claude', { group: groupId, connection: 'con_1' })
  happens('agent.credential_replaced', scout.agentId, { kind: 'key' })
  happens('webhook.created', 'whk_1', { host: 'example.com', events: ['*'] })
  happens('webhook.changed', 'whk_1', { host: 'example.com', events: ['payment.confirmed'], enabled: true })
  happens('webhook.secret_rotated', 'whk_1', { host: 'example.com' })
  happens('wallet.imported', 'wal')
  happens('wallet.key_viewed', 'wal')
  happens('wallet.deleted', 'wal')
  const bob = { email: 'bob@acme.test', role: 'approver' }
  happens('account.second_person_set', 'account', { before: null, above: '50', next: null })
  happens('person.invited', 'mem_1', bob)
  happens('person.joined', 'mem_1', bob)
  happens('person.role_changed', 'mem_1', { ...bob, role: 'viewer', before: 'approver' })
  happens('person.left', 'mem_1', { ...bob, role: 'viewer' })
  const title = { title: 'November' }
  happens('run.waiting', 'run_1', title)
  happens('run.denied', 'run_1', { ...title, reason: 'Wrong month.' })
  happens('run.expired', 'run_1', title)
  happens('run.stopped', 'run_1', title)
  happens('run.finished', 'run_1', title)
  happens('account.password_changed', 'account')
  expect(
    notices().map(({ event, text, subject }) => [event, text, subject && `${subject.type} ${subject.id}`]),
  ).toEqual([
    ['account.password_changed', 'Your password was changed', 'changes made'],
    ['run.finished', 'The payout run “November” is done', 'run run_1'],
    ['run.stopped', 'The payout run “November” was stopped', 'run run_1'],
    ['run.expired', 'Nobody decided about the payout run “November” in time', 'run run_1'],
    ['run.denied', 'The payout run “November” was denied', 'run run_1'],
    ['run.waiting', 'The payout run “November” waits for a decision', 'run run_1'],
    ['person.left', 'bob@acme.test, viewer, left the account', 'people mem_1'],
    ['person.role_changed', 'bob@acme.test is viewer now', 'people mem_1'],
    ['person.joined', 'bob@acme.test joined as approver', 'people mem_1'],
    ['person.invited', 'bob@acme.test was invited as approver', 'people mem_1'],
    ['account.second_person_set', 'From now on, above 50.00 USDC in 24 hours, a second person must agree', null],
    ['wallet.deleted', 'Main was deleted', null],
    ['wallet.key_viewed', 'The private key of Main was shown', 'wallet wal'],
    ['wallet.imported', 'Main was imported', 'wallet wal'],
    ['webhook.secret_rotated', 'The webhook to example.com got a new secret', null],
    ['webhook.changed', 'The webhook to example.com was changed', null],
    ['webhook.created', 'A webhook to example.com was added', null],
    ['agent.credential_replaced', 'Scout got a new API key', `group ${groupId}`],
    ['agent.created', 'Scout was added as an agent', `group ${groupId}`],
    ['connection.token_reused', 'Claude is used in several places at once', 'connection con_3'],
    ['connection.revoked', 'Claude can no longer act as Scout', 'connection con_1'],
    ['connection.created', 'Claude is connected as Scout', 'connection con_1'],
    ['webhook.disabled', 'Your webhook at example.com is switched off', 'webhook whk_1'],
    ['account.restored', 'Your account was restored from a backup', 'restore account'],
    ['account.suspended', 'Your account is suspended', null],
    ['wallet.refill_refused', 'The purchase allowance of Main can’t be renewed', 'wallet wal'],
    ['session.ending', 'The session key of Main ends in 7 days', 'wallet wal'],
    ['wallet.withdrawn', '7.00 USDC left Main without Bursar', 'wallet wal'],
    ['wallet.halted', 'Payments from Main are stopped', 'wallet wal'],
    ['wallet.failed', 'Main could not be deployed', 'wallet wal'],
    ['approval.expired', expect.stringMatching(/^Nobody answered when An agent asked/), 'approval apr_gone'],
    ['payout.reclaimed', '76.50 USDC for ann@example.com came back', `payout ${id}`],
    ['payout.withdrawn', 'ann@example.com claimed 76.50 USDC', `payout ${id}`],
    ['payment.failed', '76.50 USDC to ann@example.com was not sent', `payment ${id}`],
    [
      'payment.refused',
      expect.stringMatching(/^Rover was refused 81.00 USDC to 0x8999…9991$/),
      expect.stringMatching(/^payment ref_/),
    ],
    ['group.budget_reached', 'The budget of Research is 75% used', `group ${groupId}`],
  ])
  const shown = new Set(notices().map(({ event }) => event))
  expect((Object.keys(events) as EventName[]).filter((name) => isNoticeEvent(name) && !shown.has(name))).toEqual([])
  expect(notices().find(({ event }) => event === 'payment.failed')?.detail).toBe('Not sent: too late.')
  happens('payment.confirmed', id)
  happens('approval.requested', 'apr_2')
  expect(notices(), 'other events add no notice').toHaveLength(36)
})

test('repeated refusals share one notice until it is read, and the owner’s own refusals add none @notices-5', () => {
  const { addAgent, pay, notices, context } = createNoticeBook()
  const [scout, rover] = [addAgent('Scout'), addAgent('Rover')]
  for (let i = 0; i < 3; i++) pay(scout, `${90 + i}`)
  pay(rover, '95')
  pay(owner, '999999')
  expect(notices().map(({ text, times }) => [text.split(' to ')[0], times])).toEqual([
    ['Rover was refused 95.00 USDC', 1],
    ['Scout was refused 3 payments', 3],
  ])
  expect(notices()[1]!.detail, 'the refusals differ, so only the last is described').toMatch(
    /^The last: 92\.00 USDC to 0x/,
  )
  expect(markRead(context, notices()[1]!.id)).toMatchObject({ unread: 1 })
  pay(scout, '97')
  pay(rover, '98')
  expect(notices().map(({ text, times, isRead }) => [text.split(' to ')[0], times, isRead])).toEqual([
    ['Rover was refused 2 payments', 2, false],
    ['Scout was refused 97.00 USDC', 1, false],
    ['Scout was refused 3 payments', 3, true],
  ])
  expect(markRead(context, Number.MAX_SAFE_INTEGER), 'later notices stay unread').toMatchObject({ unread: 0 })
  pay(scout, '99')
  expect(markRead(context, 1), 'the read position never moves back').toMatchObject({ unread: 1 })
})

test('payouts that come back within an hour are one notice and one mail; those that the owner took back are none @notices-8', () => {
  const { pay, confirm, endPayout, context, store, clock, close } = createMemoryAccount()
  /** Returns one payout to its payer, after it was claimable. */
  const comesBack = (recipient: string, by: 'sender' | 'expiry' | null) => {
    const payer = store.wallet('wal')!.address as Address
    const to = { type: 'email', email: recipient } as const
    const { id } = paid(pay({ principal: owner, to }, { draft: payoutDraft({ amount: 1_000_000, payer }) }))
    confirm(id)
    store.update('payout', id, { action_by: by })
    endPayout(id, payer)
    expect(store.payout(id)?.status).toBe('RECLAIMED')
    return id
  }
  const mails = () =>
    store.all<{ ref: string; due_at: number }>(
      "SELECT ref, due_at FROM outbox WHERE kind = 'mail.payout_returned' ORDER BY due_at, ref",
    )
  comesBack('own@example.com', 'sender')
  expect([listNotices(context).notices, mails()], 'the owner’s own act').toEqual([[], []])
  const sentAt = clock.now + hourMs
  const first = comesBack('ann@example.com', 'expiry')
  expect(listNotices(context).notices).toMatchObject([
    { text: '1.00 USDC for ann@example.com came back', detail: 'It was not claimed in time.' },
  ])
  clock.now += 59 * minuteMs
  const second = comesBack('bob@example.com', null)
  expect(listNotices(context).notices).toMatchObject([
    { text: '2 payouts came back', detail: 'The last: 1.00 USDC for bob@example.com.', times: 2 },
  ])
  expect(new Set(mails())).toEqual(new Set([first, second].map((ref) => ({ ref, due_at: sentAt }))))
  clock.now = sentAt
  const third = comesBack('cyd@example.com', 'expiry')
  expect(mails().at(-1), 'a later one waits for others again').toEqual({ ref: third, due_at: sentAt + hourMs })
  close()
})

test('a mail about returned payouts names ten and counts the others', () => {
  const payouts = Array.from({ length: 12 }, (_, i) => ({
    payoutId: `pay_${i}`,
    recipient: `r${i}@example.com`,
    amount: '2',
  }))
  const mail = (count: number) =>
    payoutsReturnedMessage({ to: 'o@example.com', payouts: payouts.slice(0, count), appOrigin: 'https://b.test' })
  expect(mail(1)).toMatchObject({ id: 'payouts-returned:pay_0', subject: '2.00 USDC was returned to you' })
  expect(mail(12).subject).toBe('12 payouts were returned to you')
  expect(mail(12).text).toContain('2.00 USDC to r9')
  expect(mail(12).text).not.toContain('r10')
  expect(mail(12).text).toContain('And 2 more.')
})

test('the latest hundred notices are kept, for 30 days @notices-6', () => {
  const { happens, notices, store, clock } = createNoticeBook()
  for (let i = 0; i < 130; i++) happens('wallet.withdrawn', 'wal', { amount: `${i}`, to: shop, tx: `0x${i}` })
  expect(notices()).toHaveLength(100)
  expect(notices()[0]!.text).toContain('129.00 USDC')
  pruneNotices(store, clock.now + 29 * dayMs)
  expect(notices()).toHaveLength(100)
  pruneNotices(store, clock.now + 31 * dayMs)
  expect(notices()).toEqual([])
})

test('the owner is warned of an ending session key once for 7 days and once for 1 day, with the agents that stop @screens-39', () => {
  const { addAgent, context, store, clock, notices } = createNoticeBook()
  for (const name of ['Scout', 'Buyer']) addAgent(name)
  store.run("UPDATE wallet SET name = 'Main'")
  store.run('UPDATE session SET adopted_at = ?, valid_until = ?', clock.now, (clock.now + 30 * dayMs) / 1000)
  const endsAt = clock.now + 30 * dayMs
  expect(warnOfEndingKeys(context), 'the alarm comes back').toBe(endsAt - 7 * dayMs)
  expect([notices(), endingKeys(context)]).toEqual([[], []])
  clock.now = endsAt - 7 * dayMs
  expect(warnOfEndingKeys(context)).toBe(endsAt - dayMs)
  warnOfEndingKeys(context)
  expect(notices()).toMatchObject([
    {
      text: 'The session key of Main ends in 7 days',
      detail: expect.stringMatching(/^Buyer and Scout can’t pay/),
      times: 1,
    },
  ])
  expect(store.count("outbox WHERE kind = 'mail.session_ending' AND ref = 'wal'")).toBe(1)
  expect(endingKeys(context)).toEqual([
    { walletId: 'wal', name: 'Main', endsAt: new Date(endsAt).toISOString(), agents: ['Buyer', 'Scout'] },
  ])
  clock.now = endsAt - dayMs
  expect(warnOfEndingKeys(context)).toBeNull()
  expect(notices()[0]!.text).toBe('The session key of Main ends in 1 day')
  const message = {
    id: 'x',
    to: 'o@example.com',
    walletId: 'wal',
    wallet: 'Main',
    days: 1,
    appOrigin: 'https://b.test',
  } as const
  const mail = JSON.stringify(sessionEndingMessage({ ...message, agents: ['Buyer', 'Scout'] }))
  for (const text of ['ends in 1 day', 'Buyer and Scout', 'https://b.test/dashboard/wallets?session=wal'])
    expect(mail).toContain(text)
})

test('a session key that lives for less than a day is named in the banner from its start, without a warning by mail @screens-120', () => {
  const { context, store, clock } = createNoticeBook()
  const endsAt = clock.now + 20 * hourMs
  store.run('UPDATE session SET adopted_at = ?, valid_until = ?', clock.now, endsAt / 1000)
  expect(endingKeys(context)).toMatchObject([{ walletId: 'wal', endsAt: new Date(endsAt).toISOString() }])
  expect(warnOfEndingKeys(context)).toBeNull()
  clock.now = endsAt
  expect(endingKeys(context), 'no agent needs it').toEqual([])
})

test('the owner gets one mail a month about what was spent, by agent, with a link to the list @screens-52', () => {
  const { addAgent, context, store, clock, pay } = createNoticeBook()
  clock.now = Date.UTC(2026, 1, 27)
  reportMonth(context)
  const agent = addAgent('Scout')
  const ids = ['12.5', '1'].map((amount) => unwrap(pay(agent, amount)).payment.id)
  for (const id of ids)
    store.run("UPDATE payment SET confirmed_at = ?, status = 'CONFIRMED' WHERE id = ?", clock.now, id)
  reportMonth(context)
  expect(store.count("outbox WHERE kind = 'mail.month'"), 'the month is not over').toBe(0)
  clock.now = Date.UTC(2026, 2, 1, 3)
  reportMonth(context)
  reportMonth(context)
  expect(store.all("SELECT ref, seq FROM outbox WHERE kind = 'mail.month'")).toEqual([{ ref: '2026-03', seq: 1 }])
  const report = lastMonth(context, clock.now)
  expect(report).toMatchObject({
    month: '2026-02',
    spent: '13.5',
    payments: 2,
    spenders: [{ name: 'Scout', payments: 2, spent: '13.5' }],
  })
  const { subject, text } = monthMessage({
    to: 'o@example.com',
    userId: 'usr',
    report,
    isTest: false,
    appOrigin: 'https://b.test',
  })
  expect(subject).toBe('February 2026: 13.50 USDC spent')
  expect(text).toContain('Scout: 13.50 USDC in 2 payments')
  expect(text).toContain('https://b.test/dashboard/transactions?from=2026-02-01&to=2026-02-28')
  clock.now = Date.UTC(2026, 3, 2)
  reportMonth(context)
  expect(store.count("outbox WHERE kind = 'mail.month'"), 'nothing was spent in March').toBe(1)
})
