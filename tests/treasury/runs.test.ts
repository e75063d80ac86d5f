/** I24: what a run holds, hands over, refuses and releases adds up at every moment, and a row is handed over at most once. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PersonId } from '#domain/accounts.ts'
import { person } from '#domain/actor.ts'
import { dayMs, minuteMs } from '#domain/time.ts'
import { unwrap } from '../../worker/result.ts'
import { actingAs } from '../../worker/treasury/core/acting.ts'
import type { PaymentRow, RunRow, RunRowRow } from '../../worker/treasury/core/storage/rows.ts'
import { settleSend } from '../../worker/treasury/ledger/ledger.ts'
import { noticeCount } from '../../worker/treasury/outbox/notices/views.ts'
import { stopUnsigned } from '../../worker/treasury/payments/cancel.ts'
import { changeRole, chooseSecondPerson, invite, join } from '../../worker/treasury/policies/members.ts'
import { contactChanged } from '../../worker/treasury/reports/changes/contacts.ts'
import { setRepeat } from '../../worker/treasury/runs/repeat.ts'
import { continueRuns } from '../../worker/treasury/runs/turns.ts'
import { runView } from '../../worker/treasury/runs/views.ts'
import { createBook } from '../support/book.ts'
import { addressOf, usdc } from '../support/build.ts'
import { cases } from '../support/cases.ts'
import { readRow, runsOf } from '../support/runs.ts'

function createAccount(funds = '1000') {
  const book = createBook({ funds })
  const { context, store } = book
  store.run(
    "INSERT INTO owner (one, email, status, password_at, created_at, updated_at) VALUES (1, 'ann@acme.test', 'CONFIRMED', 0, 0, 0)",
  )
  const as = <T>(who: string, act: () => T): T => actingAs(person(who), act)
  let members = 0
  return {
    ...book,
    ...runsOf(book),
    as,
    /** A member from a day ago. */
    joined(who: string, role: 'approver' | 'preparer') {
      const id = `mem_${members++}`
      as('usr_test', () =>
        unwrap(invite(context, { id, tokenHash: id, email: `${who}@acme.test`, role, passwordChecked: true })),
      )
      unwrap(
        join(context, { id, tokenHash: id, person: { id: who as PersonId, email: `${who}@acme.test`, name: who } }),
      )
      book.clock.now += dayMs
      return id
    },
    setRole: (id: string, role: 'approver') =>
      as('usr_test', () => changeRole(context, id, { role, passwordChecked: true })),
    setLimit: (above: string) =>
      as('usr_test', () => unwrap(chooseSecondPerson(context, { above: usdc(above), passwordChecked: true }))),
    held: () => store.wallet('wal')!.held,
  }
}

/** The sums of all runs, from rows alone. */
function checkBooks({ store }: ReturnType<typeof createAccount>): void {
  const payments = store.all<PaymentRow>("SELECT * FROM payment WHERE status IN ('QUEUED', 'PROCESSING')")
  let open = 0
  for (const run of store.all<RunRow>('SELECT * FROM run')) {
    const rows = store.all<RunRowRow>("SELECT * FROM run_row WHERE run_id = ? AND status <> 'left_out'", run.id)
    const of = (status: string) => rows.filter((row) => row.status === status).reduce((sum, row) => sum + row.amount, 0)
    const total = rows.reduce((sum, row) => sum + row.amount, 0)
    expect(of('waiting') + of('released') + of('failed') + of('handed_over')).toBe(total)
    expect(run.held, 'what waits in a running run is held').toBe(run.status === 'RUNNING' ? of('waiting') : 0)
    open += run.held
    const paid = store.all<PaymentRow>('SELECT * FROM payment WHERE run_id = ?', run.id)
    expect(paid.length, 'one payment of each row').toBe(new Set(paid.map(({ run_row }) => run_row)).size)
    expect(paid.map(({ id }) => id).sort()).toEqual(rows.flatMap(({ payment_id }) => payment_id ?? []).sort())
    for (const payment of paid) {
      const row = rows.find(({ n }) => n === payment.run_row)!
      expect([payment.amount, payment.to_address, payment.recipient_email]).toEqual([
        row.amount,
        row.to_address ?? payment.to_address,
        row.recipient_email,
      ])
    }
  }
  const held = payments.reduce((sum, { amount }) => sum + amount, 0) + open
  expect(store.wallet('wal')!.held, 'the wallet holds payments and runs').toBe(held)
}

