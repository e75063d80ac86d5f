import { queryOptions } from '@tanstack/react-query'
import type { ContactInput } from '#schemas/api.ts'
import type { Contact } from '#schemas/contact.ts'
import { api } from '../lib/api.ts'
import { orAlreadyDeleted, refreshing } from '../lib/changes.ts'
import { queryClient } from '../lib/queryClient.ts'
import { refreshGroups } from './agents.ts'

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
const changed = refreshing(refreshContacts)
export const createContact = (body: ContactInput) => changed(api('POST /contacts', { body }))
export const updateContact = (contactId: string, body: ContactInput) =>
  changed(api('PUT /contacts/:contactId', { params: { contactId }, body }))

/** Leaves out the balances: requesting those of a deleted contact would fail. */
const removed = refreshing(() =>
  Promise.all([queryClient.invalidateQueries({ queryKey: contactsQuery.queryKey, exact: true }), refreshGroups()]),
)

/** Removes the contact from the list and from every whitelist. */
export const deleteContact = (contactId: string) =>
  removed(orAlreadyDeleted(api('DELETE /contacts/:contactId', { params: { contactId } })))
/** Possible for ten minutes after deletion. Does not restore whitelist entries. */
export const restoreContact = (contactId: string) =>
  changed(api('POST /contacts/:contactId/restore', { params: { contactId } }))
