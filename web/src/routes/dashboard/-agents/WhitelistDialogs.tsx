import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { FullAddress } from '#web/components/Address.tsx'
import { ConfirmDialog } from '#web/components/ConfirmDialog.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { ErrorState } from '#web/components/states.tsx'
import {
  type ContactMethods,
  confirmContact,
  type PolicyGroup,
  updateGroup,
  type WholeGroup,
  wholeGroupQuery,
} from '#web/queries/agents.ts'
import { type Contact, contactQuery } from '#web/queries/contacts.ts'
import { contactScope, editInput, valuesOf } from './groupForm.ts'

const methods = ['address', 'email', 'phone'] as const
const names = { address: 'Wallet address', email: 'Email', phone: 'Phone' }

/** For a contact that changed after it was whitelisted: the owner compares both versions and confirms the new one. */
export function ConfirmContactDialog(props: { group: PolicyGroup; contactId: string; onClose: () => void }) {
  const { group } = props
  // As it was when the dialog opened: what is confirmed is what was read, and the server refuses anything newer.
  const [entry] = useState(() => group.whitelistedContacts.find(({ contact }) => contact.id === props.contactId))
  if (!entry?.stale || !entry.current)
    return (
      <Dialog title="Nothing to confirm" onClose={props.onClose}>
        <p className="pb-2">
          {entry || group.whitelistedCount === group.whitelistedContacts.length
            ? 'This contact has not changed since it was whitelisted.'
            : 'This contact is not one of those that are shown. Confirm the others that changed first.'}
        </p>
      </Dialog>
    )
  const { contact, current } = entry
  const changed = methods.filter((method) => contact[method] !== current[method])
  return (
    <ConfirmDialog
      title={`${contact.name} changed`}
      confirm={['Confirm contact', 'Confirming...']}
      fallback="Failed to confirm the contact. Please try again."
      act={() => confirmContact(group.id, contact.id, current)}
      done={`${contact.name} can be paid again.`}
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

/** Adds a contact to the group's whitelist, such as one that an agent was refused to pay. */
export function WhitelistDialog(props: { group: PolicyGroup; contactId: string; onClose: () => void }) {
  const { contactId } = props
  // As it was when the dialog opened: a change meanwhile is a conflict.
  const [listed] = useState(props.group)
  const contact = useQuery(contactQuery(contactId))
  const whole = useQuery(wholeGroupQuery(listed))
  const group = whole.data
  if (contact.data && group && !group.contactIds.includes(contactId))
    return <WhitelistIt group={group} contact={contact.data} onClose={props.onClose} />
  const error = contact.error ?? whole.error
  return (
    <Dialog title="Whitelist a contact" onClose={props.onClose}>
      {error ? (
        <ErrorState
          error={error}
          fallback="Failed to load the contact"
          onRetry={() => void Promise.all([contact.refetch(), whole.refetch()])}
        />
      ) : (
        <p className="pb-2">
          {contact.data === null
            ? 'This contact was deleted.'
            : group?.contactIds.includes(contactId)
              ? 'This contact is already on the whitelist.'
              : 'Loading the contact...'}
        </p>
      )}
    </Dialog>
  )
}

function WhitelistIt(props: { group: WholeGroup; contact: Contact; onClose: () => void }) {
  const { group, contact } = props
  const values = valuesOf(group)
  const edited = {
    ...values,
    scopes: values.scopes.includes(contactScope) ? values.scopes : [...values.scopes, contactScope],
    contactIds: [...values.contactIds, contact.id],
  }
  return (
    <ConfirmDialog
      title={`Whitelist ${contact.name}`}
      confirm={[`Whitelist ${contact.name}`, 'Saving...']}
      fallback="Failed to update policy group. Please try again."
      act={() => updateGroup(group.id, editInput(edited, group))}
      done={`${group.name} may pay ${contact.name} now.`}
      onClose={props.onClose}
    >
      <p>
        Agents in <strong className="break-words font-semibold">{group.name}</strong> may then pay {contact.name} within
        the group’s limits:
      </p>
      <div className="space-y-2">
        {methods.map(
          (method) =>
            contact[method] !== null && (
              <Value key={method} label={names[method]} method={method} value={contact[method]} />
            ),
        )}
      </div>
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