const amounts = ['0.5', '1', '7', '40', 'bad'] as const
const fileRow = fc.record({ to: fc.integer({ min: 10, max: 15 }), amount: fc.constantFrom(...amounts) })
const act = fc.oneof(
  fc.record({ do: fc.constant('create' as const), rows: fc.array(fileRow, { minLength: 1, maxLength: 6 }) }),
  fc.record({
    do: fc.constantFrom('submit', 'approve', 'deny', 'stop', 'again', 'finish', 'expire'),
    run: fc.nat(5),
  } as const),
  fc.record({ do: fc.constantFrom('pay', 'pay', 'pay', 'block'), run: fc.nat(5), row: fc.nat(5) } as const),
  fc.record({ do: fc.constantFrom('settle', 'cancel', 'agent', 'withdraw'), at: fc.nat(20) } as const),
)

test('rows, payments and holdings of runs add up whatever happens @runs-20', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 40 }), async (acts) => {
      const account = createAccount('200')
      const { store, context, clock } = account
      const agent = account.addAgent(account.addGroup({ spendLimit: null, scopes: ['address_payments:write'] }))
      const ids: string[] = []
      for (const each of acts) {
        clock.now += 60_000
        const id = 'run' in each ? ids[each.run % Math.max(1, ids.length)] : undefined
        if (each.do === 'create') {
          const read = each.rows.map(({ to, amount }, i) => readRow(i + 2, to, amount))
          const made = account.create(read)
          if (made.ok) ids.push(made.value.id)
          if (made.ok) await account.check(made.value.id)
        } else if ('at' in each) {
          const open = store.all<PaymentRow>("SELECT * FROM payment WHERE status = 'QUEUED' ORDER BY id")
          const payment = open[each.at % Math.max(1, open.length)]
          if (each.do === 'agent') account.pay({ principal: agent, amount: usdc('5') })
          if (each.do === 'withdraw') store.run('UPDATE wallet SET withdrawn = min(deposits, withdrawn + 5000000)')
          if (payment && each.do === 'cancel') store.transaction(() => stopUnsigned(context, payment, 'cancelled'))
          if (payment && each.do === 'settle') {
            store.update('payment', payment.id, { status: 'CONFIRMED', epoch: payment.epoch })
            settleSend(store, payment, clock.now)
          }
        } else if (id !== undefined) {
          if (each.do === 'submit') account.submit(id)
          if (each.do === 'approve') account.approve(id)
          if (each.do === 'deny') account.deny(id)
          if (each.do === 'stop') account.stop(id)
          if (each.do === 'finish') account.finish(id)
          if (each.do === 'expire') clock.now += 8 * dayMs
          if (each.do === 'again') {
            const made = account.create([], { from: { failedOf: id } })
            if (made.ok) ids.push(made.value.id)
            if (made.ok) await account.check(made.value.id)
          }
          const count = account.rows(id).length
          if ('row' in each && each.row < count)
            account.payRow(id, each.row + 1, each.do === 'block' ? 'blocked' : 'clear')
        }
        checkBooks(account)
      }
    }),
    { numRuns: cases(60, 400) },
  )
})

test('a run is checked, submitted and approved; its sum is held and paid row by row @runs-21', async () => {
  const account = createAccount()
  const read = [readRow(2, 10, '5'), readRow(3, 'ada@example.com', '2.5'), readRow(4, 11, 'bad'), readRow(5, 12, '1')]
  const { id } = unwrap(account.create(read))
  expect(account.submit(id), 'before it is checked').toMatchObject({ code: 'conflict' })
  await account.check(id)
  expect(account.rows(id).map(({ status }) => status)).toEqual(['waiting', 'waiting', 'left_out', 'waiting'])
  unwrap(account.submit(id))
  const view = runView(account.context, account.runNow(id))
  expect(view).toMatchObject({
    status: 'WAITING',
    leftOut: 1,
    total: { rows: 3, amount: '8.5' },
    wouldPass: { ok: true },
  })
  expect(view.sentence).toContain('3 payments, 8.50 USDC, to 3 people; 1 row is left out')
  expect(account.approve(id, 'usr_test', { hash: '0'.repeat(64) })).toMatchObject({ code: 'conflict', field: 'hash' })
  unwrapDecision(account.approve(id))
  expect(account.held()).toBe(8_500_000)
  expect(account.payRow(id, 1)).toMatchObject({ ok: true })
  expect(account.payRow(id, 1), 'again: nothing').toEqual({ ok: true, value: null })
  expect(account.runNow(id).held).toBe(3_500_000)
  expect(account.held()).toBe(8_500_000)
  unwrap(account.stop(id))
  expect(account.held(), 'only the payment that was handed over').toBe(5_000_000)
  expect(runView(account.context, account.runNow(id))).toMatchObject({
    ...{
      status: 'STOPPED',
      handedOver: { rows: 1, amount: '5' },
      released: { rows: 2, amount: '3.5' },
      payableAgain: 2,
    },
  })
})

