/**
 * `npm run test:long sample`: makes the state of `npm run dev -- --sample`. Then checks on the usual stack that its rows
 * spread over the month, that its books agree with the chain, and that its owner can pay immediately.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatUsdc } from '#domain/money.ts'
import type { Escrow } from '#schemas/escrow.ts'
import type { Transaction } from '#schemas/transaction.ts'
import type { Wallet, WalletLedger } from '#schemas/wallet.ts'
import { BursarClient, until } from '../../local/client.ts'
import { makeSample } from '../../local/sample/fillMonth.ts'
import { bought, payments, payouts, refusals } from '../../local/sample/month.ts'
import { startStack } from '../../local/stack/stack.ts'
import type { Address } from '../../worker/chain/types.ts'
import { signIn } from '../support/testStack.ts'

const stateDir = await mkdtemp(join(tmpdir(), 'bursar-sample-'))
try {
  await makeSample({ stateDir, say: console.log })
  const stack = await startStack({ stateDir, quiet: true })
  try {
    const bursar = new BursarClient(stack.url, stack.rpc[8453])
    const token = await signIn(bursar)
    const get = <T>(path: string) => bursar.api<T>(path, { token })

    const rows = await get<Transaction[]>('/transactions/user?pageSize=100')
    const days = new Set(rows.map(({ createdAt }) => createdAt.slice(0, 10)))
    assert(days.size >= 20, `payments on ${days.size} days`)
    const refused = rows.filter(({ status }) => status === 'POLICY_REJECTED')
    assert.equal(refused.length, refusals.length)
    const sent = rows.filter(({ status, category }) => status === 'CONFIRMED' && category === 'contact')
    assert.equal(sent.length, payments.length)
    const purchases = rows.filter(({ status, category }) => status === 'CONFIRMED' && category === 'x402')
    assert.equal(purchases.length, bought.length)

    const { escrows } = await get<{ escrows: Escrow[] }>('/escrow/list?pageSize=100')
    const endings = escrows.map(({ status }) => status).sort()
    const expected = payouts.map(({ ends }) => {
      if (ends === 'waits') return 'CREATED'
      if (ends === 'fails') return 'FAILED'
      return ends === 'expires' || 'reclaimedOn' in ends ? 'RECLAIMED' : 'WITHDRAWN'
    })
    assert.deepEqual(endings, expected.sort())

    for (const wallet of await get<Wallet[]>('/wallets')) {
      if (wallet.chain !== 'base') continue
      const { available, held } = await get<WalletLedger>(`/wallets/${wallet.id}/ledger`)
      const onChain = await bursar.usdcOnChain(stack.contracts[8453].usdc, wallet.address as Address)
      assert.equal(formatUsdc(onChain), available, `${wallet.name}: what is available is on the chain`)
      assert.equal(held, '0')
    }

    const operations = (await get<Wallet[]>('/wallets')).find(({ name }) => name === 'Operations')!
    const toAddress = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
    const body = { walletId: operations.id, toAddress, amount: '1' }
    const { id } = await bursar.api<{ id: string }>('/transactions/send', { token, key: 'now', body })
    await until('a payment of today', async () => {
      const { status } = await get<Transaction>(`/transactions/${id}`)
      return status === 'CONFIRMED'
    })
    console.log('the month is there, its books agree with the chain, and a payment of today confirms')
  } finally {
    await stack.stop()
  }
} finally {
  await rm(stateDir, { recursive: true, force: true })
}
