/** Recipients send on what they keep (docs/features/kept-money.md). */
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { checksumAddress } from '#domain/validators.ts'
import { calldata } from '../../worker/chain/ownerCalls.ts'
import type { Address, Hex } from '../../worker/chain/types.ts'
import { unwrap } from '../../worker/result.ts'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { usdc } from '../support/build.ts'
import { cases } from '../support/cases.ts'
import { syncHistory } from '../support/histories.ts'
import { keptPayout, newNonce, recipientOf } from '../support/keptPayout.ts'
import { kill } from '../support/kill.ts'
import { createPayout, look, lookUntil, pass, payoutIs, payoutOf } from '../support/manualClock.ts'
import { chain as autoChain, createPayer, fresh, manualChain, type Payer, prepare, until } from '../support/payer.ts'
import { randomFrom } from '../support/random.ts'
import { relayerAhead, removeBlocks, stopFinality } from '../support/reorganization.ts'
import { copyOf, restoringOperator, works } from '../support/restoringOperator.ts'
import { forgetReadings, setMode } from '../support/stops.ts'
import { inTreasury, rowsOf } from '../support/treasuries.ts'
import { party } from '../support/workerChain.ts'

const chain = manualChain
let payer: Payer
beforeAll(async () => {
  await prepare()
  payer = await createPayer({ on: chain, limit: null })
  await setLimits({ sendOnsPerPayout: 5 })
})
afterEach(async () => {
  await chain.fault({ mode: 'none' })
  await relayerAhead(0)
  await setMode('none')
  forgetReadings()
})

/** Nothing is sent to the chain. */
const stopNode = () => chain.fault({ mode: 'refuse', methods: ['eth_sendRawTransaction'] })
const setLimits = (over: object) =>
  inTreasury(payer, ({ context }) => {
    context.limits = { ...context.limits, ...over }
  })
const failed = (kept: Awaited<ReturnType<typeof keptPayout>>, nonce: Hex) =>
  lookUntil(payer, 'transfer failed', async () => (await kept.stateOf(nonce)) === 'FAILED')
const admin = (call: string) => chain.act(party('usdc admin').address, chain.contracts.usdc, calldata(call))

describe('over HTTP', () => {
  test('a recipient keeps a payout, sees its balance and sends it on once, and the sender’s books do not change @send-on-1', async () => {
    const api = await createTestApp()
    const own = await createAccountFixture(api)
    const recipient = recipientOf('recipient over http', autoChain)
    const { link, passcode, id } = await own.createPayout()
    const page = async () => (await api.call('GET', `/api/escrow/claim/${link}`)).json.data
    expect(await page()).toMatchObject({ passkeyDomain: 'localhost', kept: false })
    const endpoints = await api.call('GET', '/.well-known/passkey-endpoints')
    expect(endpoints.json).toEqual({ prfUsageDetails: expect.stringMatching(/^http.*\/claim$/) })
    const claim = (over: object) =>
      api.call('POST', '/api/escrow/claim', {
        body: { accessToken: link, passcode, recipientAddress: recipient.address, kept: true, ...over },
      })
    expect(await claim({})).toMatchObject({ status: 400, json: { field: 'passkeyDomain' } })
    expect(await claim({ passkeyDomain: 'bursar.example' })).toMatchObject({
      status: 400,
      json: { field: 'passkeyDomain' },
    })
    const balance = () => api.call('GET', `/api/escrow/kept-balance/${link}`)
    expect((await balance()).status).toBe(409)
    expect((await claim({ passkeyDomain: 'localhost' })).status).toBe(200)
    await until('withdrawn', async () => (await page()).status === 'WITHDRAWN')
    expect(await page()).toMatchObject({ kept: true, withdrawnToAddress: recipient.address })
    expect((await balance()).json.data).toEqual({
      ...{ address: recipient.address, balance: '2' },
      now: expect.any(Number),
    })

    const ledger = async () => {
      const { available, held, spent, out, escrowed } = (await own.asOwner('GET', `/wallets/${own.wallet}/ledger`)).json
        .data
      return { available, held, spent, out, escrowed }
    }
    const before = await ledger()
    const to = fresh('receiver')
    const transfer = { to, amount: usdc('1.5'), validBefore: (await autoChain.timestamp()) + 1_800, nonce: newNonce() }
    const body = { accessToken: link, ...transfer, amount: '1.5', signature: await recipient.sign(transfer) }
    const send = (over: object = {}) => api.call('POST', '/api/escrow/send-on', { body: { ...body, ...over } })
    const sent = await send()
    expect(sent.json.data, sent.text).toEqual({
      nonce: body.nonce,
      state: 'PROCESSING',
      txHash: null,
      explorerUrl: null,
      sendsLeft: expect.any(Number),
    })
    const shown = (nonce: Hex) => api.call('GET', `/api/escrow/send-on/${link}?nonce=${nonce}`)
    await until('confirmed', async () => (await shown(body.nonce)).json.data.state === 'CONFIRMED')
    const again = (await send()).json.data
    expect(again).toMatchObject({ state: 'CONFIRMED', txHash: expect.stringMatching(/^0x/) })
    expect(again.explorerUrl).toContain(again.txHash)
    expect(await autoChain.usdcBalance(to)).toBe(usdc('1.5'))
    expect(await autoChain.usdcBalance(recipient.address)).toBe(usdc('0.5'))
    expect((await shown(newNonce())).status).toBe(404)
    expect((await api.call('GET', `/api/escrow/send-on/${link}`)).json).toMatchObject({ field: 'nonce' })
    expect(await send({ nonce: '0x12' })).toMatchObject({ status: 400, json: { field: 'nonce' } })
    expect(await ledger()).toEqual(before)
    const stored = await rowsOf(own, 'SELECT * FROM audit')
    expect(JSON.stringify(stored)).not.toContain(body.signature.slice(2, 40))
    // Letters that differ in the bits that the last one has.
    const another = `${link.slice(0, -1)}${link.endsWith('A') ? 'Q' : 'A'}`
    expect(await api.call('GET', `/api/escrow/kept-balance/${another}`)).toMatchObject({ status: 404 })
    expect((await own.asOwner('GET', `/escrow/${id}`)).json.data).toMatchObject({ status: 'WITHDRAWN' })
  })
})

