import type { ClaimPayout as ApiClaimPayout, CreateEscrowReply, EscrowItem } from '#schemas/escrow.ts'
import type { Transaction as ApiTransaction } from '#schemas/transaction.ts'
import type { Wallet as ApiWallet } from '#schemas/wallet.ts'

/**
 * The API's names, which its specification gives, and ours: it calls a payout an escrow. Every reply passes through here, so
 * that components, lists and routes use our names alone (tests/domain/apiWords.test.ts).
 */

type ForPayout = { escrowId: string; escrowSubwalletAddress: string }
/** `id` is the payout's; `payoutAddress` is where its money waits. */
type Renamed<T extends ForPayout> = Omit<T, keyof ForPayout> & { id: string; payoutAddress: string }

const renamed = <T extends ForPayout>({ escrowId: id, escrowSubwalletAddress: payoutAddress, ...rest }: T) =>
  ({ ...rest, id, payoutAddress }) as Renamed<T>

export type Payout = Renamed<EscrowItem>
export const payoutOf = (item: EscrowItem): Payout => renamed(item)

export type CreatedPayout = Renamed<Omit<CreateEscrowReply, 'rows'>> & {
  rows: { payout: Payout; transaction: Transaction }
}
export const createdPayoutOf = ({ rows: { escrow, transaction }, ...reply }: CreateEscrowReply): CreatedPayout => ({
  ...renamed(reply),
  // Only the list adds how its message was delivered, and there is none yet.
  rows: { payout: payoutOf({ ...escrow, delivery: null }), transaction: transactionOf(transaction) },
})

export type ClaimPayout = Renamed<ApiClaimPayout>
export const claimPayoutOf = (payout: ApiClaimPayout): ClaimPayout => renamed(payout)

export type Transaction = Omit<ApiTransaction, 'category' | 'escrowId'> & {
  category: 'contact' | 'address' | 'x402' | 'payout' | 'payout_withdraw' | 'payout_reclaim' | 'deposit' | 'withdrawal'
  payoutId: string | null
}
export const transactionOf = ({ escrowId: payoutId, category, ...rest }: ApiTransaction): Transaction => ({
  ...rest,
  category: category.replace('escrow', 'payout') as Transaction['category'],
  payoutId,
})

export type Wallet = Omit<ApiWallet, 'escrowed'> & { /** Decimal USDC in unclaimed payouts. */ inPayouts: string }
export const walletOf = ({ escrowed: inPayouts, ...rest }: ApiWallet): Wallet => ({ ...rest, inPayouts })
