export const chainIds = [8453, 84532] as const
export type ChainId = (typeof chainIds)[number]
export const chainNames: Record<ChainId, string> = { 8453: 'Base', 84532: 'Base Sepolia' }

export const isSupported = (chainId: number | undefined): chainId is ChainId => chainIds.some((id) => id === chainId)
