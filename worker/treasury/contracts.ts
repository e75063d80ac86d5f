import { contractsOf, hasContracts } from '../chain/contractSets.ts'
import type { ChainId, Contracts } from '../chain/types.ts'
import { type Refused, refuse } from '../result.ts'
import type { Context } from './context.ts'
import type { PayoutRow, WalletRow } from './storage/rows.ts'

/** Which contracts a wallet and its payouts belong to. A set that the settings lack: nothing is signed for it. */

type OfWallet = Pick<WalletRow, 'chain_id' | 'kind' | 'contract_set'>

/** Throws UnknownContractSet. */
export const payoutContracts = (
  ctx: Context,
  { chain_id }: OfWallet,
  payout: Pick<PayoutRow, 'contract_set'>,
): Contracts => contractsOf(ctx.chains[chain_id], payout.contract_set)

/** The set of a payout that is created now. An imported wallet is bound to no escrow, so it uses the newest. */
export const setOfNewPayout = (ctx: Context, { chain_id, kind, contract_set }: OfWallet): number =>
  kind === 'smart' ? contract_set : ctx.chains[chain_id].contractSets.newest

/** The sets that the settings have. */
export const knownSets = (ctx: Context, chainId: ChainId): number[] =>
  Object.keys(ctx.chains[chainId].contractSets.sets).map(Number)

/** False: the wallet was made with contracts that the settings lack. Imported wallets are made with none. */
export const knowsContracts = (ctx: Context, { chain_id, kind, contract_set }: OfWallet): boolean =>
  kind === 'imported' || hasContracts(ctx.chains[chain_id], contract_set)

/** Refuses what would be signed for a wallet whose contracts the settings lack. */
export const walletSetRefusal = (ctx: Context, wallet: OfWallet): Refused | null =>
  knowsContracts(ctx, wallet) ? null : unknownSet(wallet.contract_set)

/** Refuses what would be signed for such a payout. */
export const payoutSetRefusal = (
  ctx: Context,
  { chain_id }: OfWallet,
  { contract_set }: Pick<PayoutRow, 'contract_set'>,
): Refused | null => (hasContracts(ctx.chains[chain_id], contract_set) ? null : unknownSet(contract_set))

const unknownSet = (set: number): Refused =>
  refuse('unavailable', `This server does not know contract set ${set}, which this belongs to. Nothing was signed.`)
