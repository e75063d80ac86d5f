import { maxSpread, partsOfNonce, windowSize } from '#domain/intent.ts'
import type { WalletState } from './types.ts'

/**
 * The state of a smart wallet after it sent `amount` (micro-USDC) with this nonce, as SendWindow.sol counts; null if the contract
 * would refuse it. Block and time stay those of `state`.
 */
export function afterSend(state: WalletState, amount: bigint, nonce: bigint): WalletState | null {
  const { epoch, remaining, top, seen, balance } = state
  if (partsOfNonce(nonce).epoch !== epoch || amount > remaining || amount > balance) return null
  const left = { ...state, remaining: remaining - amount, balance: balance - amount }
  if (nonce > top) return { ...left, top: nonce, seen: BigInt.asUintN(windowSize, seen << (nonce - top)) | 1n }
  const behind = top - nonce
  if (behind > maxSpread || (seen >> behind) & 1n) return null
  return { ...left, seen: seen | (1n << behind) }
}
