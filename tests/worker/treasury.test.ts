import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { RpcUnavailable } from '../../worker/chain/types.ts'
import { unwrap } from '../../worker/result.ts'
import { Notices } from '../../worker/treasury/outbox/notices/rpc.ts'
import { snapshots } from '../../worker/treasury/wallets/snapshots.ts'
import { treasuryOf } from '../../worker/treasuryOf.ts'
import { owner, toEmail, usdc } from '../support/build.ts'
import { changeNode } from '../support/manualClock.ts'
import { accepted, chain, createPayer, fresh, prepare, until } from '../support/payer.ts'
import { env } from '../support/testEnv.ts'
import { inTreasury } from '../support/treasuries.ts'
import { party } from '../support/workerChain.ts'

beforeAll(prepare)

test('an RPC object is released when its call returns', async () => {
  let released = 0
  const prototype: Partial<Disposable> = Notices.prototype as object
  prototype[Symbol.dispose] = () => {
    released += 1
  }
  onTestFinished(() => {
    delete prototype[Symbol.dispose]
  })
  expect(await treasuryOf(env, 'usr_released').notices().count()).toMatchObject({ pending: 0 })
  await until('released', async () => released === 1, 2_000)
})

describe('paying', () => {
  test('an agent pays under its policy and the books agree with the chain', async () => {
    const payer = await createPayer()
    const to = fresh('shop')
    const paid = await payer.pay({ to: { type: 'address', address: to }, amount: usdc('12.5') })
    expect(paid).toMatchObject({ ok: true })
    if (!paid.ok) return
    expect(await payer.final(paid.value.payment.id)).toMatchObject({ status: 'CONFIRMED', amountUsdc: '12.5' })
    expect(await chain.usdcBalance(to)).toBe(12_500_000n)
    expect(await payer.groupNow()).toMatchObject({ currentSpent: '12.5', held: '0', remaining: '37.5' })
    expect(await payer.booksBalance()).toMatchObject({ deposits: '200', out: '12.5', available: '187.5', held: '0' })
    expect(await payer.treasury().reports().auditCheck()).toMatchObject({ brokenAt: null })
  })

  test('a repeated idempotency key pays once; another amount under it is refused @treasury-2', async () => {
    const payer = await createPayer()
    const input = payer.payment({ amount: usdc('3') })
    const results = await Promise.all(Array.from({ length: 50 }, () => payer.treasury().payAsAgent(input)))
    const ids = new Set(results.map((result) => (result.ok ? result.value.payment.id : result.message)))
    expect(ids.size).toBe(1)
    expect(await payer.pay({ key: input.key, to: input.terms.to, amount: usdc('4') })).toMatchObject({
      ok: false,
      code: 'idempotency_key_reused',
    })
    await payer.final([...ids][0]!)
    expect(await payer.groupNow()).toMatchObject({ currentSpent: '3', held: '0' })
    await payer.booksBalance()
  })

  test('a refusal names the rule and its figures, and reserves nothing', async () => {
    const payer = await createPayer({ limit: '50' })
    const refused = await payer.pay({ amount: usdc('50.000001') })
    expect(refused).toMatchObject({
      ok: false,
      code: 'budget_exceeded',
      refusal: { rule: 'group.budget', limit: '50', spent: '0', held: '0', remaining: '50', max_allowed_now: '50' },
    })
    expect(await payer.groupNow()).toMatchObject({ held: '0' })
    expect(await payer.pay({ amount: usdc('50') })).toMatchObject({ ok: true })
  })

  test('a payment over the balance is refused only after the balance was read again', async () => {
    const payer = await createPayer({ funds: '5', limit: null })
    expect(await payer.pay({ amount: usdc('5.000001') })).toMatchObject({
      ok: false,
      code: 'insufficient_balance',
    })
    await chain.mint(payer.wallet.address as `0x${string}`, 1n)
    expect(await payer.pay({ amount: usdc('5.000001') })).toMatchObject({ ok: true })
  })

  test('a payment over the balance is not refused while the balance cannot be read @treasury-4', async () => {
    const payer = await createPayer({ funds: '5', limit: null })
    const input = payer.payment({ amount: usdc('5.000001') })
    const silent = () => Promise.reject(new RpcUnavailable('silent'))
    const restore = await changeNode(payer, () => ({ walletState: silent, logs: silent, head: silent }))
    await chain.mint(payer.wallet.address as `0x${string}`, 1n)
    await inTreasury(payer, ({ context }) => snapshots(context).clear()) // a reading is good for two seconds
    expect(await payer.treasury().payAsAgent(input)).toMatchObject({ ok: false, code: 'upstream_unavailable' })
    expect(await payer.treasury().checkPayment(input.principal, input.terms)).toMatchObject({
      ok: false,
      code: 'upstream_unavailable',
    })
    await restore()
    expect(await payer.treasury().payAsAgent(input)).toMatchObject({ ok: true })
  })

  test('the wallet itself, zero, USDC and the user’s own payouts are refused as recipients @send-36', async () => {
    const payer = await createPayer()
    const payment = payer.payment({ principal: owner, to: toEmail() })
    const payout = unwrap(await payer.treasury().createPayout(payment))
    for (const address of [
      payer.wallet.address,
      `0x${'0'.repeat(40)}`,
      chain.contracts.usdc,
      payout.escrowSubwalletAddress,
    ])
      expect(await payer.pay({ to: { type: 'address', address: address as `0x${string}` } }), address).toMatchObject({
        ok: false,
        field: 'toAddress',
      })
  })
})

