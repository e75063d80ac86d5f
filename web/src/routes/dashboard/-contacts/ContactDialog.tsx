import { useQuery } from '@tanstack/react-query'
import { type Resolver, useForm } from 'react-hook-form'
import { toast } from 'react-hot-toast/headless'
import { type ContactValues, contactProblems, duplicatesOf, noMethodText } from '#domain/contactRules.ts'
import { Field, Input } from '#web/components/Field.tsx'
import { FormDialog } from '#web/components/FormDialog.tsx'
import { Notice } from '#web/components/Notice.tsx'
import { ApiError } from '#web/lib/apiError.ts'
import { failureOf, failures } from '#web/lib/failures.ts'
import { plural } from '#web/lib/format.ts'
import { formResolver } from '#web/lib/formResolver.ts'
import { useSession } from '#web/lib/session.ts'
import { type Contact, contactsQuery, createContact, refreshContacts, updateContact } from '#web/queries/contacts.ts'
import { useGroupsWith } from './useGroupsWith.ts'

/** A missing contact method is a problem only on saving: users who skip the address may be about to enter an email. */
const resolver: Resolver<ContactValues> = (values, context, options) =>
  formResolver<ContactValues>((current) => {
    const problems = contactProblems(current)
    const saving = (options.names?.length ?? 0) > 2
    return problems.address === noMethodText && !saving ? { ...problems, address: null } : problems
  })(values, context, options)

/** Adds a contact, or edits `contact`. */
export default function ContactDialog(props: { contact?: Contact; onClose: () => void }) {
  const { contact, onClose } = props
  const { user } = useSession()
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
  const { errors } = form.formState

  async function send(values: ContactValues) {
    if (!user) throw new ApiError(401, 'unauthenticated', 'Please log in to add contacts')
    const filled = Object.entries(values).flatMap(([key, value]) => (value.trim() ? [[key, value.trim()]] : []))
    const input = { name: values.name.trim(), ...Object.fromEntries(filled) }
    const saved = await (contact ? updateContact(contact.id, input) : createContact(input))
    await refreshContacts()
    toast.success(contact ? `${saved.name} is saved.` : `${saved.name} was added to your contacts.`)
    onClose()
  }

  const text = (name: keyof ContactValues, options?: Parameters<typeof form.register>[1]) => ({
    ...form.register(name, options),
    autoComplete: 'off',
  })
  return (
    <FormDialog
      title={contact ? 'Edit Contact' : 'Add Contact'}
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
      <Field label="Name" error={errors.name?.message}>
        {(control) => <Input {...control} {...text('name')} />}
      </Field>
      <Field label="Wallet address" error={errors.address?.message}>
        {(control) => (
          <Input
            {...control}
            {...text('address', { deps: ['email', 'phone'] })}
            placeholder="0x…"
            autoCapitalize="none"
            spellCheck={false}
            className="font-mono text-small"
          />
        )}
      </Field>
      <Field label="Email" error={errors.email?.message} hint="A wallet address, an email, or both.">
        {(control) => (
          <Input
            {...control}
            {...text('email', { deps: 'address' })}
            type="email"
            placeholder="name@example.com"
            autoCapitalize="none"
          />
        )}
      </Field>
      <Field label="Phone" aside="Optional" error={errors.phone?.message}>
        {(control) => (
          <Input {...control} {...text('phone', { deps: 'address' })} type="tel" placeholder="+1 415 555 0123" />
        )}
      </Field>
      <Field label="Description" aside="Optional" error={errors.description?.message}>
        {(control) => <Input {...control} {...text('description')} />}
      </Field>
      <Duplicates values={form.watch()} contactId={contact?.id ?? null} />
      {contact && <StaleGroups contact={contact} values={form.watch()} />}
    </FormDialog>
  )
}

const shownAtMost = 3

/** Warns about duplicates. They are allowed: two people may share a name, and a family an address. */
function Duplicates(props: { values: ContactValues; contactId: string | null }) {
  const contacts = useQuery(contactsQuery).data ?? []
  const found = duplicatesOf(props.values, contacts, props.contactId)
  if (found.length === 0) return null
  return (
    <Notice tone="warning">
      {found.slice(0, shownAtMost).map(({ contact, shares }) => (
        <p key={contact.id}>
          {contact.name} has the same {shares}.
        </p>
      ))}
      {found.length > shownAtMost && <p>And {plural(found.length - shownAtMost, 'more contact')}.</p>}
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
