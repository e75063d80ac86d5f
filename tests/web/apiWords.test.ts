import { expect, test } from 'vitest'
import type { EscrowItem } from '#schemas/escrow.ts'
import type { Transaction } from '#schemas/transaction.ts'
import type { Wallet } from '#schemas/wallet.ts'
import { payoutOf, transactionOf, walletOf } from '#web/queries/apiWords.ts'

test('what the API calls an escrow is a payout on the web', () => {
  expect(
    payoutOf({ id: 'pay_1', escrowId: 'pay_1', escrowSubwalletAddress: '0x12', amount: '5' } as EscrowItem),
  ).toEqual({ id: 'pay_1', payoutAddress: '0x12', amount: '5' })
  const categories = ['contact', 'address', 'escrow', 'escrow_withdraw', 'escrow_reclaim'] as const
  expect(categories.map((category) => transactionOf({ category, escrowId: 'pay_1' } as Transaction))).toEqual(
    ['contact', 'address', 'payout', 'payout_withdraw', 'payout_reclaim'].map((category) => ({
      category,
      payoutId: 'pay_1',
    })),
  )
  expect(walletOf({ id: 'wallet_1', escrowed: '7' } as Wallet)).toEqual({ id: 'wallet_1', inPayouts: '7' })
})