describe('what is refused', () => {
  test('another key, chain, account, time, recipient or amount, and a stranger’s payout @send-on-2', async () => {
    const kept = await keptPayout(payer)
    const stranger = recipientOf('stranger', chain)
    const input = await kept.input()
    const { to, nonce } = input
    const transfer = { to, nonce, amount: input.amount, validBefore: input.validBefore }
    const now = await chain.timestamp()
    const blocked = fresh('blocked')
    await chain.blacklist(blocked)
    const { payer: wallet } = await payoutOf(payer, kept.id)
    const highS = `0x${input.signature.slice(2, 66)}${'f'.repeat(64)}1b` as const
    const refused: [Parameters<typeof kept.input>[0], string, string | undefined][] = [
      [{ signature: await stranger.sign(transfer) }, 'invalid_input', 'signature'],
      [{ signature: await kept.recipient.sign(transfer, { chainId: 8453 }) }, 'invalid_input', 'signature'],
      [{ signature: highS }, 'invalid_input', 'signature'],
      [{ signature: `0x${'00'.repeat(65)}` }, 'invalid_input', 'signature'],
      // Signed for another recipient, amount, end or nonce.
      [{ ...transfer, signature: input.signature, to: fresh('other') }, 'invalid_input', 'signature'],
      [{ ...transfer, signature: input.signature, amount: usdc('2') }, 'invalid_input', 'signature'],
      [{ ...transfer, signature: input.signature, validBefore: input.validBefore - 1 }, 'invalid_input', 'signature'],
      [{ ...transfer, signature: input.signature, nonce: newNonce() }, 'invalid_input', 'signature'],
      [{ validBefore: now + 40 * 60 }, 'invalid_input', 'validBefore'],
      [{ validBefore: now - 1 }, 'invalid_input', 'validBefore'],
      [{ validBefore: now + 20 }, 'invalid_input', 'validBefore'],
      [{ to: checksumAddress(wallet) }, 'invalid_input', 'to'],
      [{ to: chain.contracts.usdc }, 'invalid_input', 'to'],
      [{ to: chain.contracts.relay }, 'invalid_input', 'to'],
      [{ to: `0x${'00'.repeat(20)}` }, 'invalid_input', 'to'],
      [{ to: kept.recipient.address }, 'invalid_input', 'to'],
      [{ to: blocked }, 'recipient_blocked', 'to'],
      [{ amount: usdc('5.000001') }, 'insufficient_balance', 'amount'],
    ]
    for (const [over, code, field] of refused)
      expect(
        await kept.send(await kept.input(over)),
        JSON.stringify([over, code], (_, v) => `${v}`),
      ).toMatchObject({
        ok: false,
        code,
        field,
      })
    const other = await keptPayout(payer)
    const replayed = { ...(await kept.input()), payoutId: other.id }
    expect(await kept.send(replayed)).toMatchObject({ ok: false, field: 'signature' })
    expect(await rowsOf(payer, 'SELECT * FROM send_on')).toEqual([])
    await kept.send(await kept.input({ amount: usdc('5') }))
  })

  test('a payout that is not withdrawn, was claimed to an ordinary address, or is unknown @send-on-3', async () => {
    const kept = await keptPayout(payer)
    const input = await kept.input()
    await inTreasury(payer, ({ context }) => context.store.update('payout', kept.id, { kept_domain: null }))
    expect(await kept.send(input)).toMatchObject({ ok: false, code: 'unprocessable' })
    const { id: unclaimed } = await createPayout(payer)
    expect(await kept.send({ ...input, payoutId: unclaimed })).toMatchObject({ ok: false, code: 'conflict' })
    expect(await kept.send({ ...input, payoutId: 'unknown' })).toMatchObject({ ok: false, code: 'not_found' })
  })

  test('a second transfer while one is open, and a nonce of another transfer @send-on-4', async () => {
    const kept = await keptPayout(payer)
    await stopNode()
    const first = await kept.input()
    expect(await kept.send(first)).toMatchObject({ ok: true, value: { state: 'PROCESSING' } })
    expect(await kept.send(first)).toMatchObject({ ok: true, value: { state: 'PROCESSING', sendsLeft: 4 } })
    expect(await kept.send(await kept.input())).toMatchObject({ ok: false, code: 'conflict' })
    const changed = await kept.input({ nonce: first.nonce, to: fresh('other') })
    expect(await kept.send(changed)).toMatchObject({ ok: false, code: 'conflict', field: 'nonce' })
    await chain.fault({ mode: 'none' })
    await kept.becomes(first.nonce, 'CONFIRMED')
    const second = await kept.input()
    expect(await kept.send(second)).toMatchObject({ ok: true })
    await kept.becomes(second.nonce, 'CONFIRMED')
    expect(await chain.usdcBalance(kept.recipient.address)).toBe(usdc('3'))
  })

  test('more transfers than the payout, the day and the day’s gas allow @send-on-5', async () => {
    const kept = await keptPayout(payer)
    const send = async () => {
      const input = await kept.input({ amount: usdc('0.1') })
      const sent = await kept.send(input)
      if (sent.ok) await kept.becomes(input.nonce, 'CONFIRMED')
      return sent
    }
    await setLimits({ sendOnsPerPayout: 1 })
    expect(await send()).toMatchObject({ ok: true, value: { sendsLeft: 0 } })
    expect(await send()).toMatchObject({ ok: false, code: 'unprocessable' })
    await setLimits({ sendOnsPerPayout: 5, sendOnsPerDay: 1 })
    expect(await send()).toMatchObject({ ok: false, code: 'rate_limited', refusal: { rule: 'limits.send_ons' } })
    const gas = () =>
      rowsOf<{ principal: string; gas: number }>(payer, "SELECT principal, gas FROM gas_use WHERE principal = 'sendOn'")
    const used = (await gas())[0]!.gas
    await setLimits({ sendOnsPerDay: 5, sendOnGasPerDay: used })
    expect(await send()).toMatchObject({ ok: false, refusal: { rule: 'limits.send_on_gas' } })
    // The owner still pays.
    expect(await payer.pay({ amount: usdc('1') })).toMatchObject({ ok: true })
    await setLimits({ sendOnGasPerDay: 2_000_000 })
    expect(await send()).toMatchObject({ ok: true })
    expect(await gas()).toEqual([{ principal: 'sendOn', gas: used + 105_000 }])
  })
})

