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

const namesAtOnce = 100
type Asked = { resolve: (name: string | null) => void; reject: (error: unknown) => void }
/** Values whose names are to be asked for together. The query client asks once for each. */
let waiting = new Map<string, Asked>()

async function askNames() {
  const asked = [...waiting]
  waiting = new Map()
  for (let i = 0; i < asked.length; i += namesAtOnce) {
    const part = asked.slice(i, i + namesAtOnce)
    await api('POST /contacts/names', { body: { values: part.map(([value]) => value) } }).then(
      ({ names }) => {
        for (const [value, { resolve }] of part) resolve(names[value] ?? null)
      },
      (error: unknown) => {
        for (const [, { reject }] of part) reject(error)
      },
    )
  }
}

/** The name of the contact with this address, email or phone number; null if there is none. */
export const contactNameQuery = (value: string | null | undefined) => {
  const known = value?.toLowerCase() ?? ''
  return queryOptions({
    queryKey: [...listKey, 'name', known],
    queryFn: (): Promise<string | null> => {
      if (waiting.size === 0) setTimeout(askNames)
      return new Promise((resolve, reject) => waiting.set(known, { resolve, reject }))
    },
    enabled: known !== '',
    staleTime: 5 * 60_000, // 5 minutes; a change of the contacts ends it
  })
}

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

/** Removes the contact from the list and from every whitelist. */
export function deleteContact(contactId: string) {
  // Leaves out its balance and its groups: requesting those of a deleted contact would fail.
  const removed = refreshing(() =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: listKey }),
      refreshGroups({ predicate: ({ queryKey }) => !queryKey.includes(contactId) }),
    ]),
  )
  return removed(orAlreadyDeleted(api('DELETE /contacts/:contactId', { params: { contactId } })))
}
/** Possible for ten minutes after deletion. Does not restore whitelist entries. */
export const restoreContact = (contactId: string) =>
  changed(api('POST /contacts/:contactId/restore', { params: { contactId } }))
