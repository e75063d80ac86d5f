import { afterEach, describe, expect, test } from 'vitest'
import { giveUpMs } from '#domain/intent.ts'
import type { StopMode } from '#domain/serviceStop.ts'
import { minuteMs } from '#domain/time.ts'
import { primaryDb } from '../../worker/db/d1.ts'
import { readStopRecord } from '../../worker/db/operatorControls.ts'
import { DeliveryStop } from '../../worker/relayer/deliveryStop.ts'
import { unwrap } from '../../worker/result.ts'
import { StopReader } from '../../worker/stops/reader.ts'
import { freshStop } from '../../worker/treasury/core/stop.ts'
import { createOpsApi } from '../support/accessStandIn.ts'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { usdc } from '../support/build.ts'
import { becomes, look, lookUntil, pass, settlesAs } from '../support/manualClock.ts'
import { callTool } from '../support/mcpMessages.ts'
import { accepted, chain, createPayer, fresh, manualChain, type Payer, prepare, until } from '../support/payer.ts'
import { forgetReadings, forgetStop, ownReader, setMode, withoutStopObject } from '../support/stops.ts'
import { inTreasury, setClock } from '../support/treasuries.ts'
import { env } from './apiClient.ts'

await prepare()
const { operate } = await createOpsApi('service-stop')
afterEach(async () => {
  for (const each of [chain, manualChain]) await each.fault({ mode: 'none' })
  await setMode('none')
  forgetReadings()
})

/** Sends an operator's command. Objects notice it once their last reading is too old. */
const stop = (mode: StopMode, from?: StopMode, email?: string) =>
  operate('POST', '/stop', { mode, reason: 'drill', ...(from && { from }) }, email)

/** Sets the Treasury's clock `ms` ahead. */
const ahead = (payer: Payer, ms: number) => setClock(payer, () => Date.now() + ms)

type Signed = { id: string; status: string; sequence: number | null; version: number; giveUpAt: number }
const payments = (payer: Payer) =>
  inTreasury(payer, (object) =>
    object.context.store.all<Signed>(
      'SELECT id, status, sequence, sig_version AS version, give_up_at AS giveUpAt FROM payment ORDER BY id',
    ),
  )
const signatures = async (payer: Payer) =>
  (await payments(payer)).map(({ id, sequence, version }) => [id, sequence, version])

describe('stop sign', () => {
  test('mode sign during a burst ends signing within 10 s; once it is lifted all payments settle, none twice @stop-1', async () => {
    const payer = await createPayer({ limit: null })
    await payer.ledger()
    await ownReader(payer)
    await inTreasury(payer, ({ context }) => {
      context.limits = { ...context.limits, agentInFlight: 10 }
      // No payment waits for a newer reading of the mode, however long the burst takes.
      const now = Date.now()
      context.now = () => now
    })
    const recipients = Array.from({ length: 24 }, (_, i) => fresh(`recipient ${i}`))
    const pay = (address: (typeof recipients)[number]) =>
      payer.pay({ to: { type: 'address', address }, amount: usdc('1') })
    await chain.fault({ mode: 'down', methods: ['eth_sendRawTransaction'] })

    // The command arrives in the middle of the burst: later payments wait or are refused.
    const burst = recipients.map(async (address, i) => {
      if (i === 16) expect((await stop('sign')).status).toBe(200)
      return pay(address)
    })
    const results = await Promise.all(burst)
    await ahead(payer, 10_000)
    expect(await pay(fresh('late'))).toMatchObject({ ok: false, code: 'payments_paused', retryAfter: 60 })
    const before = await signatures(payer)
    expect(before.filter(([, , version]) => version === 0).length, 'some wait for a signature').toBeGreaterThan(5)

    // Signed payments are delivered, and the slots that they free are not used.
    await chain.fault({ mode: 'none' })
    await until('signed ones confirmed', async () =>
      (await payments(payer)).every(({ status }) => status !== 'PROCESSING'),
    )
    await look(payer)
    expect(await signatures(payer)).toEqual(before)

    // Longer than a payment may wait: stopped time does not count.
    await ahead(payer, giveUpMs + 20_000)
    await look(payer)
    expect(await signatures(payer)).toEqual(before)
    expect((await payments(payer)).filter(({ status }) => status === 'FAILED')).toEqual([])

    expect((await stop('none', 'sign')).status).toBe(200)
    await ahead(payer, giveUpMs + 30_000)
    await lookUntil(payer, 'all confirmed', async () =>
      (await payments(payer)).every(({ status }) => status === 'CONFIRMED'),
    )
    const paid = await Promise.all(recipients.map((address) => chain.usdcBalance(address)))
    expect(paid).toEqual(results.map(({ ok }) => (ok ? 1_000_000n : 0n)))
    await payer.booksBalance()
    expect(await pay(fresh('after'))).toMatchObject({ ok: true })
  })

  test('a signed payment that misses its deadline during a stop stays held, and is later re-signed under its nonce @stop-2', async () => {
    const payer = await createPayer({ on: manualChain })
    await payer.ledger()
    await ownReader(payer)
    await manualChain.fault({ mode: 'down', methods: ['eth_sendRawTransaction'] })
    const to = fresh('shop')
    const payment = await accepted(payer, { to: { type: 'address', address: to }, amount: usdc('5') })
    await settlesAs(payer, payment.id, 'PROCESSING')
    const [signed] = await payments(payer)
    await stop('sign')
    await ahead(payer, 10_000)
    await look(payer)
    await pass(1_000)
    await ahead(payer, giveUpMs + minuteMs)
    await look(payer)
    await look(payer)
    expect(await payments(payer)).toEqual([signed])
    expect(await payer.groupNow()).toMatchObject({ held: '5', currentSpent: '0' })

    await manualChain.fault({ mode: 'none' })
    await stop('none', 'sign')
    await ahead(payer, giveUpMs + 70_000)
    await becomes(payer, payment.id, 'CONFIRMED')
    const [after] = await payments(payer)
    expect(after).toMatchObject({ sequence: signed!.sequence, version: signed!.version + 1 })
    expect(after!.giveUpAt - signed!.giveUpAt).toBeGreaterThan(giveUpMs)
    expect(await manualChain.usdcBalance(to)).toBe(5_000_000n)
    await payer.booksBalance()
  })

  test('while the stop object does not respond nothing is signed, and accepted payments wait @stop-3', async () => {
    const payer = await createPayer()
    await payer.ledger()
    const id = await withoutStopObject(payer, async (treasury) => {
      const { payment } = unwrap(await treasury.payAsAgent(payer.payment()))
      await treasury.alarm()
      expect(treasury.context.store.payment(payment.id)).toMatchObject({ status: 'QUEUED', sig_version: 0 })
      return payment.id
    })
    expect((await payer.final(id)).status).toBe('CONFIRMED')
  })
})

