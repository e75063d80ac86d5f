import type { PublicConfig, PublicContracts } from '#schemas/account.ts'
import type { Wallet } from '#schemas/wallet.ts'
import type { Chain } from './networks.ts'

/** The configuration of one network. In a separate module from the query, which the account screens load too. */
export const chainConfig = (config: PublicConfig, chain: Chain) => config.chains[chain === 'base' ? '8453' : '84532']

/** The contracts that a wallet was created with; null if this deployment does not know them. */
export const contractsOfWallet = (
  { contractSets }: PublicConfig['chains']['8453'],
  { contractSet }: Pick<Wallet, 'contractSet'>,
): PublicContracts | null => contractSets[contractSet ?? ''] ?? null

/** The explorer's URL without a trailing slash; empty if the network is not configured. */
export const explorerOf = (config: PublicConfig, chain: Chain): string =>
  chainConfig(config, chain)?.explorerUrl.replace(/\/$/, '') ?? ''
