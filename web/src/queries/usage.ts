import { queryOptions } from '@tanstack/react-query'
import type { Usage } from '#schemas/usage.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/queryClient.ts'

export type UsageWallet = Usage['wallets'][number]
export type UsageGroup = UsageWallet['policyGroups'][number]
export type { Usage }

export const usageQuery = queryOptions({
  queryKey: ['usage'],
  queryFn: ({ signal }) => api('GET /usage/dashboard', { signal }),
})

export const refreshUsage = () => queryClient.invalidateQueries({ queryKey: usageQuery.queryKey })
