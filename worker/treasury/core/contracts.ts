import { contractsOf, hasContracts } from '../../chain/contractSets.ts'
import type { Terms } from '../../chain/digests.ts'
import type { ChainId, Contracts } from '../../chain/types.ts'
import { type Refused, refuse } from '../../result.ts'
import type { Context } from './context.ts'
import { fromColumn } from './storage/columns.ts'
import type { PayoutRow, WalletRow } from './storage/rows.ts'

/** The contract sets of wallets and payouts. Nothing is signed for a set that the settings lack. */

type OfWallet = Pick<WalletRow, 'chain_id' | 'kind' | 'contract_set'>

/** Throws UnknownContractSet. */
export const payoutContracts = (
  ctx: Context,
  { chain_id }: OfWallet,
  payout: Pick<PayoutRow, 'contract_set'>,
): Contracts => contractsOf(ctx.chains[chain_id], payout.contract_set)

/** What a payout's address, and every signature about it, are made of. */
export const payoutTerms = (payout: PayoutRow): Terms => ({
  payer: payout.payer,
  claimKey: payout.claim_key,
  reclaimKey: payout.reclaim_key,
  amount: fromColumn(payout.amount),
  expiry: payout.expiry,
})

/** The contract set of a new payout. An imported wallet is not bound to an escrow, so it uses the newest set. */
export const setOfNewPayout = (ctx: Context, { chain_id, kind, contract_set }: OfWallet): number =>
  kind === 'smart' ? contract_set : ctx.chains[chain_id].contractSets.newest

/** The contract sets in the settings. */
export const knownSets = (ctx: Context, chainId: ChainId): number[] =>
  Object.keys(ctx.chains[chainId].contractSets.sets).map(Number)

/** False if the settings lack the wallet's contract set. Imported wallets have none, so they are always known. */
export const knowsContracts = (ctx: Context, { chain_id, kind, contract_set }: OfWallet): boolean =>
  kind === 'imported' || hasContracts(ctx.chains[chain_id], contract_set)

/** Refuses to sign for a wallet whose contract set the settings lack. */
export const walletSetRefusal = (ctx: Context, wallet: OfWallet): Refused | null =>
  knowsContracts(ctx, wallet) ? null : unknownSet(wallet.contract_set)

/** Refuses to sign for a payout whose contract set the settings lack. */
export const payoutSetRefusal = (
  ctx: Context,
  { chain_id }: OfWallet,
  { contract_set }: Pick<PayoutRow, 'contract_set'>,
): Refused | null => (hasContracts(ctx.chains[chain_id], contract_set) ? null : unknownSet(contract_set))

const unknownSet = (set: number): Refused =>
  refuse('unavailable', `This server does not know contract set ${set}, so nothing was signed.`)