const unwrapDecision = (result: unknown) => expect(result).toMatchObject({ ok: true })

test('the same rows from the same wallet are one run, unless it was cancelled or said so @runs-22', async () => {
  const account = createAccount()
  const read = [readRow(2, 10, '5'), readRow(3, 11, '1')]
  const { id } = unwrap(account.create(read))
  expect(account.create(read)).toMatchObject({ code: 'same_run', existing: id })
  expect(account.create([...read, readRow(4, 12, '1')]).ok, 'other rows').toBe(true)
  const again = unwrap(account.create(read, { again: true }))
  expect(account.create(read)).toMatchObject({ code: 'same_run', existing: again.id })
  unwrap(account.stop(again.id))
  expect(account.create(read).ok, 'it was cancelled').toBe(true)
})

test('the same key makes one run, also with again set @runs-23', () => {
  const account = createAccount()
  const read = [readRow(2, 10, '5')]
  const first = unwrap(account.create(read, { key: 'k', again: true }))
  expect(unwrap(account.create(read, { key: 'k', again: true })).id).toBe(first.id)
  expect(account.create([readRow(2, 10, '6')], { key: 'k', again: true })).toMatchObject({
    code: 'idempotency_key_reused',
  })
})

test('a refused recipient fails its row only, and is paid again by a new run, once @runs-24', async () => {
  const account = createAccount()
  const { id } = unwrap(account.create([readRow(2, 10, '5'), readRow(3, 11, '1')]))
  await account.check(id)
  unwrap(account.submit(id))
  unwrapDecision(account.approve(id))
  expect(account.payRow(id, 1, 'blocked')).toMatchObject({ code: 'recipient_blocked' })
  expect(account.rows(id)[0]).toMatchObject({ status: 'failed', error_code: 'recipient_blocked' })
  expect(account.held()).toBe(1_000_000)
  expect(account.create([], { from: { failedOf: id } }), 'it has not ended').toMatchObject({ code: 'not_found' })
  account.payRow(id, 2)
  const [payment] = account.store.all<PaymentRow>('SELECT * FROM payment')
  account.store.transaction(() => stopUnsigned(account.context, payment!, 'cancelled'))
  expect(account.finish(id)).toBe(true)
  const again = unwrap(account.create([], { from: { failedOf: id } }))
  expect(account.rows(again.id).map(({ line, amount }) => [line, amount])).toEqual([
    [2, 5_000_000],
    [3, 1_000_000],
  ])
  expect(account.create([], { from: { failedOf: id } }), 'they are in a run').toMatchObject({ code: 'unprocessable' })
  unwrap(account.stop(again.id))
  const third = unwrap(account.create([], { from: { failedOf: id } }))
  expect(account.rows(third.id)).toHaveLength(2)
  expect(account.create([], { from: { failedOf: again.id } }), 'the other one has them').toMatchObject({
    code: 'unprocessable',
  })
})

test('a contact that changed after the check is not paid @runs-25', async () => {
  const account = createAccount()
  const ada = {
    id: 'ctc_ada',
    name: 'Ada',
    address: addressOf(20),
    email: null,
    phone: null,
    changedBy: null,
    updatedAt: 0,
  }
  const { id } = unwrap(
    account.create([readRow(2, 'contact:Ada', '5'), readRow(3, 'contact:Bo', '1')], { contacts: { Ada: [ada] } }),
  )
  await account.check(id)
  expect(account.rows(id)[1]).toMatchObject({
    status: 'left_out',
    problems: expect.stringContaining('no contact named'),
  })
  unwrap(account.submit(id))
  unwrapDecision(account.approve(id))
  contactChanged(account.context, 'ctc_ada', { address: addressOf(21), email: null, phone: null, name: 'Ada' })
  expect(account.payRow(id, 1)).toMatchObject({ code: 'contact_changed' })
  expect(account.rows(id)[0]).toMatchObject({ status: 'failed', error_code: 'contact_changed' })
  expect(account.held()).toBe(0)
  expect(account.finish(id)).toBe(true)
  const again = unwrap(account.create([], { from: { failedOf: id } }))
  expect(account.rows(again.id)[0], 'a new run has the contact as it is').toMatchObject({ to_address: addressOf(21) })
})

