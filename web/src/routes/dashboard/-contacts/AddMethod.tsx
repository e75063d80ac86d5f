import { useForm } from 'react-hook-form'
import { toast } from 'react-hot-toast/headless'
import { FullAddress } from '#web/components/Address.tsx'
import { FormDialog } from '#web/components/FormDialog.tsx'
import { TextField } from '#web/components/FormFields.tsx'
import { ApiError } from '#web/lib/apiError.ts'
import { failureOf, failures } from '#web/lib/failures.ts'
import { formResolver } from '#web/lib/formResolver.ts'
import { useSession } from '#web/lib/session.ts'
import { createContact, refreshContacts } from '#web/queries/contacts.ts'
import type { Transaction } from '#web/queries/transactions.ts'

/** The method by which a new contact can be paid. */
export type NewMethod = { address: string } | { email: string } | { phone: string }
type Values = { name: string; description: string }
const resolver = formResolver<Values>(({ name }) => ({ name: name.trim() ? null : 'Name is required' }))

/** Adds the recipient of a payment to the contacts. */
export function AddMethod(props: { method: NewMethod; onClose: () => void }) {
  const { method } = props
  const { user } = useSession()
  const form = useForm<Values>({ resolver, defaultValues: { name: '', description: '' } })

  async function send({ name, description }: Values) {
    if (!user) throw new ApiError(401, 'unauthenticated', 'Please log in to add contacts')
    const about = description.trim()
    const saved = await createContact({
      userId: user.id,
      name: name.trim(),
      ...method,
      ...(about && { description: about }),
    })
    await refreshContacts()
    toast.success(`${saved.name} was added to your contacts.`)
    props.onClose()
  }

  return (
    <FormDialog
      title="Add as Contact"
      form={form}
      onClose={props.onClose}
      submit={['Add Contact', 'Saving...']}
      fallback={(error) => failureOf(error, 'Failed to add contact', failures.contact)}
      send={send}
    >
      <div className="rounded-control bg-sunken px-4 py-3">
        {'address' in method ? (
          <FullAddress address={method.address} />
        ) : (
          <p className="wrap-anywhere">{'email' in method ? method.email : method.phone}</p>
        )}
      </div>
      <TextField form={form} name="name" label="Name" autoComplete="off" maxLength={100} />
      <TextField form={form} name="description" label="Description (optional)" autoComplete="off" />
    </FormDialog>
  )
}

/** The method by which a transaction's recipient can be paid again; null if the transaction does not show it. */
export function contactMethodOf(transaction: Transaction): NewMethod | null {
  const { category, toAddress, recipientEmail, recipientPhone } = transaction
  if (category === 'address') return toAddress === null ? null : { address: toAddress }
  if (category !== 'payout') return null
  return recipientEmail !== null
    ? { email: recipientEmail }
    : recipientPhone !== null
      ? { phone: recipientPhone }
      : null
}
