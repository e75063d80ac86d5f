import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { groupsWithQuery } from '../queries/agents.ts'
import { contactQuery } from '../queries/contacts.ts'
import { useMay } from '../queries/people.ts'
import { buttonClass } from './Button.tsx'

/** The rule that refuses contacts which a group does not list. */
const whitelistRule = 'whitelist'

/**
 * For a payment to a contact that the group does not list: opens the dialog that lists it. Renders nothing for other rules, and if
 * the contact was deleted.
 */
export function WhitelistContact(props: { rule: string | null; groupId: string | null; contactId: string | null }) {
  const { groupId } = props
  const mayList = useMay('policies.editGroup')
  const contactId = props.rule === whitelistRule && groupId !== null ? (props.contactId ?? undefined) : undefined
  const contact = useQuery(contactQuery(contactId)).data
  const groups = useQuery({ ...groupsWithQuery(contactId ?? ''), enabled: contactId !== undefined }).data
  if (!contactId || !groupId || !contact || !groups) return null
  const group = groups.find(({ id }) => id === groupId)
  if (group)
    return (
      <p role="status" className="text-small">
        {group.name} may pay {contact.name} now. It is paid when the agent asks again.
      </p>
    )
  if (!mayList) return null
  return (
    <Link
      to="/dashboard/agents"
      search={{ group: groupId, whitelist: contactId }}
      className={`${buttonClass('secondary')} mt-2`}
    >
      Whitelist {contact.name}
    </Link>
  )
}
