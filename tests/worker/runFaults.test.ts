/** What holds a payout run up, and what goes on when that ends. */
import { beforeAll, expect, test } from 'vitest'
import { dayMs } from '#domain/time.ts'
import { RpcUnavailable } from '../../worker/chain/types.ts'
import type { Context } from '../../worker/treasury/core/context.ts'
import { stopAllRuns } from '../../worker/treasury/runs/end.ts'
import { copyRun, matchRows, type RecoverableRun, recoverableRun } from '../../worker/treasury/runs/restored.ts'
import { type AccountFixture, createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { joined } from '../support/members.ts'
import { fresh, until } from '../support/payer.ts'
import { inTreasury, runStep } from '../support/treasuries.ts'
import { waitingRun } from '../support/waitingRun.ts'
import type { Api } from './apiClient.ts'

let api: Api
let own: AccountFixture
beforeAll(async () => {
  api = await createTestApp()
  own = await createAccountFixture(api, { funds: 500_000_000n })
})

const runNow = async (id: string) => (await own.asOwner('GET', `/runs/${id}`)).json.data
const becomesDone = (id: string) =>
  until('the run is done', async () => {
    const run = await runNow(id)
    return run.status === 'DONE' && run
  })

/** Approves a run after `hold`, and takes a turn of it at once. */
async function heldUp(rows: { to: string; amount: string }[], hold: (context: Context) => void) {
  const run = await waitingRun(own, rows)
  const schedule = await inTreasury(own.user, ({ context }) => context.schedule)
  await inTreasury(own.user, ({ context }) => {
    // The next turn is the test's own.
    context.schedule = (kind, at) => (kind === 'runs' ? undefined : schedule(kind, at))
  })
  try {
    const decided = await own.asOwner('POST', `/runs/${run.id}/approve`, { hash: run.hash })
    expect(decided.status, decided.text).toBe(200)
    await inTreasury(own.user, async ({ context }) => {
      hold(context)
      await runStep(context, 'runs')
    })
  } finally {
    await inTreasury(own.user, ({ context }) => {
      context.schedule = schedule
    })
  }
  return run.id
}

test.each<[string, string, (context: Context) => void, (context: Context) => void]>([
  [
    'a paused wallet',
    'wallet_not_ready',
    ({ store }) => store.run('UPDATE wallet SET paused = 1'),
    ({ store }) => store.run('UPDATE wallet SET paused = 0'),
  ],
  [
    'a halted wallet',
    'wallet_not_ready',
    ({ store }) => store.run("UPDATE wallet SET halt_kind = 'books', halt_detail = 'test'"),
    ({ store }) => store.run('UPDATE wallet SET halt_kind = NULL, halt_detail = NULL'),
  ],
  [
    'a suspension',
    'account_suspended',
    ({ store, now }) => {
      store.suspension = { since: now(), version: 1 }
    },
    ({ store }) => {
      store.suspension = { since: null, version: 2 }
    },
  ],
  [
    'a session key that has ended',
    'session_key_expired',
    ({ store }) => store.run('UPDATE session SET valid_until = 1'),
    ({ store }) => store.run('UPDATE session SET valid_until = 4000000000'),
  ],
])('%s holds a run up, which says so, and goes on afterwards @runs-47', async (_, code, hold, undo) => {
  const id = await heldUp([{ to: fresh('held'), amount: '1' }], hold)
  const waits = await runNow(id)
  expect(waits).toMatchObject({ status: 'RUNNING', waiting: { rows: 1 }, waitsFor: { code } })
  await inTreasury(own.user, async ({ context }) => {
    undo(context)
    context.schedule('runs', context.now())
  })
  expect(await becomesDone(id)).toMatchObject({ waitsFor: null, paid: { rows: 1 } })
})

test('a silent node and a stop by operators hold a run up; nothing is handed over meanwhile @runs-48', async () => {
  const heads = await inTreasury(own.user, ({ context }) => context.chains[8453].head)
  const id = await heldUp([{ to: fresh('silent'), amount: '1' }], (context) => {
    context.chains[8453].head = () => Promise.reject(new RpcUnavailable('test'))
    const { now } = context
    context.now = () => now() + 60_000
  })
  expect(await runNow(id)).toMatchObject({ handedOver: { rows: 0 }, waitsFor: { code: 'upstream_unavailable' } })
  await inTreasury(own.user, async ({ context }) => {
    context.chains[8453].head = heads
    context.stop.mode = 'new'
    await runStep(context, 'runs')
    expect(context.store.payoutRun(id)).toMatchObject({ waits_code: 'payments_paused' })
    context.stop.mode = 'none'
    context.schedule('runs', context.now())
  })
  expect(await becomesDone(id)).toMatchObject({ paid: { rows: 1 } })
})

test('when the day’s messages are used up, other rows go on, and the rest is paid the next day @runs-49', async () => {
  const rows = [
    ...['a', 'b', 'c'].map((name) => ({ to: `${name}@run.bursar.test`, amount: '0.5' })),
    { to: fresh('after'), amount: '1' },
  ]
  const id = await heldUp(rows, (context) => {
    context.limits = { ...context.limits, emailsPerDay: 4, agentMessagePercent: 50 }
  })
  const first = await runNow(id)
  expect(first).toMatchObject({ waiting: { rows: 1 }, handedOver: { rows: 3 }, waitsFor: { code: 'message_limit' } })
  expect(first.waitsFor.until).toMatch(/T00:00:00.000Z$/)
  await inTreasury(own.user, async ({ context }) => {
    const { now } = context
    context.now = () => now() + dayMs
    await runStep(context, 'runs')
    context.now = now
    context.schedule('runs', context.now())
  })
  expect(await becomesDone(id)).toMatchObject({ handedOver: { rows: 4 }, awaitingClaim: { rows: 3 } })
})

test('after a restore no run goes on, its rows match its payments, and the same file is still one run @runs-52', async () => {
  const rows = [1, 2].map((n) => ({ to: fresh(`restored ${n}`), amount: '1' }))
  const run = await waitingRun(own, rows)
  const kept = await inTreasury(own.user, ({ context }) => recoverableRun(context.store, run.id)!)
  expect((await own.asOwner('POST', `/runs/${run.id}/approve`, { hash: run.hash })).status).toBe(200)
  await becomesDone(run.id)
  const later = await inTreasury(own.user, ({ context }) => recoverableRun(context.store, run.id)!)
  // The object goes back to the moment before the decision, but for the payments, which History knows.
  await inTreasury(own.user, ({ context }) => {
    const { store } = context
    store.transaction(() => {
      store.run("UPDATE run_row SET status = 'waiting', payment_id = NULL WHERE run_id = ?", run.id)
      copyRun(context, JSON.parse(kept) as RecoverableRun)
      copyRun(context, JSON.parse(later) as RecoverableRun)
      matchRows(context)
      stopAllRuns(context)
    })
  })
  expect(await runNow(run.id)).toMatchObject({ status: 'DONE', handedOver: { rows: 2 }, paid: { rows: 2 } })
  const again = await own.asOwner('POST', '/runs', { title: 'Run', walletId: own.wallet, rows })
  expect(again.json).toMatchObject({ code: 'same_run', existing: run.id })
})

test('of two decisions at once one counts, and a person who was removed no longer decides @runs-54', async () => {
  const bob = await joined(api, own, 'approver')
  const decide = (call: typeof own.asOwner, { id, hash }: { id: string; hash: string }, act: string) =>
    call('POST', `/runs/${id}/${act}`, act === 'stop' ? {} : { hash })
  for (const other of ['approve', 'deny', 'stop']) {
    const run = await waitingRun(own, [{ to: fresh(`at once ${other}`), amount: '1' }])
    const replies = await Promise.all([decide(own.asOwner, run, 'approve'), decide(bob.call, run, other)])
    const { status, decidedBy, waiting } = await runNow(run.id)
    const statuses = replies.map((reply) => reply.status).sort()
    // A run that has just been approved can be stopped.
    if (other === 'stop' && decidedBy) expect([statuses, status, waiting.rows]).toEqual([[200, 200], 'STOPPED', 0])
    else expect(statuses, `${other}: ${status}`).toEqual([200, 409])
  }
  const late = await waitingRun(own, [{ to: fresh('late'), amount: '1' }])
  expect((await own.asOwner('DELETE', `/people/${bob.memberId}`)).status).toBe(200)
  expect((await decide(bob.call, late, 'approve')).status).toBe(404)
  expect(await runNow(late.id)).toMatchObject({ status: 'WAITING' })
})

test('no credential of an agent reaches any route of runs @runs-53', async () => {
  const run = await waitingRun(own, [{ to: fresh('agent'), amount: '1' }])
  const routes = ['GET /', 'POST /', 'GET /:id', 'GET /:id/rows', 'GET /:id/export']
  const acts = ['submit', 'approve', 'deny', 'stop', 'repeat'].map((act) => `POST /:id/${act}`)
  for (const route of [...routes, ...acts]) {
    const [method, path] = route.split(' ') as [string, string]
    const body = method === 'POST' ? { hash: run.hash } : undefined
    const url = `/api/runs${path.replace(':id', run.id).replace(/\/$/, '')}`
    expect((await api.call(method, url, { token: own.apiKey, body })).status, route).toBe(401)
  }
  expect(await runNow(run.id)).toMatchObject({ status: 'WAITING' })
})
