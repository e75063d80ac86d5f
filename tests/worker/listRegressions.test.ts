import { beforeAll, expect, test } from 'vitest'
import type { Escrow } from '#schemas/escrow.ts'
import type { Transaction } from '#schemas/transaction.ts'
import { putRows } from '../support/histories.ts'
import { createApi, createUser, seed } from './apiClient.ts'

const api = createApi()
beforeAll(seed)

test('filters of the maximum length work', async () => {
  const { token, id } = await createUser(api)
  const createdAt = '2026-11-20T12:00:00.000Z'
  const [txHash, memo, recipientEmail] = [`0x${'A1'.repeat(32)}`, 'M50%_'.repeat(20), `${'R'.repeat(242)}@example.com`]
  const common = { amountUsdc: '1', amount: '1', createdAt, memo, recipientEmail }
  const transaction = {
    ...common,
    id: 'pay_long',
    status: 'CONFIRMED',
    category: 'address',
    fromWalletId: 'wal_1',
    fromWalletChain: 'base',
    txHash,
    timeline: { confirmedAt: createdAt },
  } as unknown as Transaction
  const payout = {
    ...common,
    id: 'pay_payout',
    status: 'CREATED',
    expiresAt: createdAt,
    sourceWallet: { chain: 'base' },
  } as unknown as Escrow
  await putRows(id, { transactions: [transaction], payouts: [payout] })
  const text = encodeURIComponent
  for (const query of [
    `transactions/user?search=${txHash.toLowerCase()}`,
    `transactions/user?memo=${text(memo.toLowerCase())}`,
    `transactions/user?recipient=${text(recipientEmail.toLowerCase())}`,
    `escrow/list?recipient=${text(recipientEmail.toLowerCase())}`,
  ]) {
    const answer = await api.call('GET', `/api/${query}`, { token })
    expect(answer.status, `${query} ${answer.text}`).toBe(200)
    expect(answer.json.page.total, query).toBe(1)
  }
})
