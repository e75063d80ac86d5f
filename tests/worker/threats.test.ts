/** Threats of docs/threats.md that the Worker prevents, each under its id there. */

import { runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { giveUpMs, nonceOf } from '#domain/intent.ts'
import { usdcDomainSeparator } from '../../worker/chain/authorization.ts'
import { claimCall, sendCall } from '../../worker/chain/calls.ts'
import { sendDigest } from '../../worker/chain/digests.ts'
import { signPurchase } from '../../worker/chain/purchase.ts'
import { signCompact } from '../../worker/chain/sign.ts'
import { type Address, RpcUnavailable } from '../../worker/chain/types.ts'
import { unwrap } from '../../worker/result.ts'
import { payoutTerms } from '../../worker/treasury/core/contracts.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { loadSessionKey, openKeys } from '../../worker/treasury/wallets/sessionKeys.ts'
import { owner, toEmail, usdc } from '../support/build.ts'
import {
  changeNode,
  createPayout,
  isPaid,
  look,
  mineUntil,
  pass,
  payAndConfirm,
  payoutIs,
  payoutOf,
  settlesAs,
} from '../support/manualClock.ts'
import { accepted, manualChain as chain, createPayer, fresh, type Payer, prepare, until } from '../support/payer.ts'
import { settlePurchaseCall } from '../support/purchases.ts'
import { inTreasury, setClock } from '../support/treasuries.ts'
import { env, party } from '../support/workerChain.ts'

beforeAll(prepare)
afterEach(() => chain.fault({ mode: 'none' }))

async function createOwnersPayout(payer: Payer) {
  const payment = payer.payment({ principal: owner, to: toEmail('bob@example.com'), amount: usdc('5') })
  const made = unwrap(await payer.treasury().createPayout(payment))
  await payoutIs(payer, made.escrowId, 'CREATED')
  return made
}

test('A1: a session changed right after the payment does not erase its proof @threats-1', async () => {
  const payer = await createPayer({ on: chain })
  const to = fresh('shop')
  await payer.ledger()
  const paid = await accepted(payer, { to: { type: 'address', address: to }, amount: usdc('5') })
  await chain.fault({ mode: 'lie' })
  await isPaid(to)
  await payer.callWallet('setSession', [party('other').address, 1_000_000n, 0, (await chain.timestamp()) + 3600])
  await setClock(payer, () => Date.now() + giveUpMs + 1000)
  await chain.fault({ mode: 'none' })
  await pass(600)
  await settlesAs(payer, paid.id, 'CONFIRMED')
  expect(await payer.groupNow()).toMatchObject({ currentSpent: '5', held: '0' })
  await payer.booksBalance()
  expect(await payer.pay(), 'a session that is not ours').toMatchObject({
    ok: false,
    code: 'session_key_expired',
  })
})

test('A9: a claim that cannot land frees the payout only once its deadline is final; then its signature is void @threats-2', async () => {
  const payer = await createPayer({ on: chain })
  const payout = await createOwnersPayout(payer)
  const blocked = fresh('blocked')
  await chain.blacklist(blocked)
  const claimed = () => payer.treasury().claim({ payoutId: payout.escrowId, codeVersion: 1, to: blocked })
  expect(await claimed()).toMatchObject({ ok: false, code: 'recipient_blocked', field: 'recipientAddress' })
  // If the node cannot tell, the contract decides.
  const restore = await changeNode(payer, () => ({ isBlacklisted: () => Promise.reject(new RpcUnavailable('silent')) }))
  expect(await claimed()).toMatchObject({ ok: true })
  await restore()
  await look(payer)
  expect((await payoutOf(payer, payout.escrowId)).status).toBe('CLAIMING')
  expect(await payer.treasury().reclaim(payout.escrowId)).toMatchObject({ ok: false })
  await pass(320)
  await payoutIs(payer, payout.escrowId, 'CREATED')

  await chain.blacklist(blocked, 'unBlacklist')
  const row = await payoutOf(payer, payout.escrowId)
  const data = claimCall(payoutTerms(row), {
    to: blocked,
    atLeast: BigInt(row.amount),
    deadline: row.action_deadline!,
    r: row.action_r!,
    vs: row.action_vs!,
  })
  await expect(chain.node('eth_call', { to: chain.contracts.escrow, data }, 'latest')).rejects.toThrow()
  const to = fresh('other')
  expect(await payer.treasury().claim({ payoutId: payout.escrowId, codeVersion: 1, to })).toMatchObject({ ok: true })
  await payoutIs(payer, payout.escrowId, 'WITHDRAWN')
  expect([await chain.usdcBalance(to), await chain.usdcBalance(blocked)]).toEqual([5_000_000n, 0n])
})

test('A10: a claim session of an older code cannot claim after a new code was issued @threats-3', async () => {
  const payer = await createPayer({ on: chain })
  const payout = await createOwnersPayout(payer)
  const hasLeft = ({ context }: Treasury) =>
    context.store.first('SELECT 1 FROM outbox WHERE ref = ?', payout.escrowId) === null
  await until('the first code has left', () => runInDurableObject(payer.treasury(), hasLeft))
  await inTreasury(payer, (object) => object.context.store.run('UPDATE payout SET code_version = 2'))
  expect(await payer.treasury().claim({ payoutId: payout.escrowId, codeVersion: 1, to: fresh('x') })).toMatchObject({
    ok: false,
    code: 'wrong_passcode',
  })
})

test('A12: a copy of the databases holds no code, link or key in plain text @threats-4', async () => {
  const payer = await createPayer({ on: chain })
  const payout = await createOwnersPayout(payer)
  const token = payout.claimUrl.split('/claim/')[1]!
  const copy = await inTreasury(payer, (object) => {
    const { store } = object.context
    const keys = openKeys(object.context)
    const tables = store.all<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
    )
    return {
      text: JSON.stringify(tables.map(({ name }) => store.all(`SELECT * FROM ${name}`))),
      keys: [...keys.values()],
    }
  })
  const desk = await runInDurableObject(env.CLAIM_DESK.getByName(payout.escrowId), (_, state) =>
    JSON.stringify(state.storage.sql.exec('SELECT * FROM desk').toArray()),
  )
  expect(copy.keys.length).toBeGreaterThan(0)
  for (const secret of [token, payout.passcode!, ...copy.keys, ...copy.keys.map((key) => key.slice(2))])
    for (const text of [copy.text, desk]) expect(text.includes(secret) && !/^\d{6}$/.test(secret)).toBe(false)
  expect(copy.text).not.toContain(`"${payout.passcode}"`)
  expect(desk).not.toContain(`"${payout.passcode}"`)
})

