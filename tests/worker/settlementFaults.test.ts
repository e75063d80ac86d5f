/** Faults of real nodes and chains, and states that must still end. */

import { afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { deadlineSeconds } from '#domain/intent.ts'
import { addressTopic } from '../../worker/chain/calls.ts'
import { RpcChain } from '../../worker/chain/rpcChain.ts'
import { type Address, type LogFilter, RpcError } from '../../worker/chain/types.ts'
import { unwrap } from '../../worker/result.ts'
import { heads } from '../../worker/treasury/core/chainHeads.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { toEmail, usdc } from '../support/build.ts'
import { oneSet } from '../support/contractSets.ts'
import {
  becomes,
  changeNode,
  createPayout,
  expire,
  look,
  lookUntil,
  mineUntil,
  pass,
  payAndConfirm,
  payoutIs,
  payoutOf,
} from '../support/manualClock.ts'
import { accepted, manualChain as chain, createPayer, fresh, type Payer, prepare, until } from '../support/payer.ts'
import { env } from '../support/testEnv.ts'
import { changeJobs, inTreasury, rowsOf, runNow, setClock } from '../support/treasuries.ts'

/** Reads the chain directly, bypassing the proxy. */
const node = new RpcChain(84532, oneSet(chain.contracts), [env.NODE_URL_84532])
const walletState = async (payer: Payer) => (await node.walletState(payer.wallet.address as Address))!

beforeAll(prepare)
afterEach(() => chain.fault({ mode: 'none' }))

const names = (filter: LogFilter, position: number, address: Address) =>
  [filter.topics?.[position]].flat().includes(addressTopic(address))

test('a payout’s return that a node shows only as the wallet’s income still ends the payout', async () => {
  const payer = await createPayer({ on: chain })
  const { id } = await createPayout(payer)
  const { address } = await payoutOf(payer, id)
  const restore = await changeNode(payer, (real) => ({
    logs: async (filters, from) =>
      (await real.logs(filters, from)).map((logs, i) => (names(filters[i]!, 1, address) ? [] : logs)),
  }))
  expect(await payer.treasury().reclaim(id)).toMatchObject({ ok: true })
  await mineUntil(payer, 'the money is back', async () => (await payer.ledger()).returns === '5')
  await restore()
  await payoutIs(payer, id, 'RECLAIMED')
  await payer.booksBalance()
})

test('a node that shows a balance before its logs is no error, and costs no time once it shows them @treasury-7', async () => {
  const payer = await createPayer({ on: chain })
  await payer.ledger()
  const logged = vi.spyOn(console, 'error').mockReturnValue()
  onTestFinished(() => logged.mockRestore())
  const differences = () => logged.mock.calls.filter(([line]) => String(line).includes('books of')).length
  const showLogs = await changeNode(payer, () => ({ logs: async (filters) => filters.map(() => []) }))
  await chain.mint(payer.wallet.address as Address, usdc('3'))
  await chain.mine()
  const startedAt = Date.now()
  await setClock(payer, () => startedAt)
  await runNow(payer, 'scan')
  expect(differences(), 'at first').toBe(0)
  await setClock(payer, () => startedAt + 40_000)
  await runNow(payer, 'scan')
  expect(differences(), 'after 40 seconds').toBe(1)
  await showLogs()
  await setClock(payer, () => startedAt + 41_000)
  await runNow(payer, 'scan')
  expect(await payer.booksBalance()).toMatchObject({ deposits: '203' })
})

test('a wallet whose logs are late is read again soon, and is no error, also beside another wallet @treasury-8', async () => {
  const payer = await createPayer({ on: chain })
  await payer.ledger()
  const logged = vi.spyOn(console, 'error').mockReturnValue()
  onTestFinished(() => logged.mockRestore())
  await accepted(payer)
  // Its alarm may read the wallet before this test does.
  const startedAt = Date.now()
  await setClock(payer, () => startedAt)
  const showLogs = await changeNode(payer, () => ({ logs: async (filters) => filters.map(() => []) }))
  await chain.mint(payer.wallet.address as Address, usdc('3'))
  await chain.mine()
  // After the last block, so that it stays open.
  const { owner } = payer
  unwrap(await payer.wallets().deploy({ key: null, owner: owner.address, chainId: chain.chainId, name: 'Other' }))
  const nextAt = async (after: number) => {
    await setClock(payer, () => startedAt + after)
    await look(payer)
    const [settle] = await rowsOf<{ due_at: number }>(payer, "SELECT due_at FROM timer WHERE kind = 'settle'")
    return settle!.due_at - startedAt - after
  }
  expect(await nextAt(0)).toBeLessThanOrEqual(250)
  expect(await nextAt(400)).toBeLessThanOrEqual(400)
  expect(logged.mock.calls, 'at first').toEqual([])
  await nextAt(40_000)
  expect(logged.mock.calls.flat().join(), 'after 40 seconds').toContain('books of')
  await showLogs()
  await nextAt(41_000)
  expect(await payer.booksBalance()).toMatchObject({ deposits: '203' })
})

test('a block with more logs than the node returns is read by its receipts', async () => {
  const payer = await createPayer({ on: chain })
  await payer.ledger()
  const before = await payer.ledger()
  await chain.mint(payer.wallet.address as Address, usdc('3'))
  const { number: crowded } = await node.head()
  const calls: string[] = []
  await changeNode(payer, (real) => ({
    logs: async (filters, from) => {
      if (filters.some(({ fromBlock, toBlock }) => fromBlock <= crowded && crowded <= toBlock))
        throw new RpcError(-32000, 'query returned more than 10000 results')
      return real.logs(filters, from)
    },
    blockLogs: async (block, take) => {
      calls.push(`block ${block - crowded}`)
      return real.blockLogs(block, take)
    },
  }))
  await chain.mine()
  const after = await payer.ledger()
  expect(usdc(after.deposits) - usdc(before.deposits)).toBe(usdc('3'))
  expect(calls).toEqual(['block 0'])
  await payer.booksBalance()
})

test('a wallet whose deployment a reorganization removed is deploying, and its deployment is submitted again', async () => {
  const payer = await createPayer({ on: chain })
  const { address } = payer.wallet
  const submitted: string[] = []
  await changeJobs(payer, (jobs) => {
    for (const { ref } of jobs) if (ref?.type === 'deploy') submitted.push(ref.walletId)
    return jobs
  })
  await chain.node('anvil_setCode', address, '0x')
  await chain.node('anvil_setNonce', address, '0x0')
  const status = async () => (await payer.wallets().list()).find((wallet) => wallet.address === address)?.status
  await chain.mine()
  await payer.wallets().sessionKey(payer.wallet.id)
  expect(await status()).toBe('deploying')
  await lookUntil(payer, 'submitted', async () => submitted.length > 0)
  expect(new Set(submitted)).toEqual(new Set([payer.wallet.id]))
})

test('a session is adopted only at the depth at which payments confirm', async () => {
  const payer = await createPayer({ on: chain })
  await inTreasury(payer, (object) => {
    object.context.env = { ...object.context.env, CONFIRM_DEPTH: '3' }
  })
  const rotated = await payer.wallets().rotateSessionKey({
    key: null,
    walletId: payer.wallet.id,
    limit: usdc('70'),
    hours: 24,
  })
  expect(rotated).toMatchObject({ ok: true })
  const limit = () => inTreasury(payer, ({ context: { store } }) => store.session(payer.wallet.id)?.spend_limit)
  const epoch = async () => (await walletState(payer)).epoch
  const first = await epoch()
  await until('the rotation is on chain', async () => {
    await look(payer)
    if ((await epoch()) > first) return true
    await chain.mine()
    return false
  })
  await look(payer)
  expect(await limit(), 'one block deep').not.toBe(70_000_000)
  await chain.mine(2)
  // The newest block is read again after ten seconds at the latest.
  await lookUntil(payer, 'it is adopted three blocks deep', async () => (await limit()) === 70_000_000)
})

test('after a reorganization another key under the same epoch replaces the adopted one', async () => {
  const payer = await createPayer({ on: chain })
  const { epoch, sessionKey } = await walletState(payer)
  await inTreasury(payer, ({ context: { store } }) => {
    // As if a rotation to this key had been adopted from a block that is gone.
    store.run(
      'UPDATE session SET key_address = ?, next_sequence = 7 WHERE wallet_id = ? AND epoch = ?',
      fresh('reorganized'),
      payer.wallet.id,
      epoch,
    )
  })
  const info = await payer.wallets().sessionKey(payer.wallet.id)
  expect(info).toMatchObject({ ok: true, value: { isActive: true, nonce: epoch } })
  const session = await inTreasury(payer, ({ context: { store } }) => store.session(payer.wallet.id))
  expect(session).toMatchObject({ epoch, next_sequence: 7 })
  expect(session?.key_address.toLowerCase()).toBe(sessionKey.toLowerCase())
  await payAndConfirm(payer)
})

test('a funded payout whose announcement never lands is returned after its expiry', async () => {
  const payer = await createPayer({ on: chain })
  await changeJobs(payer, (jobs) => jobs.filter(({ kind }) => kind !== 'announce'))
  const { id } = await accepted(payer, { to: toEmail(), amount: usdc('5') })
  await mineUntil(payer, 'funded', async () => (await payoutOf(payer, id)).funded === 1)
  await expire(payer, id)
  await payoutIs(payer, id, 'RECLAIMED')
  await payer.booksBalance()
  const told = await inTreasury(payer, ({ context: { store } }) => [
    store.count("notice WHERE event = 'payout.reclaimed'"),
    store.count("outbox WHERE kind = 'mail.payout_returned'"),
  ])
  expect(told, 'the owner hears of it').toEqual([1, 1])
})

test('a claim mined before the block that its signature names is found before it lapses', async () => {
  const payer = await createPayer({ on: chain })
  const { id } = await createPayout(payer)
  const { address } = await payoutOf(payer, id)
  const to = fresh('claimer')
  const restore = await changeNode(payer, (real) => ({
    logs: async (filters, from) =>
      (await real.logs(filters, from)).map((logs, i) => (names(filters[i]!, 1, address) ? [] : logs)),
  }))
  expect(await payer.treasury().claim({ payoutId: id, codeVersion: 1, to })).toMatchObject({ ok: true })
  await until('paid', async () => {
    await look(payer)
    await chain.mine()
    return (await node.usdcBalance(to)) === usdc('5')
  })
  await payer.ledger()
  const { number } = await node.head()
  await inTreasury(payer, ({ context: { store } }) => {
    // The node that named the head was ahead of the one that mined the claim.
    store.run('UPDATE payout SET action_block = ? WHERE id = ?', number + 1, id)
  })
  await chain.mine()
  await restore()
  await pass(400)
  await payoutIs(payer, id, 'WITHDRAWN')
})

test('no deadline is derived from a head from the future @settlement-9', async () => {
  const payer = await createPayer({ on: chain })
  await payer.ledger()
  await inTreasury(payer, (object) => {
    object.context.env = { ...object.context.env, MAX_CLOCK_SKEW_SECONDS: '900' }
    heads(object.context).clear()
  })
  const { timestamp } = await node.head()
  await setClock(payer, () => timestamp * 1000)
  const restore = await changeNode(payer, (real) => ({
    head: async () => {
      const head = await real.head()
      return { ...head, timestamp: head.timestamp + 10 * 86_400 }
    },
  }))
  const { id } = await accepted(payer)
  await look(payer).catch(() => {})
  expect(await payer.status(id)).toBe('QUEUED')
  await restore()
  await becomes(payer, id, 'CONFIRMED')
})

test('a payment that the contract refuses does not block later ones, and finally fails @limits-31', async () => {
  const payer = await createPayer({ on: chain })
  await payer.ledger()
  const { epoch } = await walletState(payer)
  const address = fresh('blocked later')
  await chain.blacklist(address)
  await chain.mine()
  const restore = await changeNode(payer, () => ({ isBlacklisted: async () => false }))
  const refused = await accepted(payer, { to: { type: 'address', address } })
  await restore()
  const inStore = <T>(read: (store: Treasury['context']['store']) => T) =>
    inTreasury(payer, ({ context: { store } }) => read(store))
  await mineUntil(payer, 'the refusal is reported', async () =>
    inStore((store) => store.payment(refused.id)!.revert !== null),
  )
  // As if a whole window of nonces had been issued since.
  await inStore((store) => store.run('UPDATE session SET next_sequence = next_sequence + 128'))
  await payAndConfirm(payer)
  expect((await walletState(payer)).epoch, 'the same session').toBe(epoch)
  expect(await payer.status(refused.id)).toBe('PROCESSING')
  await pass(deadlineSeconds + 1)
  await becomes(payer, refused.id, 'FAILED')
  await payer.booksBalance()
})
