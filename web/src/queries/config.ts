import { queryOptions } from '@tanstack/react-query'
import type { PublicConfig } from '../../../worker/schemas/account.ts'
import { api } from '../lib/api.ts'

export type Chain = 'base' | 'base-sepolia'

/** What this deployment is: links and contract addresses. Never changes while the page is open. */
export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: ({ signal }) => api.get<PublicConfig>('/config', { public: true, signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

export const chainConfig = (config: PublicConfig, chain: Chain) => config.chains[chain === 'base' ? '8453' : '84532']

/** Without the trailing slash. */
export const explorerOf = (config: PublicConfig, chain: Chain): string =>
  chainConfig(config, chain)?.explorerUrl.replace(/\/$/, '') ?? ''
