import type { PublicConfig } from '#schemas/account.ts'
import type { Chain } from './networks.ts'

/** Of one network. Not with the query, which the account screens load too. */
export const chainConfig = (config: PublicConfig, chain: Chain) => config.chains[chain === 'base' ? '8453' : '84532']

/** Without the trailing slash. */
export const explorerOf = (config: PublicConfig, chain: Chain): string =>
  chainConfig(config, chain)?.explorerUrl.replace(/\/$/, '') ?? ''
