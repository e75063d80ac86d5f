import { queryOptions } from '@tanstack/react-query'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/queryClient.ts'

export type Contact = {
  id: string
  name: string
  address?: string | null
  email?: string | null
  phone?: string | null
  description?: string | null
  createdAt: string
}

export const contactsQuery = queryOptions({
  queryKey: ['contacts'],
  queryFn: ({ signal }) => api.get<Contact[]>('/contacts', { signal }),
})

export const refreshContacts = () => queryClient.invalidateQueries({ queryKey: contactsQuery.queryKey })

export type ContactInput = { name: string; address?: string; email?: string; description?: string }
export const createContact = (input: ContactInput) => api.post<Contact>('/contacts', input)
