import type { WalletState } from './types.ts'

const behindMost = 127n
const seenBits = 128
const sequenceBits = 32n

/**
 * The state of a smart wallet after it sent `amount` (micro-USDC) with this nonce, as SendWindow.sol counts; null if the contract
 * would refuse it. Block and time stay those of `state`.
 */
export function afterSend(state: WalletState, amount: bigint, nonce: bigint): WalletState | null {
  const { epoch, remaining, top, seen, balance } = state
  if (nonce >> sequenceBits !== BigInt(epoch) || amount > remaining || amount > balance) return null
  const left = { ...state, remaining: remaining - amount, balance: balance - amount }
  if (nonce > top) return { ...left, top: nonce, seen: BigInt.asUintN(seenBits, seen << (nonce - top)) | 1n }
  const behind = top - nonce
  if (behind > behindMost || (seen >> behind) & 1n) return null
  return { ...left, seen: seen | (1n << behind) }
}
