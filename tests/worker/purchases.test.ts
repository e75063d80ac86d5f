/** Purchases with a real wallet. tests/treasury/ has their rules, tests/gateway/ their HTTP. */
import { encodeFunctionData } from 'viem/utils'
import { beforeAll, expect, test } from 'vitest'
import { agentWalletAbi } from '../../worker/chain/abi.ts'
import type { Address } from '../../worker/chain/types.ts'
import { becomes, lookUntil } from '../support/manualClock.ts'
import { manualChain as chain, prepare, until } from '../support/payer.ts'
import { rowsOf, runNow } from '../support/treasuries.ts'
import { buy, createBuyer, settle } from '../support/workerBuyer.ts'
import { env, mailsTo } from './apiClient.ts'

beforeAll(prepare, 60_000)

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
}, 60_000)
