/** Runs that agents prepare: what their group's rules refuse, and how much an agent may have open. */
import { expect, test } from 'vitest'
import { person } from '#domain/actor.ts'
import { dayMs } from '#domain/time.ts'
import { unwrap } from '../../worker/result.ts'
import { actingAs } from '../../worker/treasury/core/acting.ts'
import type { Principal } from '../../worker/treasury/core/rpcTypes.ts'
import { deleteAgent } from '../../worker/treasury/reports/changes/agents.ts'
import { waitingRuns } from '../../worker/treasury/runs/end.ts'
import { checkPrepared, preparedRun, prepareRun } from '../../worker/treasury/runs/prepare.ts'
import { preparedView } from '../../worker/treasury/runs/preparedView.ts'
import { setRepeat } from '../../worker/treasury/runs/repeat.ts'
import type { PrepareRunInput } from '../../worker/treasury/runs/rpcTypes.ts'
import { continueRuns, pruneRuns } from '../../worker/treasury/runs/turns.ts'
import { runView } from '../../worker/treasury/runs/views.ts'
import { createBook } from '../support/book.ts'
import { addressOf, allScopes, usdc } from '../support/build.ts'
import { readRow, runsOf } from '../support/runs.ts'

const scopes = [...allScopes, 'payout_runs:prepare']

function createAccount() {
  const book = createBook({ funds: '1000' })
  const { context, store } = book
  store.run(
    "INSERT INTO owner (one, email, status, password_at, created_at, updated_at) VALUES (1, 'ann@acme.test', 'CONFIRMED', 0, 0, 0)",
  )
  let keys = 0
  const prepare = (principal: Principal, rows: PrepareRunInput['rows'], over: Partial<PrepareRunInput> = {}) =>
    prepareRun(context, {
      ...{ principal, title: 'November', rows, again: false, key: `k${keys++}`, replaces: null },
      ...over,
    })
  return {
    ...book,
    ...runsOf(book),
    prepare,
    /** A draft with its verdicts, as its agent sees it. */
    async prepared(principal: Principal, rows: PrepareRunInput['rows'], over: Partial<PrepareRunInput> = {}) {
      const { run } = unwrap(prepare(principal, rows, over))
      await checkPrepared(context, run.id)
      return preparedView(context, store.payoutRun(run.id)!)
    },
    viewOf: (id: string) => preparedView(context, store.payoutRun(id)!),
    asOwner: <T>(act: () => T): T => actingAs(person('usr_test'), act),
  }
}

test('what a group’s rules refuse about a row is its verdict; budgets, counts and hours are not @runs-81', async () => {
  const account = createAccount()
  const contact = { id: 'contact_1', name: 'Ada', address: addressOf(77), email: null, phone: null }
  const group = account.addGroup({
    scopes: scopes.filter((scope) => scope !== 'sms_payments:write'),
    spendLimit: usdc('1'),
    contacts: [contact],
    limits: {
      maxPayment: usdc('50'),
      emailDomains: ['acme.test'],
      periodBudget: { period: 'day', limit: usdc('1') },
      maxPayments: null,
    },
  })
  const agent = account.addAgent(group)
  const run = await account.prepared(agent, [
    readRow(2, 10, '40'),
    readRow(3, 11, '50.000001'),
    readRow(4, 'ada@acme.test', '5'),
    readRow(5, 'ada@evil.test', '5'),
    readRow(6, 'contact:Ada', '6'),
    readRow(7, 'contact:Bob', '6'),
    readRow(8, 12, 'bad'),
  ])
  const errors = run.verdicts.filter(({ level }) => level === 'error').map(({ line, detail }) => [line, detail])
  expect(errors).toEqual([
    [3, 'One payment may be at most 50.00 USDC.'],
    [5, 'The policy group does not allow payouts to this email domain.'],
    [7, 'Your policy group has no contact named “Bob”.'],
    [8, 'The amount is no number.'],
  ])
  expect(run).toMatchObject({ status: 'DRAFT', checked: true, rows: 7, left_out: 4, payments: 3, amount: '51' })
  expect(waitingRuns(account.context), 'counted with the requests that wait').toBe(1)
  expect(run.next).toMatch(/^4 rows would not be paid\. Correct the rows.*`replaces`.*give `url` to a person/)
  expect(runView(account.context, account.runNow(run.id)).madeBy).toEqual({ id: 'agt_0', name: 'agt_0', isAgent: true })

  const only = account.addGroup({ scopes: ['contact_payments:write', 'payout_runs:prepare'], contacts: [contact] })
  const other = account.addAgent(only)
  const little = await account.prepared(other, [readRow(2, 10, '1'), readRow(3, 'contact:Ada', '1')])
  expect(little.verdicts).toMatchObject([
    { row: 1, detail: 'The policy group "Group" does not allow address payments.' },
    {},
  ])
  const nothing = await account.prepared(other, [readRow(2, 10, '1')])
  expect(waitingRuns(account.context), 'with a row to pay').toBe(2)
  expect(nothing).toMatchObject({ payments: 0, summary: null, next: expect.stringMatching(/^No row can be paid/) })
  expect(account.prepare(account.addAgent(account.addGroup()), [readRow(2, 10, '1')])).toMatchObject({
    code: 'insufficient_scope',
    refusal: { rule: 'payout_runs:prepare' },
  })
  account.store.run('UPDATE credential SET expires_at = 1')
  expect(account.prepare(agent, [readRow(2, 10, '1')])).toMatchObject({ code: 'unauthenticated' })
})

