import { keepPreviousData, type QueryKey, queryOptions } from '@tanstack/react-query'
import type { ApiCalls, ContactInput } from '#schemas/api.ts'
import type { Contact } from '#schemas/contact.ts'
import { api, apiEnvelope } from '../lib/api.ts'
import { ApiError } from '../lib/apiError.ts'
import { orAlreadyDeleted, refreshing } from '../lib/changes.ts'
import { queryClient } from '../lib/queryClient.ts'
import { refreshGroups } from './agents.ts'

export type { Contact }

const rootKey = ['contacts'] as const
const listKey = [...rootKey, 'list'] as const

type Params = Omit<NonNullable<ApiCalls['GET /contacts']['query']>, 'userId'>

/** A page of the contacts with `search` in one of their texts, newest first. */
export const contactsQuery = (params: Params) =>
  queryOptions({
    queryKey: [...listKey, params] as QueryKey,
    queryFn: async ({ signal }) => {
      const { data, page } = await apiEnvelope('GET /contacts', { query: params, signal })
      return { contacts: data, page }
    },
    placeholderData: keepPreviousData,
  })

/** One contact, or null if there is none with this id. */
export const contactQuery = (contactId: string | undefined) =>
  queryOptions({
    queryKey: [...rootKey, 'one', contactId],
    queryFn: ({ signal }): Promise<Contact | null> =>
      api('GET /contacts/:contactId', { params: { contactId: contactId! }, signal }).catch((error) => {
        if (error instanceof ApiError && error.code === 'not_found') return null
        throw error
      }),
    enabled: contactId !== undefined,
  })
/** Keeps a contact that a list has loaded, so that it is not loaded again when it is chosen. */
export const rememberContact = (contact: Contact) =>
  queryClient.setQueryData(contactQuery(contact.id).queryKey, contact)

/** Contacts that share a value with the given ones, and one whose address only looks the same. */
export const contactMatchesQuery = (query: NonNullable<ApiCalls['GET /contacts/matches']['query']>) =>
  queryOptions({
    queryKey: [...listKey, 'matches', query],
    queryFn: ({ signal }) => api('GET /contacts/matches', { query, signal }),
  })

/** Names of the contacts with these addresses, by address in lower case; null for an address that no contact has. */
export const contactNamesQuery = (addresses: string[]) =>
  queryOptions({
    queryKey: [...rootKey, 'names', addresses],
    queryFn: ({ signal }) => api('POST /contacts/names', { body: { addresses }, signal }),
    enabled: addresses.length > 0,
    staleTime: 5 * 60_000, // 5 minutes
  })

/** Balances of the contacts on screen, 50 at most. */
export const contactBalancesQuery = (contactIds: string[]) =>
  queryOptions({
    queryKey: [...rootKey, 'balances', contactIds],
    queryFn: ({ signal }) => api('GET /contacts/balances', { query: { ids: contactIds.join(',') }, signal }),
    enabled: contactIds.length > 0,
    staleTime: 30_000, // 30 seconds
  })

export const refreshContacts = () => queryClient.invalidateQueries({ queryKey: rootKey })
const changed = refreshing(refreshContacts)
export const createContact = (body: ContactInput) => changed(api('POST /contacts', { body }))
export const updateContact = (contactId: string, body: ContactInput) =>
  changed(api('PUT /contacts/:contactId', { params: { contactId }, body }))

/** Leaves out the balances: requesting those of a deleted contact would fail. */
const removed = refreshing(() => Promise.all([queryClient.invalidateQueries({ queryKey: listKey }), refreshGroups()]))

/** Removes the contact from the list and from every whitelist. */
export const deleteContact = (contactId: string) =>
  removed(orAlreadyDeleted(api('DELETE /contacts/:contactId', { params: { contactId } })))
/** Possible for ten minutes after deletion. Does not restore whitelist entries. */
export const restoreContact = (contactId: string) =>
  changed(api('POST /contacts/:contactId/restore', { params: { contactId } }))
