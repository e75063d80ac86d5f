import { hashText, typedDataDigest } from './digests.ts'
import type { Address, Hex } from './types.ts'

/** What a holder of USDC signs (EIP-3009). The claim page signs it too, so this file needs no library of contracts. */

const typeHash = hashText(
  'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
)

/** Names that Circle gave the token: on Base, and on Base Sepolia. */
export const usdcNames = ['USD Coin', 'USDC'] as const

export type Authorization = {
  from: Address
  to: Address
  /** micro-USDC */
  amount: bigint
  nonce: Hex
  /** unix seconds, exclusive */
  validBefore: number
}

export function authorizationDigest(separator: Hex, authorization: Authorization): Hex {
  const { from, to, amount, nonce, validBefore } = authorization
  return typedDataDigest(separator, typeHash, from, to, amount, 0, validBefore, nonce)
}
