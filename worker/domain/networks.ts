/** The networks Bursar runs on. Contracts and databases use the chain id, the API uses the name; `shortName`: EIP-3770. */
export const networks = {
  8453: { name: 'base', shortName: 'base', label: 'Base', isTest: false },
  84532: { name: 'base-sepolia', shortName: 'basesep', label: 'Base Sepolia', isTest: true },
} as const

/** The block time of both. */
export const blockMs = 2_000 // 2 seconds

export type ChainId = keyof typeof networks
export type ChainName = (typeof networks)[ChainId]['name']

export const chainIds = [8453, 84532] as const satisfies ChainId[]
export const chainNames = ['base', 'base-sepolia'] as const satisfies ChainName[]

/** False for an unknown wallet's network. */
export const isTestChain = (chainId: ChainId | undefined): boolean => chainId !== undefined && networks[chainId].isTest
export const chainNameOf = (chainId: ChainId): ChainName => networks[chainId].name
export const chainIdOf = (name: ChainName): ChainId => (name === 'base' ? 8453 : 84532)
/** The unit of amounts. Test money is labeled as such, so that it is not mistaken for real money. */
export const usdcUnit = (isTest: boolean) => (isTest ? 'Test USDC' : 'USDC')
export const isChainId = (value: number): value is ChainId => value in networks
