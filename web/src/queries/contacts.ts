import { queryOptions } from '@tanstack/react-query'
import type { ContactInput } from '#schemas/api.ts'
import type { Contact } from '#schemas/contact.ts'
import { api } from '../lib/api.ts'
import { ApiError } from '../lib/apiError.ts'
import { queryClient } from '../lib/queryClient.ts'

export type { Contact }

export const contactsQuery = queryOptions({
  queryKey: ['contacts'],
  queryFn: ({ signal }) => api('GET /contacts', { signal }),
})

/** Balances of the contacts on screen, 50 at most. */
export const contactBalancesQuery = (contactIds: string[]) =>
  queryOptions({
    queryKey: [...contactsQuery.queryKey, 'balances', contactIds],
    queryFn: ({ signal }) => api('GET /contacts/balances', { query: { ids: contactIds.join(',') }, signal }),
    enabled: contactIds.length > 0,
    staleTime: 30_000, // 30 seconds
  })

export const refreshContacts = () => queryClient.invalidateQueries({ queryKey: contactsQuery.queryKey })
/** Leaves out the balances: requesting those of a deleted contact would fail. */
export const refreshContactList = () => queryClient.invalidateQueries({ queryKey: contactsQuery.queryKey, exact: true })

export const createContact = (body: ContactInput) => api('POST /contacts', { body })
export const updateContact = (contactId: string, body: ContactInput) =>
  api('PUT /contacts/:contactId', { params: { contactId }, body })

/** Removes the contact from the list and from every whitelist. A contact that no longer exists counts as deleted. */
export async function deleteContact(contactId: string): Promise<void> {
  await api('DELETE /contacts/:contactId', { params: { contactId } }).catch((error) => {
    if (!(error instanceof ApiError && error.code === 'not_found')) throw error
  })
}
/** Possible for ten minutes after deletion. Does not restore whitelist entries. */
export const restoreContact = (contactId: string) => api('POST /contacts/:contactId/restore', { params: { contactId } })