test('modes new and sign let only claims, reclaims and exits through; mode all refuses these too @stop-4', async () => {
  const app = await createTestApp()
  const own = await createAccountFixture(app)
  /** Makes the Treasury read the mode again, as it would five seconds later. */
  const reread = () => inTreasury(own, ({ context }) => forgetStop(context))
  const claim = ({ link, passcode }: { link: string; passcode: string }, recipientAddress: string) =>
    app.call('POST', '/api/escrow/claim', { body: { accessToken: link, passcode, recipientAddress } })
  const reclaim = ({ id }: { id: string }) => app.call('POST', `/api/escrow/${id}/reclaim`, { token: own.token })
  const [waiting, ...payouts] = await Promise.all(Array.from({ length: 4 }, () => own.createPayout()))
  const exit = {
    kind: 'revokeSession',
    ownerNonce: '0',
    deadline: 4_000_000_000,
    signature: `0x${'11'.repeat(64)}1b`,
  }
  const leave = () =>
    app.call('POST', `/api/wallets/smart-wallets-v2/${own.wallet}/owner-actions`, { token: own.token, body: exit })

  await stop('all')
  await reread()
  for (const refused of [await claim(waiting!, fresh('bob')), await reclaim(waiting!), await leave()])
    expect([refused.status, refused.json.code], refused.text).toEqual([503, 'payments_paused'])
  expect((await waiting!.shown()).status).toBe('CREATED')

  for (const [mode, from, claimed, reclaimed] of [
    ['sign', 'all', payouts[0]!, payouts[1]!],
    ['new', 'sign', payouts[2]!, waiting!],
  ] as const) {
    await stop(mode, from)
    await reread()
    forgetReadings()
    const to = fresh('bob')
    expect((await claim(claimed, to)).status, mode).toBe(200)
    expect((await reclaim(reclaimed)).status, mode).toBe(200)
    // The exit reaches the wallet, which refuses its signature.
    expect((await leave()).json.code, mode).not.toBe('payments_paused')
    await claimed.becomes('WITHDRAWN')
    await reclaimed.becomes('RECLAIMED')
    expect(await chain.usdcBalance(to)).toBe(2_000_000n)

    // Nothing else is paid by REST, MCP, dry run or dashboard.
    const body = { to: { type: 'address', address: fresh('shop') }, amount: '1' }
    const paid = await own.pay(body)
    expect([paid.status, paid.headers.get('retry-after')], mode).toEqual([503, '60'])
    expect(paid.json).toMatchObject({ code: 'payments_paused', rule: 'service.stopped', max_allowed_now: '0' })
    expect(paid.json.detail).toContain('paused by the operator')
    const check = await app.call('POST', '/v1/payments/check', { token: own.apiKey, body })
    expect(check.json, mode).toMatchObject({ allowed: false, refusal: { code: 'payments_paused' } })
    const args = { address: fresh('shop'), amount: '1', idempotency_key: crypto.randomUUID() }
    const tool = await callTool(app, own.apiKey, 'pay_address', args)
    expect(tool.content, mode).toMatchObject({ code: 'payments_paused', next: 'Try again in 60 seconds.' })
    const send = await app.call('POST', '/api/transactions/send', {
      token: own.token,
      body: { walletId: own.wallet, toAddress: fresh('shop'), amount: '1' },
    })
    expect([send.status, send.json.code], mode).toEqual([503, 'payments_paused'])
    expect(send.json.error).toContain('paused by the operator')
    const rotate = await app.call('POST', `/api/wallets/smart-wallets-v2/${own.wallet}/rotate-session-key`, {
      token: own.token,
      body: { spendingLimit: '1000000', ttlHours: 1 },
    })
    if (mode === 'new') expect(rotate.status, rotate.text).toBe(202)
    else expect([rotate.status, rotate.json.code]).toEqual([503, 'payments_paused'])
  }
})

