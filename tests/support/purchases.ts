import { encodeFunctionData } from 'viem'
import { usdcAbi } from '../../worker/chain/abi.ts'
import { type Purchase, purchaseNonce } from '../../worker/chain/purchase.ts'
import type { Hex } from '../../worker/chain/types.ts'

/** The call by which a facilitator settles a purchase: USDC's overload with a signature of any length. */
export const settlePurchaseCall = (purchase: Purchase, signature: Hex): Hex => {
  const { from, to, amount, validBefore } = purchase
  const args = [from, to, amount, 0n, BigInt(validBefore), purchaseNonce(purchase), signature] as const
  return encodeFunctionData({ abi: usdcAbi, functionName: 'transferWithAuthorization', args })
}
