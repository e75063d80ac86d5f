import type { PublicConfig, PublicContracts } from '#schemas/account.ts'
import type { Wallet } from '#schemas/wallet.ts'
import type { Chain } from './networks.ts'

/** Of one network. Not with the query, which the account screens load too. */
export const chainConfig = (config: PublicConfig, chain: Chain) => config.chains[chain === 'base' ? '8453' : '84532']

/** The contracts that a wallet was made with; null: this deployment does not know them. */
export const contractsOfWallet = (
  { contractSets }: PublicConfig['chains']['8453'],
  { contractSet }: Pick<Wallet, 'contractSet'>,
): PublicContracts | null => contractSets[contractSet ?? ''] ?? null

/** Without the trailing slash. */
export const explorerOf = (config: PublicConfig, chain: Chain): string =>
  chainConfig(config, chain)?.explorerUrl.replace(/\/$/, '') ?? ''