test('in mode all the Relayer sends nothing, and afterwards sends what waited @stop-5', async () => {
  const payer = await createPayer()
  await payer.ledger()
  const health = () => env.RELAYER.getByName('8453:0').health()
  // Its reading stays young, however long the operator's command takes.
  const now = Date.now()
  await ownReader(payer)
  await setClock(payer, () => now)
  await inTreasury(payer, async ({ context }) => void (await freshStop(context)))
  await stop('all')
  forgetReadings()
  // Accepted and signed by a Treasury that has not noticed the stop yet.
  const to = fresh('shop')
  const payment = await accepted(payer, { to: { type: 'address', address: to } })
  await setClock(payer, Date.now)
  await until('held', async () => (await health()).holding === 'an operator has stopped it')
  expect(await payer.status(payment.id)).toBe('PROCESSING')
  expect(await chain.usdcBalance(to)).toBe(0n)
  await stop('none', 'all')
  forgetReadings()
  expect((await payer.final(payment.id)).status).toBe('CONFIRMED')
  expect(await chain.usdcBalance(to)).toBe(1_000_000n)
})

test('the Relayer follows a mode within five seconds; without the object it uses the last known mode, and sends if it knows none @stop-6', async () => {
  let [mode, edition, now]: [StopMode | 'down', number, number] = ['none', 1, 1_000]
  const reader = new StopReader(async () => {
    if (mode === 'down') throw new Error('the stop object is down')
    return { mode, since: null, frozen: {}, edition: edition++ }
  }, 1)
  reader.clock = { now: () => now }
  const reading = new DeliveryStop(env, reader)
  const isStopped = (at: number) => {
    now = at
    return reading.isStopped()
  }
  expect(await isStopped(1_000)).toBe(false)
  mode = 'all'
  expect([await isStopped(3_499), await isStopped(6_000)]).toEqual([false, true])
  mode = 'down'
  expect(await isStopped(11_000), 'the last reading').toBe(true)
  mode = 'sign'
  expect([await isStopped(11_999), await isStopped(12_000)]).toEqual([true, false])
  expect(await new DeliveryStop(env, new StopReader(() => Promise.reject(new Error('down')))).isStopped()).toBe(false)
})

test('an operator cannot lift a stop that they have not seen, and concurrent actions are both recorded @stop-7', async () => {
  await stop('new')
  const [stronger, lifted] = await Promise.all([stop('all'), stop('none', 'new', 'otto@bursar.example')])
  expect(stronger.json.data.mode).toBe('all')
  expect([200, 409]).toContain(lifted.status)
  expect((await stop('none', 'new')).status).toBe(409)
  expect((await stop('none')).status, 'without saying what is lifted').toBe(409)
  const db = primaryDb(env.DB)
  const { since, version } = (await readStopRecord(db)).stop
  expect((await stop('all')).json.data).toMatchObject({ mode: 'all', unconfirmed: [] })
  const repeated = (await readStopRecord(db)).stop
  expect(repeated, 'since the first command').toMatchObject({ mode: 'all', since })
  expect(repeated.version).toBeGreaterThan(version)
  expect((await stop('none', 'all')).json.data.mode).toBe('none')
  const acts = (await operate('GET', '/actions')).json.data
  expect(acts[0]).toMatchObject({ action: 'service.resume', reason: 'drill', detail: { mode: 'none', from: 'all' } })
  expect(acts.map(({ actor }: { actor: string }) => actor)).toContain('otto@bursar.example')
})
