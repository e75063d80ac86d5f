import { chainIdOf, networkName } from '../lib/networks.ts'

export const chainIds = [chainIdOf('base'), chainIdOf('base-sepolia')] as const
export type ChainId = (typeof chainIds)[number]
export const chainNames: Record<ChainId, string> = { 8453: networkName('base'), 84532: networkName('base-sepolia') }

export const isSupported = (chainId: number | undefined): chainId is ChainId => chainIds.some((id) => id === chainId)