describe('contacts', () => {
  const ada = { address: party('ada').address, email: 'ada@example.com', phone: null }
  const toAda = { type: 'contact' as const, contactId: 'contact_1' }

  test('A13: a changed contact is refused until confirmed, a deleted one immediately @treasury-3', async () => {
    const payer = await createPayer()
    const pay = () => payer.pay({ to: toAda })
    expect(await pay()).toMatchObject({ ok: true })
    await payer.policies().contactChanged('contact_1', ada)
    expect(await pay(), 'nothing changed').toMatchObject({ ok: true })
    await payer.policies().contactChanged('contact_1', { ...ada, address: fresh('other') })
    expect(await pay()).toMatchObject({ ok: false, code: 'contact_changed' })
    await payer.policies().contactChanged('contact_1', null)
    expect(await pay()).toMatchObject({ ok: false, code: 'recipient_not_allowed' })
  })
})

describe('race @treasury-1', () => {
  test('a budget of 50 allows exactly 50 of 200 parallel payments of 1 USDC by 4 agents', async () => {
    const payer = await createPayer({ funds: '200', limit: '50', agents: 4 })
    const to = fresh('merchant')
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        payer.pay({ principal: payer.principals[i % 4]!, to: { type: 'address', address: to } }),
      ),
    )
    expect(results.filter((result) => result.ok)).toHaveLength(50)
    for (const result of results) if (!result.ok) expect(result.code).toBe('budget_exceeded')
    await until('all settled', async () => (await payer.groupNow()).currentSpent === '50', 60_000)
    expect(await chain.usdcBalance(to)).toBe(50_000_000n)
    expect(await payer.groupNow()).toMatchObject({ held: '0', remaining: '0' })
    await payer.booksBalance()
  })
})

describe('payouts', () => {
  test('a payout counts as spent in its group only once it is claimed', async () => {
    const payer = await createPayer()
    const { id } = await accepted(payer, { to: { type: 'email', email: 'Bob@Example.com' }, amount: usdc('10') })
    const created = await payer.payoutBecomes(id, 'CREATED')
    expect(await payer.groupNow()).toMatchObject({ currentSpent: '0', held: '10' })
    expect(await chain.usdcBalance(created.escrowSubwalletAddress as `0x${string}`)).toBe(10_000_000n)
    expect(await payer.booksBalance()).toMatchObject({ escrowed: '10', held: '0', out: '10' })

    const to = fresh('bob')
    const claimed = await payer.treasury().claim({ payoutId: id, codeVersion: 1, to })
    expect(claimed).toMatchObject({ ok: true, value: { status: 'CLAIMING' } })
    expect(await payer.treasury().reclaim(id)).toMatchObject({ ok: false, code: 'conflict' })
    expect(await payer.treasury().claim({ payoutId: id, codeVersion: 1, to: fresh('eve') })).toMatchObject({
      ok: false,
      code: 'conflict',
    })
    await payer.payoutBecomes(id, 'WITHDRAWN')
    expect(await chain.usdcBalance(to)).toBe(10_000_000n)
    expect(await payer.groupNow()).toMatchObject({ currentSpent: '10', held: '0' })
    expect(await payer.final(id)).toMatchObject({ status: 'CONFIRMED' })
    await payer.booksBalance()
  })

  test('a payout is reclaimed by its sender; budget and wallet get exactly the amount back', async () => {
    const payer = await createPayer()
    const { id } = await accepted(payer, { to: { type: 'phone', phone: '+14155550123' }, amount: usdc('7') })
    await payer.payoutBecomes(id, 'CREATED')
    expect(await payer.treasury().reclaim(id)).toMatchObject({ ok: true })
    expect(await payer.treasury().claim({ payoutId: id, codeVersion: 1, to: fresh('late') })).toMatchObject({
      ok: false,
      code: 'gone',
    })
    await payer.payoutBecomes(id, 'RECLAIMED')
    await payer.returnedIsFinal()
    expect(await payer.groupNow()).toMatchObject({ currentSpent: '0', held: '0', remaining: '50' })
    expect(await payer.booksBalance()).toMatchObject({ returns: '7', available: '200' })
    expect(await payer.final(id)).toMatchObject({ status: 'CANCELLED' })
  })
})
