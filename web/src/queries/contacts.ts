import { queryOptions } from '@tanstack/react-query'
import type { Contact } from '../../../worker/schemas/contact.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/queryClient.ts'

export type { Contact }

export const contactsQuery = queryOptions({
  queryKey: ['contacts'],
  queryFn: ({ signal }) => api.get<Contact[]>('/contacts', { signal }),
})

export const refreshContacts = () => queryClient.invalidateQueries({ queryKey: contactsQuery.queryKey })

export type ContactInput = { name: string; address?: string; email?: string; description?: string }
export const createContact = (input: ContactInput) => api.post<Contact>('/contacts', input)
