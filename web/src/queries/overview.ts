import { queryOptions } from '@tanstack/react-query'
import type { Preferences } from '#schemas/preferences.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/queryClient.ts'

export const overviewQuery = queryOptions({
  queryKey: ['overview'],
  queryFn: async ({ signal }) => {
    const overview = await api('GET /overview', { signal })
    if (overview.balanceAsOf !== null) void refreshBalance()
    return overview
  },
})

/** Replaces the balance on screen by one that is read now. If that fails, the one on screen still says when it was read. */
export async function refreshBalance(): Promise<void> {
  const balance = await api('GET /overview/balance').catch(() => null)
  queryClient.setQueryData(overviewQuery.queryKey, (shown) => shown && { ...shown, ...balance })
}

export const preferencesQuery = queryOptions({
  queryKey: ['preferences'],
  queryFn: ({ signal }) => api('GET /preferences', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

/** For parts of a page that waits for the preferences: one that mounts after they failed to load would load them again. */
export const shownPreferencesQuery = { ...preferencesQuery, retryOnMount: false }

/** Fields missing from `change` keep their values. */
export async function savePreferences(change: Preferences): Promise<void> {
  // Preferences that are not loaded stay so: a partial object would make the other fields look unset.
  queryClient.setQueryData(preferencesQuery.queryKey, (before) => before && { ...before, ...change })
  await api('PUT /preferences', { body: change, keepalive: true })
}
