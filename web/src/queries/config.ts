import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '../lib/api.ts'
import type { Chain } from '../lib/networks.ts'

/** Links and contract addresses of this deployment. They never change while the page is open. */
export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: ({ signal }) => api('GET /config', { public: true, signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Whether payouts can be sent to phone numbers; false until the configuration is loaded. */
export const useSms = (): boolean => useQuery(configQuery).data?.sms ?? false

/** The primary network, whose money counts: Base, unless this is a staging deployment. */
export const usePrimaryChain = (): Chain => useQuery(configQuery).data?.primaryChain ?? 'base'