test('an agent has at most three open runs and replaces only its own drafts; people’s runs have their own limit @runs-82', async () => {
  const account = createAccount()
  account.context.limits.agentOpenRuns = 3
  account.context.limits.openRuns = 5
  const group = account.addGroup({ scopes })
  const [ada, bob] = [account.addAgent(group), account.addAgent(group)]
  const row = (n: number) => [readRow(2, n, '1')]
  const first = await account.prepared(ada, row(10))
  await account.prepared(ada, row(11))
  await account.prepared(ada, row(12))
  expect(account.prepare(ada, row(13))).toMatchObject({ code: 'conflict', message: expect.stringMatching(/^3 runs/) })
  const mended = await account.prepared(ada, row(13), { replaces: first.id })
  expect([account.viewOf(first.id).status, mended.status]).toEqual(['CANCELLED', 'DRAFT'])
  expect(account.prepare(ada, row(14), { replaces: 'run_unknown' })).toMatchObject({
    code: 'not_found',
    field: 'replaces',
  })
  expect(account.prepare(bob, row(14), { replaces: mended.id })).toMatchObject({ code: 'not_found' })
  expect(preparedRun(account.context, 'agt_1', mended.id), 'others’ runs are not found').toBeNull()
  account.asOwner(() => unwrap(account.submit(mended.id)))
  expect(account.prepare(ada, row(14), { replaces: mended.id }), 'a person’s by now').toMatchObject({
    code: 'conflict',
  })
  expect(account.viewOf(mended.id)).toMatchObject({ status: 'WAITING', next: expect.stringContaining('by a person') })

  // A refused replacement cancels nothing, and what others have made is not told.
  const mine = unwrap(account.create(row(20), { title: 'Secret bonus' }))
  const draft = await account.prepared(bob, row(21))
  const same = account.prepare(bob, row(20), { replaces: draft.id })
  expect(same).toMatchObject({ code: 'same_run', message: expect.not.stringContaining('Secret') })
  expect(same).not.toHaveProperty('existing')
  expect(account.viewOf(draft.id).status).toBe('DRAFT')
  expect(account.prepare(bob, row(21))).toMatchObject({ code: 'same_run', existing: draft.id })
  expect((await account.prepared(bob, row(21), { again: true })).status).toBe('DRAFT')
  expect(account.prepare(bob, row(22)), 'all agents together').toMatchObject({
    message: expect.stringMatching(/^5 runs/),
  })
  expect(account.create(row(23)).ok, 'people have their own').toBe(true)

  const key = { key: 'one' }
  account.context.limits.openRuns = 20
  const made = unwrap(account.prepare(bob, row(24), key))
  expect(unwrap(account.prepare(bob, row(24), key))).toMatchObject({ replayed: true, run: { id: made.run.id } })
  expect(account.prepare(bob, row(25), key)).toMatchObject({ code: 'idempotency_key_reused' })
  expect(account.prepare(ada, row(26), key), 'each agent has its own keys').toMatchObject({
    message: expect.stringMatching(/^3 runs of this agent are open/),
  })

  account.asOwner(() => unwrap(account.stop(made.run.id)))
  account.clock.now += 31 * dayMs
  pruneRuns(account.context)
  expect(account.prepare(bob, row(24), key), 'a draft that was deleted since').toMatchObject({ code: 'gone' })
  account.clock.now -= 31 * dayMs

  unwrap(deleteAgent(account.context, 'agt_1'))
  expect(account.runNow(draft.id).status, 'a deleted agent’s drafts end').toBe('CANCELLED')
  expect(account.runNow(mine.id).status).toBe('DRAFT')
})

test('a run of an agent that is repeated is made by the person who submitted it @runs-83', async () => {
  const account = createAccount()
  const { context, store } = account
  const agent = account.addAgent(account.addGroup({ scopes }))
  const { id } = await account.prepared(agent, [readRow(2, 10, '1')])
  account.asOwner(() => unwrap(account.submit(id)))
  account.asOwner(() => unwrap(setRepeat(context, id, { every: 'week', times: 1 })))
  account.clock.now = store.payoutRun(id)!.repeat_at!
  await continueRuns(context)
  await continueRuns(context)
  const again = store.first<{ made_by: string; submitted_by: string }>('SELECT * FROM run WHERE made_from = ?', id)
  expect(again).toMatchObject({ made_by: 'usr_test', submitted_by: 'usr_test' })
})
