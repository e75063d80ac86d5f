import { encodeAbiParameters } from 'viem/utils'
import type { Address, Hex } from './types.ts'

/**
 * Init code that reads the balances of many accounts: sent as an eth_call without `to`, it is executed and not deployed, and
 * its result is the balances, 32 bytes each. A contract for this, such as Multicall3, would be one more that a chain may lack.
 *
 * After the code come the token and the accounts, 32 bytes each, which it copies to memory at 0x40. It calls balanceOf for each
 * account and writes the balance over it. Reverts if a call fails or returns no 32 bytes.
 */
const code = [
  '60 50 38 03', // size of what follows the code, which has 0x50 bytes
  '80 60 50 60 40 39', // codecopy to 0x40; leaves the size
  '63 70a08231 60 e0 1b 60 00 52', // the selector of balanceOf(address) at 0x00
  '60 40 01', // [end]: where the accounts end
  '60 60', // [end, account]: the first is at 0x60
  '5b 81 81 10 15 60 42 57', // 0x1a, loop: to "done" unless account < end
  '80 51 60 04 52', // the account becomes the argument, at 0x04
  '60 20 81 60 24 60 00 60 40 51 5a fa', // staticcall: 0x24 bytes in, 0x20 bytes out, over the account
  '3d 60 20 14 16 15 60 4b 57', // to "fail" unless it succeeded with 32 bytes
  '60 20 01 60 1a 56', // the next account
  '5b 50 60 60 90 03 60 60 f3', // 0x42, done: return from 0x60 to the end
  '5b 60 00 80 fd', // 0x4b, fail
]
  .join('')
  .replaceAll(' ', '')

/** Calldata of the eth_call. */
export const balancesCall = (token: Address, accounts: readonly Address[]): Hex => {
  const words = [token, ...accounts].map((address) =>
    encodeAbiParameters([{ type: 'address' }], [address.toLowerCase() as Address]).slice(2),
  )
  return `0x${code}${words.join('')}`
}

/** The balances in the order of the accounts; null unless there are as many. */
export function decodeBalances(data: Hex, accounts: number): bigint[] | null {
  if (data.length !== 2 + accounts * 64) return null
  return Array.from({ length: accounts }, (_, i) => BigInt(`0x${data.slice(2 + i * 64, 66 + i * 64)}`))
}
