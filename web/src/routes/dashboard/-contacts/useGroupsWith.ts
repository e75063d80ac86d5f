import { useQuery } from '@tanstack/react-query'
import { groupsQuery } from '#web/queries/agents.ts'

/** The names of the policy groups whose agents may pay this contact. */
export function useGroupsWith(contactId: string): string[] {
  const groups = useQuery(groupsQuery).data ?? []
  return groups
    .filter(({ policyGroup }) => policyGroup.whitelistedContacts.some(({ contact }) => contact.id === contactId))
    .map(({ policyGroup }) => policyGroup.name)
}
