/**
 * A contract in place of a sanctions oracle: `isSanctioned(address)` returns what its storage has at the address, so a test lists
 * somebody without a transaction. A few bytes each, written by hand rather than compiled.
 */
import type { Address, Hex } from '../../worker/chain/types.ts'

export const oracleCodes = {
  /** calldataload(4), sload, mstore(0), return(0, 32) */
  right: '0x600435545f5260205ff3',
  /** Returns 2, which is no boolean. */
  wrong: '0x60025f5260205ff3',
  /** Jumps to itself until the gas is used up. */
  slow: '0x5b5f56',
  /** revert(0, 0) */
  dead: '0x5f5ffd',
  absent: '0x',
} as const satisfies Record<string, Hex>

type Rpc = (method: string, ...params: string[]) => Promise<unknown>

/** A stand-in at this address of an anvil chain, which lists nobody yet. */
export async function placeOracle(rpc: Rpc, address: Address) {
  const become = (kind: keyof typeof oracleCodes) => rpc('anvil_setCode', address, oracleCodes[kind])
  const list = (whom: string, isListed = true) =>
    rpc('anvil_setStorageAt', address, word(whom.slice(2)), word(isListed ? '1' : '0'))
  await become('right')
  return { address, become, list }
}

const word = (hex: string) => `0x${hex.toLowerCase().padStart(64, '0')}`