test('above the limit a run needs an approver who neither made nor submitted it @runs-26', async () => {
  const account = createAccount()
  const { as } = account
  account.joined('usr_bob', 'approver')
  const carol = account.joined('usr_carol', 'preparer')
  account.setLimit('10')
  const run = async (to: number, amount: string, by = 'usr_test') => {
    const { id } = unwrap(as(by, () => account.create([readRow(2, to, amount)], { by: { userId: by, name: by } })))
    await account.check(id)
    unwrap(as(by, () => account.submit(id, by)))
    return id
  }
  const decide = (who: string, id: string) => as(who, () => account.approve(id, who))
  const [small, large, carols] = [await run(10, '6'), await run(11, '11'), await run(12, '20', 'usr_carol')]
  expect(decide('usr_test', small), 'up to the limit the owner decides').toMatchObject({ ok: true })
  expect(decide('usr_test', large)).toMatchObject({ code: 'second_person_required' })
  expect(decide('usr_bob', large)).toMatchObject({ ok: true, value: { status: 'RUNNING', decided_by: 'usr_bob' } })
  unwrap(account.setRole(carol, 'approver'))
  // Sums are kept in periods of 15 minutes.
  account.clock.now += dayMs + 15 * minuteMs
  expect(decide('usr_carol', carols), 'she made it').toMatchObject({ code: 'second_person_required' })
  expect(decide('usr_bob', carols)).toMatchObject({ ok: true })
  const another = await run(13, '6')
  expect(decide('usr_test', another), 'a day later the owner’s sum is empty').toMatchObject({ ok: true })
  const third = await run(14, '6')
  expect(decide('usr_test', third), 'runs add up').toMatchObject({ code: 'second_person_required' })
})

test('a run that nobody decides about ends after seven days; nothing is held for it @runs-27', async () => {
  const account = createAccount()
  const { id } = unwrap(account.create([readRow(2, 10, '5')]))
  await account.check(id)
  unwrap(account.submit(id))
  expect(noticeCount(account.context)).toMatchObject({ pending: 1 })
  account.clock.now += 7 * dayMs
  expect(noticeCount(account.context)).toMatchObject({ pending: 0 })
  expect(account.approve(id)).toMatchObject({ code: 'conflict', field: 'status' })
  expect(account.stop(id)).toMatchObject({ code: 'conflict' })
  expect(account.runNow(id)).toMatchObject({ status: 'EXPIRED', held: 0 })
})

test('a run is made again each month, checks and submits itself, and waits for its own decision @runs-29', async () => {
  const account = createAccount()
  const { context, clock, store } = account
  clock.now = Date.UTC(2026, 0, 31, 9)
  const { id } = unwrap(account.create([readRow(2, 10, '5'), readRow(3, 11, 'bad')]))
  await account.check(id)
  expect(setRepeat(context, id, { every: 'month', times: 2 }), 'a draft').toMatchObject({ code: 'conflict' })
  unwrap(account.submit(id))
  unwrap(setRepeat(context, id, { every: 'month', times: 2 }))
  const days: string[] = []
  for (let month = 0; month < 3; month++) {
    clock.now = account.runNow(id).repeat_at ?? clock.now + 31 * dayMs
    await continueRuns(context)
    await continueRuns(context)
    days.push(new Date(clock.now).toISOString().slice(0, 10))
  }
  expect(days.slice(0, 2)).toEqual(['2026-02-28', '2026-03-31'])
  const made = store.all<RunRow>('SELECT * FROM run WHERE made_from = ? ORDER BY created_at', id)
  expect(made.map(({ rows, status }) => [rows, status])).toEqual([
    [1, 'EXPIRED'],
    [1, 'EXPIRED'],
  ])
  expect(made.map(({ submitted_by }) => submitted_by)).toEqual(['usr_test', 'usr_test'])
  expect(account.held(), 'nothing is paid without a decision').toBe(0)
})

test('what a run holds is not available to others, and survives a new session key @runs-28', async () => {
  const account = createAccount('100')
  const { id } = unwrap(account.create([readRow(2, 10, '60'), readRow(3, 11, '30')]))
  await account.check(id)
  unwrap(account.submit(id))
  unwrapDecision(account.approve(id))
  expect(account.pay({ amount: usdc('11') })).toMatchObject({ code: 'session_limit_exceeded' })
  expect(account.pay({ amount: usdc('10') })).toMatchObject({ ok: true })
  account.store.run('UPDATE session SET current = 0')
  account.store.run(
    "INSERT INTO session (wallet_id, epoch, key_address, sealed_key, spend_limit, valid_until, current) VALUES ('wal', 2, '0x', '', 70000000, 4000000000, 1)",
  )
  expect(account.pay({ amount: usdc('1') }), 'the run holds more than the key allows').toMatchObject({ ok: false })
  expect(account.payRow(id, 1), 'it waits').toMatchObject({ code: 'session_limit_exceeded' })
  expect(account.rows(id)[0]).toMatchObject({ status: 'waiting' })
})
