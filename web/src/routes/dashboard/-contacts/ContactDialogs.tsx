import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Resolver, useForm } from 'react-hook-form'
import { toast } from 'react-hot-toast/headless'
import { type ContactValues, contactProblems, duplicatesOf, noMethodText } from '#domain/contactRules.ts'
import { ConfirmDialog } from '#web/components/ConfirmDialog.tsx'
import { FormDialog, formResolver, TextField } from '#web/components/forms.tsx'
import { Notice } from '#web/components/Notice.tsx'
import { addressNote } from '#web/lib/addressNote.ts'
import { ApiError, messageOf } from '#web/lib/apiError.ts'
import { failureOf, failures } from '#web/lib/failures.ts'
import { plural } from '#web/lib/format.ts'
import { useSession } from '#web/lib/session.ts'
import { useDebounced } from '#web/lib/useDebounced.ts'
import { groupsWithQuery } from '#web/queries/agents.ts'
import {
  type Contact,
  contactMatchesQuery,
  createContact,
  deleteContact,
  refreshContacts,
  restoreContact,
  updateContact,
} from '#web/queries/contacts.ts'

/** A missing contact method is a problem only on saving: users who skip the address may be about to enter an email. */
const resolver: Resolver<ContactValues> = (values, context, options) =>
  formResolver<ContactValues>((current) => {
    const problems = contactProblems(current)
    const saving = (options.names?.length ?? 0) > 2
    return problems.address === noMethodText && !saving ? { ...problems, address: null } : problems
  })(values, context, options)

/** Adds a contact, or edits `contact`. */
export function ContactDialog(props: { contact?: Contact; onClose: () => void }) {
  const { contact, onClose } = props
  const { user } = useSession()
  // The list is read again meanwhile; what is saved is based on what the form began with.
  const [updatedAt] = useState(contact?.updatedAt)
  const form = useForm<ContactValues>({
    resolver,
    mode: 'onTouched',
    defaultValues: {
      name: contact?.name ?? '',
      address: contact?.address ?? '',
      email: contact?.email ?? '',
      phone: contact?.phone ?? '',
      description: contact?.description ?? '',
    },
  })

  async function send(values: ContactValues) {
    if (!user) throw new ApiError(401, 'unauthenticated', 'Please log in to add contacts')
    const filled = Object.entries(values).flatMap(([key, value]) => (value.trim() ? [[key, value.trim()]] : []))
    const input = { name: values.name.trim(), ...Object.fromEntries(filled) }
    const saved = await (contact ? updateContact(contact.id, { ...input, updatedAt }) : createContact(input)).catch(
      (error: unknown) => {
        if (error instanceof ApiError && error.status === 409) refreshContacts()
        throw error
      },
    )
    toast.success(contact ? `${saved.name} is saved.` : `${saved.name} was added to your contacts.`)
    onClose()
  }

  return (
    <FormDialog
      title={contact ? 'Edit Contact' : 'Add Contact'}
      subject={contact?.id ?? null}
      form={form}
      onClose={onClose}
      submit={[contact ? 'Save Changes' : 'Add Contact', 'Saving...']}
      fallback={(error) =>
        failureOf(
          error,
          contact ? 'Failed to update contact' : 'Failed to create contact',
          failures.contact,
          'Failed to save contact',
        )
      }
      send={send}
    >
      <TextField form={form} name="name" label="Name" autoComplete="off" />
      <TextField
        form={form}
        name="address"
        label="Wallet address"
        hint={addressNote(form.watch('address'))}
        options={{ deps: ['email', 'phone'] }}
        autoComplete="off"
        placeholder="0x…"
        autoCapitalize="none"
        spellCheck={false}
        className="font-mono text-small"
      />
      <TextField
        form={form}
        name="email"
        label="Email"
        hint="A wallet address, an email, or both."
        options={{ deps: 'address' }}
        autoComplete="off"
        type="email"
        placeholder="name@example.com"
        autoCapitalize="none"
      />
      <TextField
        form={form}
        name="phone"
        label="Phone"
        aside="Optional"
        options={{ deps: 'address' }}
        autoComplete="off"
        type="tel"
        placeholder="+1 415 555 0123"
      />
      <TextField form={form} name="description" label="Description" aside="Optional" autoComplete="off" />
      <Duplicates values={form.watch()} contactId={contact?.id ?? null} />
      {contact && <StaleGroups contact={contact} values={form.watch()} />}
    </FormDialog>
  )
}

const shownAtMost = 3

/** Warns about duplicates. They are allowed: two people may share a name, and a family an address. */
function Duplicates(props: { values: ContactValues; contactId: string | null }) {
  const { values, contactId } = props
  const problems = contactProblems(values)
  const sent = (['name', 'address', 'email', 'phone'] as const).flatMap((name) => {
    const text = values[name].trim()
    return text && !problems[name] ? [[name, text]] : []
  })
  const key = useDebounced(JSON.stringify(sent))
  const query: Record<string, string> = Object.fromEntries(JSON.parse(key))
  const { data } = useQuery({
    ...contactMatchesQuery({ ...query, ...(contactId && { except: contactId }) }),
    enabled: key !== '[]',
    placeholderData: keepPreviousData,
  })
  const found = duplicatesOf(values, data?.contacts ?? [], contactId)
  // The reply may not belong to these values yet.
  const total = data && found.length === data.contacts.length ? data.total : found.length
  if (found.length === 0) return null
  return (
    <Notice tone="warning">
      {found.slice(0, shownAtMost).map(({ contact, shares }) => (
        <p key={contact.id}>
          {contact.name} has the same {shares}.
        </p>
      ))}
      {total > shownAtMost && <p>And {plural(total - shownAtMost, 'more contact')}.</p>}
    </Notice>
  )
}

/** Names the policy groups whose agents can't pay a changed contact until the owner confirms it. */
function StaleGroups(props: { contact: Contact; values: ContactValues }) {
  const { contact, values } = props
  const groups = useGroupsWith(contact.id)
  const same = (['address', 'email', 'phone'] as const).every(
    (key) => (contact[key] ?? '').toLowerCase() === values[key].trim().toLowerCase(),
  )
  if (same || groups.length === 0) return null
  return (
    <Notice tone="warning">
      Agents in {groups.join(', ')} may pay this contact. After this change they can’t until you confirm it in the
      group.
    </Notice>
  )
}

const undoShownMs = 10_000 // 10 seconds; the server allows ten minutes

export function DeleteContactDialog(props: { contact: Contact; onClose: () => void }) {
  const { contact } = props
  const groups = useGroupsWith(contact.id)
  const { isPending, isError } = useQuery(groupsWithQuery(contact.id))

  async function act() {
    await deleteContact(contact.id)
    toast.success((t) => <Undo contact={contact} groups={groups} onDone={() => toast.dismiss(t.id)} />, {
      duration: undoShownMs,
    })
  }

  return (
    <ConfirmDialog
      title={`Delete ${contact.name}?`}
      confirm={['Delete Contact', 'Deleting...']}
      danger
      missing={isPending ? 'Checking which policy groups use it...' : null}
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

/** The names of the policy groups whose agents may pay this contact. */
const useGroupsWith = (contactId: string): string[] =>
  (useQuery(groupsWithQuery(contactId)).data ?? []).map(({ name }) => name)
