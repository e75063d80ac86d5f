import { beforeAll, expect, test } from 'vitest'
import { upsertPayouts, upsertTransactions } from '../../worker/db/readModel.ts'
import type { Escrow } from '../../worker/schemas/escrow.ts'
import type { Transaction } from '../../worker/schemas/transaction.ts'
import { anApi, aUser, env, seed } from './apiClient.ts'

const api = anApi()
beforeAll(seed)

test('filters as long as they may be are looked for, not failed on', async () => {
  const { token, id } = await aUser(api)
  const createdAt = '2026-11-20T12:00:00.000Z'
  const [txHash, memo, recipientEmail] = [`0x${'A1'.repeat(32)}`, 'M50%_'.repeat(20), `${'R'.repeat(242)}@example.com`]
  const common = { amountUsdc: '1', amount: '1', createdAt, memo, recipientEmail }
  const transaction = {
    ...common,
    id: 'pay_long',
    status: 'CONFIRMED',
    category: 'address',
    fromWalletId: 'wal_1',
    txHash,
  } as unknown as Transaction
  const payout = { ...common, id: 'pay_payout', status: 'CREATED' } as unknown as Escrow
  await upsertTransactions(env.DB, id, 1, [{ row: transaction, amount: 1 }]).run()
  await upsertPayouts(env.DB, id, 1, [{ row: payout, amount: 1 }]).run()
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
