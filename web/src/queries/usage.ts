import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Span } from '#domain/statistics.ts'
import type { KeyBudget, SpendingParams, Usage } from '#schemas/usage.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/queryClient.ts'

export type UsageWallet = Usage['wallets'][number]
export type UsageGroup = UsageWallet['policyGroups'][number]
export type { KeyBudget, Usage }

export const usageQuery = queryOptions({
  queryKey: ['usage'],
  queryFn: ({ signal }) => api('GET /usage/dashboard', { signal }),
})

/** Spending per day. Its key starts with that of `usageQuery`, so that both are refreshed together. */
export const spendingQuery = (query: SpendingParams) =>
  queryOptions({
    queryKey: ['usage', 'spending', query],
    queryFn: ({ signal }) => api('GET /usage/spending', { query, signal }),
  })

/** Later pages hold earlier changes; `days` is the same on every page. */
export const budgetHistoryQuery = (groupId: string, days: Span) =>
  infiniteQueryOptions({
    queryKey: ['usage', 'budget', groupId, days],
    queryFn: ({ pageParam, signal }) =>
      api('GET /policy-groups/:groupId/budget-history', {
        params: { groupId },
        query: { days, before: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next,
  })

export const refreshUsage = () => queryClient.invalidateQueries({ queryKey: usageQuery.queryKey })
