import { useQuery } from '@tanstack/react-query'
import { toast } from 'react-hot-toast/headless'
import { ConfirmDialog } from '#web/components/ConfirmDialog.tsx'
import { Notice } from '#web/components/Notice.tsx'
import { messageOf } from '#web/lib/apiError.ts'
import { groupsQuery, refreshGroups } from '#web/queries/agents.ts'
import {
  type Contact,
  deleteContact,
  refreshContactList,
  refreshContacts,
  restoreContact,
} from '#web/queries/contacts.ts'
import { useGroupsWith } from './useGroupsWith.ts'

const undoShownMs = 10_000 // 10 seconds; the server allows ten minutes

export default function DeleteContactDialog(props: { contact: Contact; onClose: () => void }) {
  const { contact } = props
  const groups = useGroupsWith(contact.id)
  const { isPending, isError } = useQuery(groupsQuery)

  async function act() {
    await deleteContact(contact.id)
    await Promise.all([refreshContactList(), refreshGroups()])
    toast.success((t) => <Undo contact={contact} groups={groups} onDone={() => toast.dismiss(t.id)} />, {
      duration: undoShownMs,
    })
  }

  return (
    <ConfirmDialog
      title={`Delete ${contact.name}?`}
      confirm={['Delete Contact', 'Deleting...']}
      danger
      disabled={isPending}
      act={act}
      fallback="Failed to delete contact"
      onClose={props.onClose}
    >
      <p>The contact is removed from your list. Past payments are not affected.</p>
      {isPending && <p className="text-muted">Checking which policy groups use it...</p>}
      {groups.length > 0 && (
        <Notice tone="warning">
          Agents in these policy groups can no longer pay this contact:
          <ul className="mt-1 list-disc pl-5">
            {groups.map((name) => (
              <li key={name}>{name}</li>
            ))}
          </ul>
        </Notice>
      )}
      {isError && (
        <Notice tone="warning">
          We could not check which policy groups use this contact. Agents in any group that uses it can no longer pay
          it.
        </Notice>
      )}
    </ConfirmDialog>
  )
}

/** The content of the toast: restores the contact, but not its whitelist entries. */
function Undo(props: { contact: Contact; groups: string[]; onDone: () => void }) {
  const { contact, groups } = props

  async function undo() {
    props.onDone()
    try {
      await restoreContact(contact.id)
      await refreshContacts()
      toast.success(
        groups.length === 0
          ? `${contact.name} is restored.`
          : `${contact.name} is restored. Agents in ${groups.join(', ')} can’t pay it until you add it to the group again.`,
      )
    } catch (error) {
      toast.error(messageOf(error, `Failed to restore ${contact.name}`))
    }
  }

  return (
    <span className="flex flex-wrap items-center gap-x-3">
      {contact.name} is deleted.
      <button
        type="button"
        onClick={undo}
        className="min-h-6 rounded-sm font-medium text-green underline underline-offset-3"
      >
        Undo
      </button>
    </span>
  )
}
