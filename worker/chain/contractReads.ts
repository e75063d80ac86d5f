import { decodeFunctionResult, encodeFunctionData } from 'viem'
import { agentWalletAbi, usdcAbi } from './abi.ts'
import { type Address, type Hex, RpcUnavailable, type WalletState } from './types.ts'

/** Read-only calls and decoders of their results. Decoders throw RpcUnavailable if a result does not match the ABI. */

export const walletStateCall = encodeFunctionData({ abi: agentWalletAbi, functionName: 'state' })

/** Null if the address has no code. */
export function decodeWalletState(data: Hex): WalletState | null {
  if (data === '0x') return null
  const state = strictly('wallet state', () =>
    decodeFunctionResult({ abi: agentWalletAbi, functionName: 'state', data }),
  )
  const { blockNumber, timestamp, sessionKey, validUntil, epoch, rotationDisabled, sessionRevoked } = state
  const { remaining, top, seen, balance, ownerNonce } = state
  return {
    blockNumber: Number(blockNumber),
    timestamp: Number(timestamp),
    sessionKey: sessionKey.toLowerCase() as Address,
    validUntil,
    epoch,
    rotationDisabled,
    sessionRevoked,
    remaining,
    top,
    seen,
    balance,
    ownerNonce,
  }
}

export const balanceOfCall = (account: Address): Hex =>
  encodeFunctionData({ abi: usdcAbi, functionName: 'balanceOf', args: [account.toLowerCase() as Address] })

export const decodeBalance = (data: Hex): bigint =>
  strictly('balance', () => decodeFunctionResult({ abi: usdcAbi, functionName: 'balanceOf', data }))

export const isBlacklistedCall = (account: Address): Hex =>
  encodeFunctionData({ abi: usdcAbi, functionName: 'isBlacklisted', args: [account.toLowerCase() as Address] })

export const decodeIsBlacklisted = (data: Hex): boolean =>
  strictly('isBlacklisted', () => decodeFunctionResult({ abi: usdcAbi, functionName: 'isBlacklisted', data }))

function strictly<T>(what: string, decode: () => T): T {
  try {
    return decode()
  } catch (cause) {
    throw new RpcUnavailable(`malformed result: ${what}`, { cause })
  }
}
