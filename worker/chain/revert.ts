import type { Abi } from 'viem'
import { decodeErrorResult } from 'viem/utils'
import {
  agentWalletAbi,
  agentWalletFactoryAbi,
  payoutEscrowAbi,
  payoutVaultAbi,
  providerAbi,
  relayAbi,
  usdcAbi,
} from './abi.ts'
import type { Hex } from './types.ts'

const contractErrors: Abi = [
  ...agentWalletAbi,
  ...agentWalletFactoryAbi,
  ...payoutEscrowAbi,
  ...payoutVaultAbi,
  ...providerAbi,
  ...relayAbi,
  ...usdcAbi,
].filter((item) => item.type === 'error')

/**
 * Describes revert data: `WrongEpoch(1, 2)` for an error of our contracts, the text of `require` for USDC's. Null if the
 * data is empty or unknown.
 */
export function revertReason(data: Hex | undefined): string | null {
  if (!data || data.length < 10) return null
  try {
    const { errorName, args } = decodeErrorResult({ abi: contractErrors, data })
    if (errorName === 'Error') return String(args?.[0])
    return args?.length ? `${errorName}(${args.join(', ')})` : errorName
  } catch {
    return null
  }
}
