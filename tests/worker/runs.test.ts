/** Payout runs over the API, with a real chain. */
import { beforeAll, expect, test } from 'vitest'
import { type AccountFixture, createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { kill } from '../support/kill.ts'
import { chain, fresh, until } from '../support/payer.ts'
import { treasuryOf } from '../support/treasuries.ts'
import { checkedRun, waitingRun } from '../support/waitingRun.ts'
import type { Api } from './apiClient.ts'

let api: Api
let own: AccountFixture
beforeAll(async () => {
  api = await createTestApp()
  own = await createAccountFixture(api, { funds: 500_000_000n })
})

const runNow = async (account: AccountFixture, id: string) => (await account.asOwner('GET', `/runs/${id}`)).json.data
const approve = (account: AccountFixture, { id, hash }: { id: string; hash: string }, more: object = {}) =>
  account.asOwner('POST', `/runs/${id}/approve`, { hash, ...more })
const ended = (account: AccountFixture, id: string) =>
  until('the run ends', async () => {
    const run = await runNow(account, id)
    return run.endedAt !== null && run
  })

test('a file is checked, approved and paid to addresses, mailboxes and contacts, each row once @runs-40', async () => {
  const [a, b] = [fresh('a'), fresh('b')]
  const csv = `to;amount;name;memo;reference\r\n${a};1.5;Ada;October;R-1\r\ncarol@example.com;2;;;R-2\r\ncontact:Carol;0.25;;;R-3\r\n${b};1.234,56;;;R-4\r\n`
  const made = await own.asOwner('POST', '/runs', { title: 'October', walletId: own.wallet, csv })
  expect(made.status, made.text).toBe(201)
  const { id } = made.json.data
  const checked = await until('checked', async () => {
    const run = await runNow(own, id)
    return run.hash && run
  })
  expect(checked).toMatchObject({ status: 'DRAFT', rows: 4, leftOut: 1, total: { rows: 3, amount: '3.75' }, people: 3 })
  const rows = (await own.asOwner('GET', `/runs/${id}/rows`)).json.data.rows
  expect(rows[3]).toMatchObject({ line: 5, status: 'left_out', problems: [expect.stringContaining('1234.56')] })
  const submitted = await own.asOwner('POST', `/runs/${id}/submit`)
  expect(submitted.json.data).toMatchObject({ status: 'WAITING' })
  expect(await runNow(own, id)).toMatchObject({ wouldPass: { ok: true } })
  const decided = await approve(own, submitted.json.data)
  expect(decided.json.data, decided.text).toMatchObject({ status: 'RUNNING' })
  const done = await ended(own, id)
  expect(done).toMatchObject({ status: 'DONE', handedOver: { rows: 3, amount: '3.75' }, paid: { rows: 2 } })
  expect(done.awaitingClaim).toEqual({ rows: 1, amount: '2' })
  expect(await chain.usdcBalance(a)).toBe(1_500_000n)
  expect((await own.asOwner('GET', `/transactions/user?run=${id}`)).json.page).toMatchObject({ total: 3 })
  const [header, ...lines] = (await own.asOwner('GET', `/transactions/export?run=${id}`)).text.trim().split('\r\n')
  expect([header!.endsWith(',Run ID'), lines.filter((line) => line.endsWith(`,${id}`)).length]).toEqual([true, 3])
  const file = await own.asOwner('GET', `/runs/${id}/export`)
  expect(file.text.split('\r\n')[1]).toContain(`2,${a},1.5,Ada,October,R-1,Paid,`)
  expect((await approve(own, submitted.json.data)).json.data.status, 'once more').toBe('DONE')
})

test('a file that can’t be used is refused with its line; the same rows are one run @runs-41', async () => {
  const create = (body: object) => own.asOwner('POST', '/runs', { title: 'Same', walletId: own.wallet, ...body })
  expect((await create({ csv: 'to,amount\n"0x,1' })).json).toMatchObject({
    code: 'invalid_input',
    field: 'csv',
    error: expect.stringMatching(/^Line 2/),
  })
  expect((await create({ csv: '' })).json).toMatchObject({ code: 'invalid_input', field: 'csv' })
  expect((await create({})).json).toMatchObject({ code: 'invalid_input', field: 'csv' })
  expect((await create({ csv: 'x'.repeat(256 * 1024 + 1) })).json).toMatchObject({ code: 'payload_too_large' })
  const rows = [{ to: fresh('same'), amount: '1' }]
  const all = await Promise.all([1, 2, 3].map(() => create({ rows })))
  expect(all.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  const made = all.find(({ status }) => status === 201)!
  const refused = all.find(({ status }) => status === 409)!
  expect(refused.json).toMatchObject({ code: 'same_run', existing: made.json.data.id })
  expect((await create({ rows, again: true })).status).toBe(201)
})

test('agents race a run for the last money: exactly the balance leaves @runs-42', async () => {
  const account = await createAccountFixture(api, { funds: 10_000_000n, limit: 1000 })
  const run = await waitingRun(
    account,
    Array.from({ length: 6 }, (_, i) => ({ to: fresh(`race ${i}`), amount: '1' })),
  )
  const agents = Array.from({ length: 200 }, (_, i) =>
    account.pay({ to: { type: 'address', address: fresh(`agent ${i}`) }, amount: '1' }),
  )
  const decided = approve(account, run)
  const statuses = (await Promise.all(agents)).map(({ status }) => status)
  const isApproved = (await decided).status === 200
  const paid = statuses.filter((status) => status === 201).length
  expect(paid + (isApproved ? 6 : 0)).toBeLessThanOrEqual(10)
  expect(isApproved ? paid : 10).toBe(isApproved ? 4 : paid)
  if (isApproved) expect(await ended(account, run.id)).toMatchObject({ status: 'DONE', paid: { rows: 6, amount: '6' } })
})

test('what is stopped is released; what is on its way arrives; the rest can be paid again @runs-43', async () => {
  const account = await createAccountFixture(api, { funds: 100_000_000n })
  const rows = Array.from({ length: 60 }, (_, i) => ({ to: fresh(`stop ${i}`), amount: '1' }))
  const run = await waitingRun(account, rows)
  expect((await approve(account, run)).status).toBe(200)
  await until('some are handed over', async () => (await runNow(account, run.id)).handedOver.rows > 0)
  const stopped = (await account.asOwner('POST', `/runs/${run.id}/stop`)).json.data
  expect(stopped).toMatchObject({ status: 'STOPPED', waiting: { rows: 0 } })
  expect(stopped.handedOver.rows + stopped.released.rows).toBe(60)
  const settled = await until('all arrived', async () => {
    const now = await runNow(account, run.id)
    return now.onTheirWay.rows === 0 && now
  })
  expect(settled.paid.rows).toBe(stopped.handedOver.rows)
  const again = await account.asOwner('POST', '/runs', { title: 'Rest', walletId: account.wallet, failedOf: run.id })
  expect(again.json.data, again.text).toMatchObject({ rows: stopped.released.rows, madeFrom: { id: run.id } })
  expect((await account.asOwner('GET', `/wallets/${account.wallet}/ledger`)).json.data).toMatchObject({ held: '0' })
})

test('a killed object goes on with its run; nobody is paid twice @runs-44', { tags: ['all'] }, async () => {
  const account = await createAccountFixture(api, { funds: 100_000_000n })
  const rows = Array.from({ length: 40 }, (_, i) => ({ to: fresh(`kill ${i}`), amount: '0.5' }))
  const run = await waitingRun(account, rows)
  expect((await approve(account, run)).status).toBe(200)
  for (let kills = 0; kills < 2; kills++) {
    await until('a row more', async () => (await runNow(account, run.id)).handedOver.rows > kills * 5)
    await kill(treasuryOf(account.user))
  }
  expect(await ended(account, run.id)).toMatchObject({ status: 'DONE', paid: { rows: 40, amount: '20' } })
  for (const { to } of rows) expect(await chain.usdcBalance(to)).toBe(500_000n)
})

test('a run of a paused wallet can’t be approved; once it is resumed it can @runs-45', async () => {
  const account = await createAccountFixture(api, { funds: 100_000_000n })
  const run = await waitingRun(account, [{ to: fresh('paused'), amount: '1' }])
  await account.asOwner('POST', `/wallets/${account.wallet}/pause`)
  expect((await runNow(account, run.id)).wouldPass).toMatchObject({ ok: false })
  expect((await approve(account, run)).json).toMatchObject({ code: 'wallet_not_ready' })
  await account.asOwner('POST', `/wallets/${account.wallet}/resume`)
  expect((await approve(account, run)).status).toBe(200)
  expect(await ended(account, run.id)).toMatchObject({ status: 'DONE' })
})

test('a draft can be cancelled, and a denied run says why @runs-46', async () => {
  const draft = await checkedRun(own, [{ to: fresh('draft'), amount: '1' }])
  expect((await own.asOwner('POST', `/runs/${draft.id}/stop`)).json.data.status).toBe('CANCELLED')
  const run = await waitingRun(own, [{ to: fresh('denied'), amount: '1' }])
  const denied = await own.asOwner('POST', `/runs/${run.id}/deny`, { hash: run.hash, reason: 'Wrong month.' })
  expect(denied.json.data).toMatchObject({ status: 'DENIED', reason: 'Wrong month.' })
  expect((await approve(own, run)).json).toMatchObject({ code: 'conflict' })
})
