import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { giveUpMs } from '#domain/intent.ts'
import { heads } from '../../worker/treasury/core/chainHeads.ts'
import { openKeys } from '../../worker/treasury/wallets/sessionKeys.ts'
import { usdc } from '../support/build.ts'
import { kill } from '../support/kill.ts'
import { becomes, isPaid, look, pass, settlesAs } from '../support/manualClock.ts'
import { accepted, manualChain as chain, createPayer, fresh, type Payer, prepare, until } from '../support/payer.ts'
import { inTreasury, setClock } from '../support/treasuries.ts'

beforeAll(prepare)
afterEach(() => chain.fault({ mode: 'none' }))

/** Sets the Treasury's clock `ms` ahead. */
const ahead = (payer: Payer, ms: number) => setClock(payer, () => Date.now() + ms)
const intent = (payer: Payer, id: string) =>
  inTreasury(payer, (object) => {
    const { epoch, sequence, sig_version, max_deadline } = object.context.store.payment(id)!
    return { epoch, sequence, sig_version, max_deadline }
  })

describe('a payment with an unknown outcome stays pending and held', () => {
  test('while the node is down a payment is accepted and held, and it is confirmed once the node recovers', async () => {
    const payer = await createPayer({ on: chain })
    await payer.ledger()
    await chain.fault({ mode: 'down' })
    const payment = await accepted(payer, { amount: usdc('5') })
    await look(payer)
    expect(await payer.groupNow()).toMatchObject({ held: '5', currentSpent: '0' })
    expect(['QUEUED', 'PROCESSING']).toContain(await payer.status(payment.id))
    await chain.fault({ mode: 'none' })
    await becomes(payer, payment.id, 'CONFIRMED')
    expect(await payer.groupNow()).toMatchObject({ held: '0', currentSpent: '5' })
    await payer.booksBalance()
  })

  test('if a node accepts a transaction and drops its reply, the payment is transferred once and confirmed @settlement-2', async () => {
    const payer = await createPayer({ on: chain })
    const to = fresh('shop')
    await chain.fault({ mode: 'swallow', methods: ['eth_sendRawTransaction'] })
    const payment = await accepted(payer, { to: { type: 'address', address: to }, amount: usdc('5') })
    await isPaid(to)
    await chain.fault({ mode: 'none' })
    await becomes(payer, payment.id, 'CONFIRMED')
    await chain.mine(3)
    await look(payer)
    expect(await chain.usdcBalance(to)).toBe(5_000_000n)
    await payer.booksBalance()
  })

  test('a mined payment that the node denies past its deadline stays held, and is then confirmed', async () => {
    const payer = await createPayer({ on: chain })
    const to = fresh('shop')
    const payment = await accepted(payer, { to: { type: 'address', address: to }, amount: usdc('5') })
    await chain.fault({ mode: 'lie' })
    await isPaid(to)
    await ahead(payer, giveUpMs + 1000)
    await pass(600)
    for (let i = 0; i < 3; i++) await look(payer)
    expect(await payer.status(payment.id)).toBe('PROCESSING')
    expect(await payer.groupNow()).toMatchObject({ held: '5', currentSpent: '0' })
    await chain.fault({ mode: 'none' })
    await becomes(payer, payment.id, 'CONFIRMED')
    await payer.booksBalance()
  })
})

