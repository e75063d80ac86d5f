/** Screening of recipients by an oracle that is right, wrong, slow, dead or absent. */
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { sellerPair } from '#domain/x402/seller.ts'
import { dayMs, hourMs } from '../../worker/domain/time.ts'
import { unwrap } from '../../worker/result.ts'
import { lookups } from '../../worker/treasury/core/knownRecipients.ts'
import { type AccountFixture, createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { usdc } from '../support/build.ts'
import { keptPayout } from '../support/keptPayout.ts'
import { faultyOracles, type Oracle, oracleOn, screenBy } from '../support/oracles.ts'
import { ownerSignature } from '../support/ownerSigner.ts'
import { accepted, chain, createPayer, fresh, manualChain, type Payer, until } from '../support/payer.ts'
import { inTreasury, rowsOf, runStep, setClock } from '../support/treasuries.ts'
import { checkedRun, waitingRun } from '../support/waitingRun.ts'
import { createBuyer } from '../support/workerBuyer.ts'
import { party } from '../support/workerChain.ts'
import type { Api } from './apiClient.ts'

let api: Api
let own: AccountFixture
let oracle: Oracle
beforeAll(async () => {
  api = await createTestApp()
  own = await createAccountFixture(api, { funds: 500_000_000n, limit: 400 })
  oracle = await oracleOn(chain)
})
// Oracles that fail are logged.
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined))
afterEach(() => void vi.restoreAllMocks())

const toAddress = (address: string) => ({ type: 'address', address })
const claim = ({ link, passcode }: { link: string; passcode: string }, recipientAddress: string) =>
  api.call('POST', '/api/escrow/claim', { body: { accessToken: link, passcode, recipientAddress } })
const heldNow = async () => (await own.asOwner('GET', `/wallets/${own.wallet}/ledger`)).json.data.held as string

test('a listed address is refused without details: payments, dry runs and claims; nothing is held @screening-1', async () => {
  const payout = await own.createPayout()
  const held = await heldNow()
  await screenBy(own, oracle)
  const listed = fresh('listed')
  await oracle.list(listed)

  const paid = await own.pay({ to: toAddress(listed), amount: '1' })
  expect([paid.status, paid.json.code, paid.json.detail], paid.text).toEqual([
    ...[422, 'recipient_screened', 'This service can’t pay this address.'],
  ])
  expect(paid.json).not.toHaveProperty('rule')
  const body = { to: toAddress(listed), amount: '1' }
  const check = await api.call('POST', '/v1/payments/check', { token: own.apiKey, body })
  expect([check.status, check.json.code]).toEqual([422, 'recipient_screened'])
  const sent = await own.send({ toAddress: listed })
  expect([sent.status, sent.json]).toEqual([
    422,
    {
      ...{ success: false, code: 'recipient_screened', field: 'toAddress' },
      error: 'This service can’t pay this address.',
    },
  ])
  expect(await heldNow()).toBe(held)

  const claimed = await claim(payout, listed)
  expect([claimed.status, claimed.json.code, claimed.json.field]).toEqual([
    ...[422, 'recipient_screened', 'recipientAddress'],
  ])
  expect((await payout.shown()).status).toBe('CREATED')
  const to = fresh('clean')
  expect((await claim(payout, to)).status).toBe(200)
  await payout.becomes('WITHDRAWN')
  expect((await own.pay({ to: toAddress(to), amount: '1' })).status).toBe(201)
})

/** Moves the whole of what the owner asks for out of the wallet, signed with the owner's key. */
async function withdraw(to: string): Promise<number> {
  const path = `/wallets/smart-wallets-v2/${own.wallet}`
  const { ownerNonce, deadline } = (await own.asOwner('GET', `${path}/owner-signing-context`)).json.data
  const action = { kind: 'withdraw', token: chain.contracts.usdc, to: to as `0x${string}`, amount: 1_000_000n } as const
  const { key } = party(`owner ${own.user}`)
  const domain = { chainId: 8453, contract: own.walletAddress }
  const signature = ownerSignature(domain, action, { ownerNonce: BigInt(ownerNonce), deadline }, key)
  const body = { ...action, amount: '1000000', ownerNonce, deadline, signature }
  const done = await own.asOwner('POST', `${path}/owner-actions`, body)
  expect(done.status, done.text).toBe(202)
  return done.status
}

