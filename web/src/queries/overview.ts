import { queryOptions } from '@tanstack/react-query'
import type { Preferences } from '#schemas/preferences.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/queryClient.ts'
import { contactNameQuery } from './contacts.ts'

export const overviewQuery = queryOptions({
  queryKey: ['overview'],
  queryFn: async ({ signal }) => {
    const overview = await api('GET /overview', { signal })
    // For the newest transactions beside them, which then need no call for names.
    for (const { recipient, name, contactId } of overview.recipients)
      if (contactId === null) queryClient.setQueryData(contactNameQuery(recipient).queryKey, name)
    return overview
  },
})

export const preferencesQuery = queryOptions({
  queryKey: ['preferences'],
  queryFn: ({ signal }) => api('GET /preferences', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Fields missing from `change` keep their values. */
export async function savePreferences(change: Preferences): Promise<void> {
  // Preferences that are not loaded stay so: a partial object would make the other fields look unset.
  queryClient.setQueryData(preferencesQuery.queryKey, (before) => before && { ...before, ...change })
  await api('PUT /preferences', { body: change, keepalive: true })
}