test('B2: extra money sent to a payout goes to its recipient, and the books count only the payout @threats-5', async () => {
  const payer = await createPayer({ on: chain })
  const payout = await createOwnersPayout(payer)
  await chain.mint(payout.escrowSubwalletAddress as Address, 1n)
  const to = fresh('bob')
  expect(await payer.treasury().claim({ payoutId: payout.escrowId, codeVersion: 1, to })).toMatchObject({ ok: true })
  await payoutIs(payer, payout.escrowId, 'WITHDRAWN')
  expect(await chain.usdcBalance(to)).toBe(5_000_001n)
  expect(await payer.booksBalance()).toMatchObject({ spent: '5', out: '5' })
})

test('B2: money that another user sends to a payout’s address reaches the recipient of the payout @threats-13', async () => {
  const payer = await createPayer({ on: chain })
  const payout = await createOwnersPayout(payer)
  const stranger = await createPayer({ on: chain })
  const address = payout.escrowSubwalletAddress as Address
  await payAndConfirm(stranger, { to: { type: 'address', address }, amount: usdc('2') })
  const to = fresh('bob')
  expect(await payer.treasury().claim({ payoutId: payout.escrowId, codeVersion: 1, to })).toMatchObject({ ok: true })
  await payoutIs(payer, payout.escrowId, 'WITHDRAWN')
  expect(await chain.usdcBalance(to)).toBe(7_000_000n)
  await payer.booksBalance()
  await stranger.booksBalance()
})

test('B4: an agent in a loop of refusals writes at most 60 refusals a minute @threats-6', async () => {
  const payer = await createPayer({ on: chain })
  const refused = await Promise.all(Array.from({ length: 200 }, () => payer.pay({ amount: usdc('1000') })))
  expect(refused.every((result) => !result.ok && result.code === 'budget_exceeded')).toBe(true)
  const rows = await inTreasury(
    payer,
    (object) =>
      object.context.store.first<{ n: number }>("SELECT count(*) AS n FROM payment WHERE status = 'POLICY_REJECTED'")!
        .n,
  )
  expect(rows).toBeGreaterThan(0)
  expect(rows).toBeLessThanOrEqual(120)
})

test('C2: money added to a payout and reclaimed does not inflate the budget @threats-7', async () => {
  const payer = await createPayer({ on: chain })
  const { id } = await createPayout(payer, { amount: usdc('1') })
  await chain.mint((await payoutOf(payer, id)).address, 1_000_000_000n)
  expect(await payer.treasury().reclaim(id)).toMatchObject({ ok: true })
  await payoutIs(payer, id, 'RECLAIMED')
  await chain.mine(3)
  await payer.returnedIsFinal()
  expect(await payer.groupNow()).toMatchObject({ currentSpent: '0', held: '0', remaining: '50' })
  expect(await payer.booksBalance()).toMatchObject({ returns: '1001', available: '1200' })
})

test('a withdrawal by the owner without us is booked, and the money is no longer available to payments @threats-8', async () => {
  const payer = await createPayer({ on: chain, limit: null })
  await payer.ledger()
  await payer.callWallet('withdraw', [chain.contracts.usdc, fresh('owner'), 150_000_000n])
  expect(await payer.booksBalance()).toMatchObject({ withdrawn: '150', available: '50' })
  expect(await payer.pay({ amount: usdc('51') })).toMatchObject({
    ok: false,
    code: 'insufficient_balance',
  })
})

