import { toast } from 'react-hot-toast/headless'
import { FullAddress } from '#web/components/Address.tsx'
import { ConfirmDialog } from '#web/components/ConfirmDialog.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { type ContactMethods, confirmContact, type PolicyGroup, refreshGroups } from '#web/queries/agents.ts'

const methods = ['address', 'email', 'phone'] as const
const names = { address: 'Wallet address', email: 'Email', phone: 'Phone' }

/** For a contact that changed after it was whitelisted: the owner compares both versions and confirms the new one. */
export default function ConfirmContactDialog(props: { group: PolicyGroup; contactId: string; onClose: () => void }) {
  const { group } = props
  const entry = group.whitelistedContacts.find(({ contact }) => contact.id === props.contactId)
  if (!entry?.stale || !entry.current)
    return (
      <Dialog title="Nothing to confirm" onClose={props.onClose}>
        <p className="pb-2">This contact has not changed since it was whitelisted.</p>
      </Dialog>
    )
  const { contact, current } = entry
  const changed = methods.filter((method) => contact[method] !== current[method])
  return (
    <ConfirmDialog
      title={`${contact.name} changed`}
      confirm={['Confirm contact', 'Confirming...']}
      fallback="Failed to confirm the contact. Please try again."
      act={async () => {
        await confirmContact(group.id, contact.id, current)
        await refreshGroups()
        toast.success(`${contact.name} can be paid again.`)
      }}
      onClose={props.onClose}
    >
      <p>
        Agents in {group.name} cannot pay {contact.name} until you confirm the change. If you did not make it, check
        with {contact.name} first.
      </p>
      <dl className="space-y-3">
        {changed.map((method) => (
          <div key={method}>
            <dt className="font-medium text-small">{names[method]}</dt>
            <dd className="mt-1 space-y-2">
              <Value label="Before" method={method} value={contact[method]} />
              <Value label="Now" method={method} value={current[method]} />
            </dd>
          </div>
        ))}
      </dl>
    </ConfirmDialog>
  )
}

function Value(props: { label: string; method: keyof ContactMethods; value: string | null }) {
  return (
    <div className="rounded-control bg-sunken px-3 py-2">
      <p className="text-muted text-small">{props.label}</p>
      {props.value === null ? (
        <p>None</p>
      ) : props.method === 'address' ? (
        <FullAddress address={props.value} />
      ) : (
        <p className="break-all">{props.value}</p>
      )}
    </div>
  )
}
