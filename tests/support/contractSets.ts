import type { ContractSets, Contracts } from '../../worker/chain/types.ts'

/** Returns contract sets with only these contracts, as version 1. */
export const oneSet = (contracts: Contracts): ContractSets => ({ newest: 1, sets: { 1: contracts } })