describe('when things go wrong', () => {
  test('a transfer that expires undelivered fails at a finalized block, costs no transfer, and another follows @send-on-6', async () => {
    const kept = await keptPayout(payer)
    await stopNode()
    const lost = await kept.input()
    unwrap(await kept.send(lost))
    await pass(31 * 60)
    await failed(kept, lost.nonce)
    expect(await kept.send(lost)).toMatchObject({ ok: true, value: { state: 'FAILED', txHash: null, sendsLeft: 5 } })
    expect(await rowsOf(payer, 'SELECT r, vs FROM send_on WHERE nonce = ?', lost.nonce)).toEqual([
      { r: null, vs: null },
    ])
    await chain.fault({ mode: 'none' })
    const next = await kept.input()
    unwrap(await kept.send(next))
    await kept.becomes(next.nonce, 'CONFIRMED')
    expect(await chain.usdcBalance(kept.recipient.address)).toBe(usdc('4'))
  })

  test('USDC that is paused, and a balance that falls before delivery, fail the transfer without moving money @send-on-7', async () => {
    const kept = await keptPayout(payer)
    await admin('pause()')
    const paused = await kept.input()
    unwrap(await kept.send(paused))
    await pass(31 * 60)
    await failed(kept, paused.nonce).finally(() => admin('unpause()'))

    await stopNode()
    const input = await kept.input({ amount: usdc('5') })
    unwrap(await kept.send(input))
    const taken = calldata('transfer(address,uint256)', fresh('elsewhere'), usdc('4'))
    await chain.act(kept.recipient.address, chain.contracts.usdc, taken)
    await chain.fault({ mode: 'none' })
    await chain.mine()
    await pass(31 * 60)
    await failed(kept, input.nonce)
    expect(await chain.usdcBalance(kept.recipient.address)).toBe(usdc('1'))
    expect(await chain.usdcBalance(input.to)).toBe(0n)
  })

  test('an authorization that somebody else delivered is confirmed, and is refused where it is not known @send-on-8', async () => {
    const kept = await keptPayout(payer)
    await stopNode()
    const input = await kept.input()
    const elsewhere = async ({ to, amount, validBefore, nonce, signature }: typeof input) =>
      chain.act(
        party('anyone').address,
        chain.contracts.usdc,
        calldata(
          'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
          ...[kept.recipient.address, to, amount, 0n, validBefore, nonce],
          ...([
            Number.parseInt(signature.slice(130), 16),
            `0x${signature.slice(2, 66)}`,
            `0x${signature.slice(66, 130)}`,
          ] as const),
        ),
      )
    unwrap(await kept.send(input))
    await elsewhere(input)
    await kept.becomes(input.nonce, 'CONFIRMED')
    expect(await chain.usdcBalance(input.to)).toBe(usdc('1'))
    const unknown = await kept.input()
    await elsewhere(unknown)
    expect(await kept.send(unknown)).toMatchObject({ ok: false, code: 'conflict', field: 'nonce' })
  })

  test('a reorganization that removes the transfer delivers it again, once @send-on-9', async () => {
    const kept = await keptPayout(payer)
    const { last, restore } = await stopFinality(payer)
    const input = await kept.input()
    unwrap(await kept.send(input))
    await kept.becomes(input.nonce, 'CONFIRMED')
    expect(await rowsOf(payer, 'SELECT 1 FROM send_on WHERE nonce = ? AND r IS NOT NULL', input.nonce)).toHaveLength(1)
    await removeBlocks(payer, last)
    await restore()
    await chain.mine(4)
    await until('delivered again and final', async () => {
      await chain.mine()
      await look(payer)
      await inTreasury(payer, ({ context }) => context.schedule('finality', 1))
      return (
        (
          await rowsOf(
            payer,
            "SELECT 1 FROM send_on WHERE nonce = ? AND status = 'CONFIRMED' AND r IS NULL",
            input.nonce,
          )
        ).length === 1
      )
    })
    expect(await chain.usdcBalance(input.to)).toBe(usdc('1'))
  })

  test('a reorganization that undoes the claim refuses transfers until the claim is back @send-on-10', async () => {
    const { last, restore } = await stopFinality(payer)
    const kept = await keptPayout(payer)
    const input = await kept.input()
    await chain.fault({ mode: 'refuse', methods: ['eth_sendRawTransaction'] })
    await removeBlocks(payer, last)
    expect(await kept.send(input)).toMatchObject({ ok: false, code: 'conflict' })
    await chain.fault({ mode: 'none' })
    await restore()
    await until('the claim is back', async () => {
      await chain.mine()
      await look(payer)
      return (await payoutOf(payer, kept.id)).status === 'WITHDRAWN'
    })
    const again = await kept.input()
    unwrap(await kept.send(again))
    await kept.becomes(again.nonce, 'CONFIRMED')
  })

  test('operators who stop delivery stop it; a suspended sender does not @send-on-11', async () => {
    const kept = await keptPayout(payer)
    const input = await kept.input()
    await setMode('all')
    forgetReadings()
    await inTreasury(payer, ({ context }) => {
      context.stop.readAt = Number.NEGATIVE_INFINITY
    })
    expect(await kept.send(input)).toMatchObject({ ok: false, code: 'payments_paused' })
    await setMode('none')
    forgetReadings()
    await inTreasury(payer, ({ context }) => {
      context.stop.readAt = Number.NEGATIVE_INFINITY
    })
    await payer.treasury().operators().suspend(true)
    unwrap(await kept.send(input))
    await kept.becomes(input.nonce, 'CONFIRMED')
    await payer.treasury().operators().suspend(false)
  })

  test('an account that was restored still keeps the payout, and a repeated transfer moves once @send-on-14', async () => {
    const restored = await createPayer({ on: chain })
    const earlier = await copyOf(restored)
    const kept = await keptPayout(restored)
    const input = await kept.input()
    unwrap(await kept.send(input))
    await kept.becomes(input.nonce, 'CONFIRMED')
    const lost = await kept.input()
    await syncHistory(restored)
    const { run, back, continueRestore } = await restoringOperator(restored)
    await run('freeze')
    await back(earlier)
    expect(await continueRestore()).toMatchObject({ state: 'open' })
    await works(restored)
    await payoutIs(restored, kept.id, 'WITHDRAWN')
    expect(await payoutOf(restored, kept.id)).toMatchObject({ kept_domain: 'localhost' })
    expect(await kept.stateOf(input.nonce)).toBe('Transfer not found.')
    expect(await kept.send(input)).toMatchObject({ ok: false, code: 'conflict', field: 'nonce' })
    unwrap(await kept.send(lost))
    await kept.becomes(lost.nonce, 'CONFIRMED')
    expect([await chain.usdcBalance(input.to), await chain.usdcBalance(lost.to)]).toEqual([usdc('1'), usdc('1')])
  })

  test('replies that are lost at random, and requests that are repeated, move each amount once @send-on-13', async () => {
    const kept = await keptPayout(payer)
    const random = randomFrom(51)
    /** Calls up to three times; the object is killed while it decides, after it has decided, or not at all. */
    const drop = async (call: () => Promise<unknown>) => {
      const lost = Array.from({ length: random.int(1, 3) }, () => call().catch(() => null))
      const when = random.int(0, 2)
      if (when === 1) await Promise.all(lost)
      if (when > 0) await kill(payer.treasury())
      await Promise.all(lost)
    }
    let balance: bigint = usdc('5')
    const receivers: Address[] = []
    for (let i = 0; i < cases(5, 50); i++) {
      if (i % 5 === 4) {
        const { id } = await createPayout(payer, { amount: usdc('0.5') })
        const { code_version: codeVersion } = await payoutOf(payer, id)
        const claimed = { payoutId: id, codeVersion, to: kept.recipient.address, keptDomain: 'localhost' }
        await drop(() => payer.treasury().claim(claimed))
        unwrap(await payer.treasury().claim(claimed))
        await payoutIs(payer, id, 'WITHDRAWN')
        balance += usdc('0.5')
        continue
      }
      const input = await kept.input({ amount: usdc('0.01') })
      await drop(() => kept.send(input))
      expect(await kept.send(input)).toMatchObject({ ok: true, value: { nonce: input.nonce } })
      await kept.becomes(input.nonce, 'CONFIRMED')
      receivers.push(input.to)
      balance -= usdc('0.01')
    }
    for (const to of receivers) expect(await chain.usdcBalance(to)).toBe(usdc('0.01'))
    expect(await chain.usdcBalance(kept.recipient.address)).toBe(balance)
  })
})