test('without a good answer agents and owner get 503 and nothing is held; reclaims and owner’s actions go on @screening-2', async () => {
  const [claimable, reclaimable] = [await own.createPayout(), await own.createPayout()]
  await screenBy(own, oracle)
  const held = await heldNow()
  const payments = () => rowsOf(own, 'SELECT id FROM payment')
  const before = await payments()
  for (const kind of faultyOracles) {
    await oracle.become(kind)
    const body = { to: toAddress(fresh(kind)), amount: '1' }
    const paid = await own.pay(body)
    expect([paid.status, paid.json.code, paid.headers.get('retry-after')], kind).toEqual([
      ...[503, 'screening_unavailable', '60'],
    ])
    const check = await api.call('POST', '/v1/payments/check', { token: own.apiKey, body })
    expect([check.status, check.json.code], kind).toEqual([503, 'screening_unavailable'])
    const sent = await own.send()
    expect([sent.status, sent.json.code], kind).toEqual([503, 'screening_unavailable'])
    const claimed = await claim(claimable, fresh('bob'))
    expect([claimed.status, claimed.json.code], kind).toEqual([503, 'screening_unavailable'])
  }
  expect([await heldNow(), await payments()]).toEqual([held, before])
  expect((await claimable.shown()).status).toBe('CREATED')

  // The oracle is absent, and lists the address besides.
  const listed = fresh('own account')
  await oracle.list(listed)
  expect((await own.asOwner('POST', `/escrow/${reclaimable.id}/reclaim`)).status).toBe(200)
  await reclaimable.becomes('RECLAIMED')
  await withdraw(listed)
  await until('withdrawn', async () => (await chain.usdcBalance(listed)) === 1_000_000n)
  // A payout's recipient is asked about when they claim.
  const later = await own.createPayout()

  await oracle.become('right')
  expect((await claim(claimable, fresh('bob'))).status).toBe(200)
  expect((await claim(later, fresh('bob'))).status).toBe(200)
  expect((await own.send()).status).toBe(201)
})

describe('a run', () => {
  const runNow = async (id: string) => (await own.asOwner('GET', `/runs/${id}`)).json.data
  const isDone = (id: string) =>
    until('the run is done', async () => {
      const run = await runNow(id)
      return run.status === 'DONE' && run
    })
  const decide = ({ id, hash }: { id: string; hash: string }) => own.asOwner('POST', `/runs/${id}/approve`, { hash })
  const forget = () => inTreasury(own, ({ context }) => lookups(context).clear())

  test('leaves out listed rows; one that is listed later fails when it is paid, and the others go on @screening-3', async () => {
    await screenBy(own, oracle)
    const [listed, later, clean] = [fresh('listed'), fresh('later'), fresh('clean')]
    await oracle.list(listed)
    const run = await checkedRun(
      own,
      [listed, later, clean].map((to) => ({ to, amount: '1' })),
    )
    expect(run.leftOut).toBe(1)
    const submitted = await own.asOwner('POST', `/runs/${run.id}/submit`)
    await oracle.list(later)
    await forget()
    const approved = await decide({ id: run.id, hash: submitted.json.data.hash })
    expect(approved.status, approved.text).toBe(200)
    expect(await isDone(run.id)).toMatchObject({ failed: { rows: 1 }, handedOver: { rows: 1 } })
    expect([await chain.usdcBalance(later), await chain.usdcBalance(listed)]).toEqual([0n, 0n])
  })

  test('holds nothing while the oracle is dead; if it dies later, the rows wait and none fails @screening-4', async () => {
    await screenBy(own, oracle)
    const rows = Array.from({ length: 3 }, (_, i) => ({ to: fresh(`row ${i}`), amount: '1' }))
    const run = await waitingRun(own, rows)
    const held = await heldNow()
    await oracle.become('dead')
    await forget()
    const refused = await decide(run)
    expect([refused.status, refused.json.code], refused.text).toEqual([503, 'screening_unavailable'])
    expect([await heldNow(), (await runNow(run.id)).status]).toEqual([held, 'WAITING'])

    await oracle.become('right')
    const schedule = await inTreasury(own, ({ context }) => context.schedule)
    await inTreasury(own, ({ context }) => {
      // The next turn is the test's own.
      context.schedule = (kind, at) => (kind === 'runs' ? undefined : schedule(kind, at))
    })
    expect((await decide(run)).status).toBe(200)
    await oracle.become('dead')
    await inTreasury(own, async ({ context }) => {
      lookups(context).clear()
      await runStep(context, 'runs')
    })
    expect(await runNow(run.id)).toMatchObject({
      ...{ status: 'RUNNING', waiting: { rows: 3 }, failed: { rows: 0 } },
      waitsFor: { code: 'screening_unavailable' },
    })
    await oracle.become('right')
    await inTreasury(own, ({ context }) => {
      context.schedule = schedule
      context.schedule('runs', context.now())
    })
    expect(await isDone(run.id)).toMatchObject({ handedOver: { rows: 3 }, failed: { rows: 0 }, waitsFor: null })
  })
})

