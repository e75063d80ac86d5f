import { useQuery } from '@tanstack/react-query'
import { toast } from 'react-hot-toast/headless'
import { ConfirmDialog } from '../../../components/ConfirmDialog.tsx'
import { Notice } from '../../../components/Notice.tsx'
import { messageOf } from '../../../lib/api.ts'
import { groupsQuery, refreshGroups } from '../../../queries/agents.ts'
import {
  type Contact,
  deleteContact,
  refreshContactList,
  refreshContacts,
  restoreContact,
} from '../../../queries/contacts.ts'
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
      <p>The contact leaves your list. Payments that were made stay as they are.</p>
      {isPending && <p className="text-muted">Looking for policy groups that use it...</p>}
      {groups.length > 0 && (
        <Notice tone="warning">
          Agents of these policy groups may pay this contact. From now on they can’t:
          <ul className="mt-1 list-disc pl-5">
            {groups.map((name) => (
              <li key={name}>{name}</li>
            ))}
          </ul>
        </Notice>
      )}
      {isError && (
        <Notice tone="warning">
          It is not known now which policy groups use this contact. Whichever do, their agents can’t pay it any more.
        </Notice>
      )}
    </ConfirmDialog>
  )
}

/** Stands in the message; brings the contact back, but not onto the whitelists. */
function Undo(props: { contact: Contact; groups: string[]; onDone: () => void }) {
  const { contact, groups } = props

  async function undo() {
    props.onDone()
    try {
      await restoreContact(contact.id)
      await refreshContacts()
      toast.success(
        groups.length === 0
          ? `${contact.name} is back.`
          : `${contact.name} is back. Agents of ${groups.join(', ')} may not pay it until you add it there again.`,
      )
    } catch (error) {
      toast.error(messageOf(error, `Failed to bring ${contact.name} back`))
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
