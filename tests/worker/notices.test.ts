import { runDurableObjectAlarm } from 'cloudflare:test'
import { beforeAll, expect, test } from 'vitest'
import { dayMs, hourMs, minuteMs } from '#domain/time.ts'
import { audit } from '../../worker/treasury/ledger/audit.ts'
import { enqueueReturn } from '../../worker/treasury/outbox/enqueue.ts'
import { BooksDiffer } from '../../worker/treasury/settlement/scan.ts'
import { readAllNow } from '../../worker/treasury/wallets/idleReads.ts'
import { type AccountFixture, createAccountFixture } from '../support/accountFixture.ts'
import { fresh, prepare, until } from '../support/payer.ts'
import { inTreasury, rowsOf, runNow, runStep, setClock, treasuryOf } from '../support/treasuries.ts'
import { createApi, mailsTo, seed } from './apiClient.ts'

const api = createApi()
beforeAll(async () => {
  await prepare()
  await seed()
})

const pay = async (home: AccountFixture, body: Record<string, unknown>) => {
  const answer = await home.pay(body)
  expect(answer.status, answer.text).toBe(201)
  return answer.json.id as string
}
const emailOf = async (home: AccountFixture) =>
  (await home.asOwner('GET', `/users/${home.user}`)).json.data.email as string

test('the owner is notified when a budget passes 75, 90 and 100 %, once each, and again after a top-up @notices-1', async () => {
  const home = await createAccountFixture(api, { limit: 10 })
  const email = await emailOf(home)
  const sent = async () => (await mailsTo(email)).filter((text) => text.includes('The budget of Group')).length
  const to = { type: 'address', address: fresh('shop') }
  await pay(home, { to, amount: '7.4' })
  await pay(home, { to, amount: '0.2' }) // 76 %
  await until('the first mail', async () => (await sent()) === 1)
  expect((await mailsTo(email))[0]).toContain('75% used: 2.40 USDC of 10.00 USDC is left')
  await pay(home, { to, amount: '0.4' }) // 80 %: nothing new
  await pay(home, { to, amount: '2' }) // 100 %, past 90 at once
  await until('the last mail', async () => (await sent()) === 2)
  expect((await mailsTo(email))[0]).toContain('is used up')
  const topUp = await home.asOwner('POST', `/policy-groups/${home.group}/top-up`, { amount: '2' })
  expect(topUp.status, topUp.text).toBe(200)
  await pay(home, { to, amount: '1' }) // 11 of 12: 91 %
  await until('a mail of the new limit', async () => (await sent()) === 3)
  expect((await mailsTo(email))[0]).toContain('90% used')
})

test('recipients are reminded once three days and once a day before a payout expires, but not within an hour of its creation @notices-2', async () => {
  const home = await createAccountFixture(api)
  const recipient = `anna${Date.now()}@example.com`
  const id = await pay(home, { to: { type: 'email', email: recipient }, amount: '2' })
  const escrow = async () => (await home.asOwner('GET', `/escrow/${id}`)).json.data
  await until('claimable', async () => (await escrow()).status === 'CREATED')
  await until('link and code', async () => (await mailsTo(recipient)).length === 1)
  const expiresAt = Date.parse((await escrow()).expiresAt)
  const reminders = async () =>
    (await mailsTo(recipient)).filter(
      (text) => text.includes('still waiting') || text.includes('is waiting for you until'),
    )
  const at = async (time: number, account = home) => {
    await setClock(account, () => time)
    await runNow(account, 'expiry')
    // The outbox sends the mail, on the same clock.
    await setClock(account, () => time + 1_000)
    await runDurableObjectAlarm(treasuryOf(account))
  }
  await at(expiresAt - 4 * dayMs)
  expect(await reminders()).toHaveLength(0)
  await at(expiresAt - 3 * dayMs + 1_000)
  await until('the first reminder', async () => (await reminders()).length === 1)
  await at(expiresAt - 2 * dayMs)
  expect(await reminders()).toHaveLength(1)
  await at(expiresAt - dayMs + 1_000)
  await until('the second reminder', async () => (await reminders()).length === 2)

  // A payout for one day: its only reminder would arrive together with the link.
  const hasty = await createAccountFixture(api)
  const payout = await hasty.createPayout({ recipientEmail: `b${recipient}`, expiresInDays: 1 })
  await until('link and code', async () => (await mailsTo(`b${recipient}`)).length === 1)
  const end = Date.parse((await payout.shown()).expiresAt)
  for (const time of [end - dayMs + minuteMs, end - hourMs]) await at(time, hasty)
  expect(await mailsTo(`b${recipient}`)).toHaveLength(1)
})