describe('deadlines', () => {
  test('a payment close to its deadline is re-signed under the same nonce, and pays once', async () => {
    const payer = await createPayer({ on: chain })
    const to = fresh('shop')
    await payer.ledger()
    await chain.fault({ mode: 'down', methods: ['eth_sendRawTransaction'] })
    const payment = await accepted(payer, { to: { type: 'address', address: to }, amount: usdc('5') })
    await settlesAs(payer, payment.id, 'PROCESSING')
    const before = await intent(payer, payment.id)
    await pass(280)
    await look(payer)
    const after = await intent(payer, payment.id)
    expect(after).toMatchObject({ epoch: before.epoch, sequence: before.sequence, sig_version: before.sig_version + 1 })
    expect(after.max_deadline).toBeGreaterThan(before.max_deadline!)
    await chain.fault({ mode: 'none' })
    await becomes(payer, payment.id, 'CONFIRMED')
    expect(await chain.usdcBalance(to)).toBe(5_000_000n)
    await payer.booksBalance()
  })

  test('a payment is released only once its last deadline is final and nothing moved; then its budget is restored @settlement-3', async () => {
    const payer = await createPayer({ on: chain })
    await payer.ledger()
    await chain.fault({ mode: 'down', methods: ['eth_sendRawTransaction'] })
    const payment = await accepted(payer, { amount: usdc('5') })
    await settlesAs(payer, payment.id, 'PROCESSING')
    await ahead(payer, giveUpMs + 1000)
    await chain.node('evm_increaseTime', 310)
    await chain.mine()
    await look(payer)
    expect(await payer.status(payment.id), 'the deadline passed but is not final').toBe('PROCESSING')
    await chain.mine(4)
    await settlesAs(payer, payment.id, 'FAILED')
    expect(await payer.groupNow()).toMatchObject({ held: '0', currentSpent: '0', remaining: '50' })
    expect(await payer.booksBalance()).toMatchObject({ held: '0', available: '200' })
  })

  test('a payment that was never signed fails when its time is up, without proof from the chain', async () => {
    const payer = await createPayer({ on: chain })
    await payer.ledger()
    await inTreasury(payer, (object) => {
      heads(object.context).clear()
      openKeys(object.context).clear()
    })
    await chain.fault({ mode: 'down' })
    const payment = await accepted(payer, { amount: usdc('5') })
    await look(payer)
    expect(await payer.status(payment.id)).toBe('QUEUED')
    await ahead(payer, giveUpMs + 1000)
    await chain.fault({ mode: 'none' })
    await settlesAs(payer, payment.id, 'FAILED')
    expect(await payer.groupNow()).toMatchObject({ held: '0' })
  })

  test('A2: a signature made while the chain was being read wins over the release @settlement-1', async () => {
    const payer = await createPayer({ on: chain })
    const to = fresh('shop')
    await payer.ledger()
    await chain.fault({ mode: 'down', methods: ['eth_sendRawTransaction'] })
    const payment = await accepted(payer, { to: { type: 'address', address: to }, amount: usdc('5') })
    await settlesAs(payer, payment.id, 'PROCESSING')
    await pass(400)
    await chain.fault({ mode: 'none' })
    // The proof is read; before it is written a fresh signature is stored.
    await inTreasury(payer, async (object) => {
      const { context } = object
      const original = context.chains[84532].walletState.bind(context.chains[84532])
      let first = true
      context.chains[84532].walletState = async (address) => {
        const state = await original(address)
        if (first && context.store.payment(payment.id)!.status === 'PROCESSING') {
          first = false
          context.store.run(
            'UPDATE payment SET sig_version = sig_version + 1, max_deadline = max_deadline + 900 WHERE id = ?',
            payment.id,
          )
        }
        return state
      }
    })
    await ahead(payer, giveUpMs + 1000)
    await look(payer)
    expect(await payer.status(payment.id)).toBe('PROCESSING')
    expect(await payer.groupNow()).toMatchObject({ held: '5' })
  })
})

describe('crashes', () => {
  test('a Treasury aborted right after acceptance finishes the payment by its alarm @settlement-4', async () => {
    const payer = await createPayer({ on: chain })
    const payment = await accepted(payer, { amount: usdc('2') })
    await kill(payer.treasury())
    await until('confirmed', async () => {
      await chain.mine()
      const found = await payer.treasury().transaction(payment.id)
      return found.ok && found.value.status === 'CONFIRMED'
    })
    await payer.booksBalance()
  })
})
