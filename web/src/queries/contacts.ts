import { queryOptions } from '@tanstack/react-query'
import type { Contact, ContactBalances } from '../../../worker/schemas/contact.ts'
import { ApiError, api } from '../lib/api.ts'
import { queryClient } from '../lib/queryClient.ts'

export type { Contact }

export const contactsQuery = queryOptions({
  queryKey: ['contacts'],
  queryFn: ({ signal }) => api.get<Contact[]>('/contacts', { signal }),
})

/** Of the contacts that are looked at, 50 at most. */
export const contactBalancesQuery = (contactIds: string[]) =>
  queryOptions({
    queryKey: [...contactsQuery.queryKey, 'balances', contactIds],
    queryFn: ({ signal }) =>
      api.get<ContactBalances>(`/contacts/balances?ids=${contactIds.map(encodeURIComponent).join(',')}`, { signal }),
    enabled: contactIds.length > 0,
    staleTime: 30_000, // 30 seconds
  })

export const refreshContacts = () => queryClient.invalidateQueries({ queryKey: contactsQuery.queryKey })
/** Without the balances, which cannot be asked for a contact that is gone. */
export const refreshContactList = () => queryClient.invalidateQueries({ queryKey: contactsQuery.queryKey, exact: true })

const path = (contactId: string) => `/contacts/${encodeURIComponent(contactId)}`

export type ContactInput = {
  /** The caller's own, where the specification sends it. */
  userId?: string
  name: string
  address?: string
  email?: string
  phone?: string
  description?: string
}
export const createContact = (input: ContactInput) => api.post<Contact>('/contacts', input)
export const updateContact = (contactId: string, input: ContactInput) => api.put<Contact>(path(contactId), input)

/** Off the list and every whitelist at once. Gone already, in another tab say, is as good. */
export async function deleteContact(contactId: string): Promise<void> {
  await api.delete(path(contactId)).catch((error) => {
    if (!(error instanceof ApiError && error.code === 'not_found')) throw error
  })
}
/** Within ten minutes. The whitelists stay as they are. */
export const restoreContact = (contactId: string) => api.post<Contact>(`${path(contactId)}/restore`)
