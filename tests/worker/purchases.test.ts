/** Purchases with a real wallet. tests/treasury/ has their rules, tests/gateway/ their HTTP. */
import { encodeFunctionData } from 'viem/utils'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { agentWalletAbi } from '../../worker/chain/abi.ts'
import type { Address } from '../../worker/chain/types.ts'
import { unwrap } from '../../worker/result.ts'
import { becomes, look, lookUntil, mineUntil, pass, payAndConfirm } from '../support/manualClock.ts'
import { manualChain as chain, prepare, until } from '../support/payer.ts'
import {
  blockAt,
  finalAt,
  lookAtFinality,
  relayerAhead,
  reorganize,
  stopFinality,
  takeBranch,
} from '../support/reorganization.ts'
import { rowsOf, runNow } from '../support/treasuries.ts'
import { buy, createBuyer, settle } from '../support/workerBuyer.ts'
import { env, mailsTo } from './apiClient.ts'

beforeAll(prepare)
afterEach(async () => {
  await chain.fault({ mode: 'none' })
  await relayerAhead(0)
})

test('an owner who has switched off rotation gets a mail when the purchase allowance needs a renewal @purchases-19', async () => {
  const payer = await createBuyer(2) // 1 purchase up to 1 USDC
  const email = `${payer.userId.toLowerCase()}@example.com`
  await env.DB.prepare(
    "INSERT INTO user (id, email, status, password_hash, created_at, updated_at) VALUES (?, ?, 'CONFIRMED', 'none', 1, 1)",
  )
    .bind(payer.userId, email)
    .run()
  const data = encodeFunctionData({ abi: agentWalletAbi, functionName: 'disableRotationAuthority' })
  await chain.act(payer.owner.address, payer.wallet.address as Address, data)
  const { id } = await buy(payer, 'shop')
  await settle(payer, id)
  await becomes(payer, id, 'CONFIRMED')
  const refused = 'SELECT refill_refused FROM session WHERE current = 1 AND refill_refused IS NOT NULL'
  await lookUntil(payer, 'the renewal is refused', async () => (await rowsOf(payer, refused)).length > 0)
  const mails = await until('the mail', async () => {
    await runNow(payer, 'outbox')
    const sent = await mailsTo(email)
    return sent.length > 0 && sent
  })
  expect(mails).toEqual([
    expect.stringMatching(
      /purchase allowance of Ops .*Sign the renewal with your owner key.*these agents can’t buy: agt_/s,
    ),
  ])
  expect(mails[0]).toContain(`/dashboard/wallets?session=${payer.wallet.id}`)
})

test('numbers that are free again are forgotten once another session key has finally replaced theirs @purchases-20', async () => {
  const payer = await createBuyer(20)
  const dead = await buy(payer, 'dead')
  await pass(400)
  await lookUntil(payer, 'the purchase is dead', async () => (await payer.status(dead.id)) === 'FAILED')
  const free = () => rowsOf(payer, 'SELECT epoch, class, number FROM free_number')
  const epoch = async () => (await rowsOf(payer, 'SELECT epoch FROM session WHERE current = 1'))[0]
  const numbers = [{ epoch: 1, class: 2, number: 0 }]
  expect(await free()).toEqual(numbers)

  const { restore } = await stopFinality(payer)
  await payAndConfirm(payer)
  const { number: before } = await blockAt('latest')
  const grant = { key: 'next', walletId: payer.wallet.id, limit: 100_000_000n, hours: 48 }
  unwrap(await payer.wallets().rotateSessionKey(grant))
  const isDone = async () => (await rowsOf(payer, "SELECT 1 FROM wallet_action WHERE status = 'done'")).length > 0
  await mineUntil(payer, 'rotated', isDone)
  const { id } = await payAndConfirm(payer)
  await restore()
  const finalize = await finalAt(payer, before)
  await lookAtFinality(payer)
  expect(await rowsOf(payer, 'SELECT final_block FROM wallet')).toEqual([{ final_block: before }])
  expect([await epoch(), await free()], 'the rotation may still leave the chain').toEqual([{ epoch: 2 }, numbers])

  await reorganize(before)
  await chain.fault({ mode: 'refuse', methods: ['eth_sendRawTransaction'] })
  await relayerAhead(60)
  await takeBranch(payer)
  expect([await epoch(), await free()], 'and then the former numbers count').toEqual([{ epoch: 1 }, numbers])

  await chain.fault({ mode: 'none' })
  await mineUntil(payer, 'rotated again', isDone)
  await becomes(payer, id, 'CONFIRMED')
  await finalize()
  await chain.mine(4)
  await look(payer)
  await until('forgotten', async () => {
    await lookAtFinality(payer)
    return (await free()).length === 0
  })
  expect(await epoch()).toEqual({ epoch: 2 })
})