test('a transfer that a stolen session key signed under our nonce halts the wallet, and the owner is told to revoke the key @threats-12', async () => {
  const payer = await createPayer({ on: chain })
  await payer.ledger()
  await chain.fault({ mode: 'refuse', methods: ['eth_sendRawTransaction'] })
  const paid = await accepted(payer, { amount: usdc('5') })
  const { key, ...stolen } = await inTreasury(payer, ({ context }) => {
    const { epoch, sequence, deadline } = context.store.payment(paid.id)!
    return { key: [...openKeys(context).values()][0]!, nonce: nonceOf(epoch!, sequence!), deadline: deadline! }
  })
  const wallet = payer.wallet.address as Address
  const send = { ...stolen, to: party('thief').address, amount: usdc('6') }
  const signature = signCompact(sendDigest({ chainId: chain.chainId, contract: wallet }, send), key)
  await chain.act(party('thief').address, wallet, sendCall({ ...send, ...signature }))
  await chain.fault({ mode: 'none' })
  await mineUntil(
    payer,
    'halted',
    async () => (await payer.treasury().wallets().list())[0]!.halted === 'foreign_transfer',
  )
  const { notices } = await payer.treasury().notices().list()
  expect(notices.find(({ event }) => event === 'wallet.halted')).toMatchObject({
    detail: expect.stringContaining('Revoke the session key now'),
  })
  expect(await payer.pay()).toMatchObject({ ok: false, code: 'wallet_not_ready' })
  expect(await payer.status(paid.id), 'its amount stays held').toBe('PROCESSING')
})

test('A16: a purchase with a stolen session key is booked, and halts the wallet @threats-14', async () => {
  const payer = await createPayer({ on: chain, purchaseAllowance: 20 })
  await payer.ledger()
  const wallet = payer.wallet.address as Address
  const { key, separator } = await inTreasury(payer, async ({ context }) => {
    await loadSessionKey(context, context.store.wallet(payer.wallet.id)!)
    const separator = await usdcDomainSeparator(context.chains[context.store.wallet(payer.wallet.id)!.chain_id])
    return { key: [...openKeys(context).values()][0]!, separator: separator! }
  })
  const [thief, validBefore] = [fresh('thief'), (await chain.timestamp()) + 200]
  const purchase = { from: wallet, to: thief, amount: usdc('1'), validBefore, epoch: 1, class: 2 as const, number: 0 }
  const call = settlePurchaseCall(purchase, signPurchase(separator, purchase, key))
  await chain.act(party('facilitator').address, chain.contracts.usdc, call)
  expect(await chain.usdcBalance(thief)).toBe(usdc('1'))
  await mineUntil(
    payer,
    'halted',
    async () => (await payer.treasury().wallets().list())[0]!.halted === 'foreign_transfer',
  )
  expect(await payer.booksBalance()).toMatchObject({ withdrawn: '1', available: '199' })
  expect(await payer.pay()).toMatchObject({ ok: false, code: 'wallet_not_ready' })
})

test('B1: a payout that the owner reclaims without us is booked and released in its group @threats-9', async () => {
  const payer = await createPayer({ on: chain })
  const { id } = await createPayout(payer, { amount: usdc('3') })
  await payer.callWallet('reclaimPayout', [payoutTerms(await payoutOf(payer, id))])
  await payer.ledger()
  expect((await payoutOf(payer, id)).status).toBe('RECLAIMED')
  await chain.mine(3)
  await payer.returnedIsFinal()
  expect(await payer.groupNow()).toMatchObject({ currentSpent: '0', held: '0' })
  expect(await payer.booksBalance()).toMatchObject({ returns: '3' })
})

test('I9: the audit chain verifies, refuses updates and deletes, and reveals tampering @threats-10', async () => {
  const payer = await createPayer({ on: chain })
  await payer.pay()
  const before = await payer.treasury().reports().auditCheck()
  expect(before).toMatchObject({ brokenAt: null })
  expect(before.rows).toBeGreaterThan(3)
  const attempts = await inTreasury(payer, (object) =>
    ["UPDATE audit SET data = '{}' WHERE seq = 2", 'DELETE FROM audit WHERE seq = 2'].map((query) => {
      try {
        object.context.store.run(query)
        return 'written'
      } catch (error) {
        return String(error)
      }
    }),
  )
  for (const attempt of attempts) expect(attempt).toContain('append-only')
  await inTreasury(payer, (object) => {
    object.context.store.run('DROP TRIGGER audit_no_update')
    object.context.store.run("UPDATE audit SET data = '{}' WHERE seq = 2")
  })
  expect(await payer.treasury().reports().auditCheck()).toMatchObject({ brokenAt: 2 })
})