describe('a known recipient', () => {
  test('is asked about once a day, and refused once it is listed; what was accepted before goes on @screening-5', async () => {
    const payer = await createPayer()
    const to = fresh('shop')
    const pay = () => payer.pay({ to: { type: 'address', address: to } })
    const isConfirmed = async (id: string) => expect((await payer.final(id)).status).toBe('CONFIRMED')
    await isConfirmed((await accepted(payer, { to: { type: 'address', address: to } })).id)
    const asked = await screenBy(payer, oracle)
    let ahead = 0
    await setClock(payer, () => Date.now() + ahead)
    const known = unwrap(await pay()).payment
    expect(asked.count, 'known from before there was an oracle').toBe(1)
    // Time passes only while nothing is open: what is open for a day is given up.
    await isConfirmed(known.id)
    ahead += 23 * hourMs
    // Nor after an eviction, which empties the memory.
    await inTreasury(payer, ({ context }) => context.memory.clear())
    const { payment } = unwrap(await pay())
    expect(asked.count).toBe(1)
    await oracle.list(to)
    await isConfirmed(payment.id)
    ahead += hourMs
    expect(await pay()).toMatchObject({ ok: false, code: 'recipient_screened' })
    expect(asked.count).toBe(2)
    await oracle.list(to, false)
    ahead += dayMs
    expect((await pay()).ok).toBe(true)
  })

  test('and a new one need no more readings than before where the setting is empty @screening-6', async () => {
    const payer = await createPayer()
    const asked = await screenBy(payer, null, 8453)
    const to = { type: 'address', address: fresh('shop') } as const
    await accepted(payer, { to })
    await accepted(payer, { to })
    expect(asked.count).toBe(0)
    const rows = await inTreasury(payer, ({ context }) => context.store.all('SELECT screened_at FROM known_recipient'))
    expect(rows).toEqual([{ screened_at: null }])
  })
})

const buyFrom = async (payer: Payer, name: string, address = fresh(name)) => {
  const host = `${name}.example`
  await inTreasury(payer, ({ context: { store, now } }) =>
    store.insert('seller', { pair: sellerPair(host, address), chain_id: 84532, confirmed_at: now(), asked_at: now() }),
  )
  const to = { type: 'x402', address, resource: `GET https://${host}/data` } as const
  const offer = { accepted: { scheme: 'exact', payTo: address, maxTimeoutSeconds: 60 } }
  return payer.treasury().payAsAgent({ ...payer.payment({ to, amount: usdc('0.5') }), offer })
}

test('a listed seller gets no signature; without an answer none does @screening-7', async () => {
  const payer = await createBuyer(10)
  const oracle = await oracleOn(manualChain)
  await screenBy(payer, oracle)
  const listed = fresh('seller')
  await oracle.list(listed)
  expect(await buyFrom(payer, 'listed', listed)).toMatchObject({ ok: false, code: 'recipient_screened' })
  await oracle.become('dead')
  expect(await buyFrom(payer, 'unknown')).toMatchObject({ ok: false, code: 'screening_unavailable' })
  expect(await payer.groupNow()).toMatchObject({ held: '0' })
  await oracle.become('right')
  expect(await buyFrom(payer, 'clean')).toMatchObject({ ok: true })
})

test('money that a recipient keeps is sent on neither to a listed address nor from a listed account @screening-8', async () => {
  const payer = await createPayer({ on: manualChain })
  const oracle = await oracleOn(manualChain)
  await screenBy(payer, oracle)
  const kept = await keptPayout(payer)
  const listed = fresh('listed')
  await oracle.list(listed)
  const first = await kept.input({ to: listed })
  expect(await kept.send(first)).toMatchObject({ ok: false, code: 'recipient_screened', field: 'to' })
  await oracle.become('dead')
  const second = await kept.input()
  expect(await kept.send(second)).toMatchObject({ ok: false, code: 'screening_unavailable' })
  await oracle.become('right')
  await oracle.list(kept.recipient.address)
  expect(await kept.send(second)).toMatchObject({ ok: false, code: 'recipient_screened' })
  await oracle.list(kept.recipient.address, false)
  expect(await kept.send(second)).toMatchObject({ ok: true })
  await oracle.become('dead')
  expect(await kept.send(second), 'known already').toMatchObject({ ok: true })
  await kept.becomes(second.nonce, 'CONFIRMED')
})