test('a wallet whose books differ at a finalized block is halted and its owner notified; it resumes once they agree @notices-3', async () => {
  const home = await createAccountFixture(api)
  const email = await emailOf(home)
  const wallet = async () => (await home.asOwner('GET', '/wallets')).json.data[0]
  const ask = () =>
    api.call('POST', '/v1/payments/check', {
      token: home.apiKey,
      body: { to: { type: 'address', address: fresh('shop') }, amount: '1' },
    })
  const stopped = async () => (await mailsTo(email)).filter((text) => text.includes('are stopped'))
  /** Scans the idle wallet `minutes` later, with `tooMuch` added to its books. */
  const scan = (minutes: number, tooMuch: number) =>
    inTreasury(home, async ({ context }) => {
      const later = Date.now() + minutes * minuteMs
      context.now = () => later
      context.store.run('UPDATE wallet SET deposits = deposits + ?, scanned_block = scanned_block - 1', tooMuch)
      readAllNow(context)
      await runStep(context, 'scan').catch((error: unknown) => {
        if (!(error instanceof BooksDiffer)) throw error
      })
    })
  // The platform's alarms would read the wallet too, between two readings of this test.
  await inTreasury(home, async ({ alarms }, { storage }) => {
    alarms.clock.now = () => Date.now() + dayMs
    await storage.deleteAlarm()
    await alarms.inProgress('scan')
    await alarms.inProgress('finality')
  })
  await scan(0, 0)
  await scan(0, 7)
  // Reads the row, because listing a wallet whose balance differs from its books reads the chain too.
  const row = () => inTreasury(home, ({ context }) => context.store.wallet(home.wallet)!.halt_kind)
  expect(await row(), 'a node may lag').toBeNull()
  await scan(6, 0)
  expect(await row(), 'read again first').toBeNull()
  await scan(6, 0)
  expect(await wallet()).toMatchObject({ halted: 'books' })
  expect((await ask()).json).toMatchObject({ allowed: false, refusal: { code: 'wallet_not_ready' } })
  await scan(7, 0)
  await inTreasury(home, ({ context }) => context.schedule('outbox', 1))
  await until('the mail', async () => {
    await runDurableObjectAlarm(treasuryOf(home))
    return (await stopped()).length === 1
  })
  expect((await stopped())[0]).toContain(home.walletAddress)

  await scan(8, -7)
  expect(await wallet(), 'the chain has it again').toMatchObject({ halted: null })
  expect((await ask()).json).toMatchObject({ allowed: true })
  const { rows, brokenAt } = await treasuryOf(home).reports().auditCheck()
  expect([rows > 0, brokenAt]).toEqual([true, null])
})

test('the bell counts refusals and returned payouts until they are marked read; a GET marks nothing @notices-7', async () => {
  const home = await createAccountFixture(api, { limit: 10 })
  const get = async (path = '') => {
    const { status, json } = await home.asOwner('GET', `/notices${path}`)
    expect(status).toBe(200)
    return json.data
  }
  const read = (body: unknown, token = home.token) => api.call('POST', '/api/notices/read', { token, body })
  const added = await get()
  expect(added).toMatchObject({ notices: [{ event: 'agent.created' }], pending: 0, unread: 1 })
  expect((await read({ upTo: added.notices[0].id })).json.data).toEqual({ pending: 0, unread: 0 })
  const [warning] = await rowsOf<{ due_at: number }>(home, "SELECT due_at FROM timer WHERE kind = 'keys'")
  expect(warning!.due_at - Date.now(), 'a key of 30 days is announced in 23 days').toBeGreaterThan(22 * dayMs)
  for (const amount of ['11', '12']) await home.pay({ to: { type: 'address', address: fresh('shop') }, amount })
  const id = await pay(home, { to: { type: 'email', email: 'bell@example.com' }, amount: '2' })
  const ready = async () => (await home.asOwner('GET', `/escrow/${id}`)).json.data.status
  await until('claimable', async () => (await ready()) === 'CREATED')
  expect((await home.asOwner('POST', `/escrow/${id}/reclaim`)).status).toBe(200)
  await until('returned', async () => (await ready()) === 'RECLAIMED')
  expect(await get('/count'), 'the owner took it back').toMatchObject({ unread: 1 })
  await inTreasury(home, ({ context }) => {
    context.store.transaction(() => {
      audit(context.store, context.now(), 'payout.reclaimed', id, { by: 'expiry' })
      enqueueReturn(context, { ...context.store.payout(id)!, action_by: 'expiry' })
    })
    const later = Date.now() + 61 * minuteMs
    context.now = () => later
    context.schedule('outbox', 1)
  })
  const email = await emailOf(home)
  await until('the mail', async () => {
    await runDurableObjectAlarm(treasuryOf(home))
    return (await mailsTo(email)).some((text) => text.includes('Your payout of 2.00 USDC to bell'))
  })
  const { notices } = await get()
  expect(notices).toMatchObject([
    { event: 'payout.reclaimed', text: '2.00 USDC for bell@example.com came back', isRead: false },
    {
      event: 'payment.refused',
      times: 2,
      text: 'Agent was refused 2 payments',
      detail: expect.stringMatching(/^The last: 12\.00 USDC to 0x/),
    },
    { event: 'agent.created', isRead: true },
  ])
  expect(await get('/count'), 'a GET marks nothing').toEqual({ pending: 0, unread: 2 })

  for (const body of [{}, { upTo: 'all' }, { upTo: -1 }, { upTo: 1.5 }]) expect((await read(body)).status).toBe(400)
  expect((await read({ upTo: notices[0].id }, home.apiKey)).status, 'an agent').toBe(401)
  const other = await createAccountFixture(api)
  await read({ upTo: notices[0].id }, other.token)
  expect((await get('/count')).unread, 'another owner').toBe(2)
  expect((await read({ upTo: notices[1].id })).json.data).toEqual({ pending: 0, unread: 1 })
  expect((await read({ upTo: notices[0].id })).json.data).toEqual({ pending: 0, unread: 0 })
  expect((await get()).notices.map(({ isRead }: { isRead: boolean }) => isRead)).toEqual([true, true, true])
})
