import { utf8ToBytes } from '@noble/hashes/utils'
import { keccak } from '#chain/digests.ts'
import type { Address, Hex } from '#chain/types.ts'

/** The ABI encoding of 32-byte words that the recovery page needs. */

export const topic = (event: string): Hex => keccak(utf8ToBytes(event))
export const addressTopic = (address: Address): Hex => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`

/** The 32-byte word at `index` of the data. */
export const wordAt = (data: Hex, index: number): bigint =>
  BigInt(`0x${data.slice(2 + index * 64, 66 + index * 64) || '0'}`)
/** The address in the word at `index` of the data. */
export const addressAt = (data: Hex, index: number): Address => `0x${data.slice(26 + index * 64, 66 + index * 64)}`
