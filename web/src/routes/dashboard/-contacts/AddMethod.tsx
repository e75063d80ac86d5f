import { type ReactNode, useState } from 'react'
import { useForm } from 'react-hook-form'
import { toast } from 'react-hot-toast/headless'
import { contactDescription, contactName } from '#domain/contactRules.ts'
import { problemIn } from '#domain/readers/read.ts'
import { readText } from '#domain/readers/text.ts'
import { FullAddress } from '#web/components/Address.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { FormDialog, formResolver, TextField } from '#web/components/forms.tsx'
import { May } from '#web/components/May.tsx'
import { Loaded, Skeleton } from '#web/components/states.tsx'
import { ApiError } from '#web/lib/apiError.ts'
import { failureOf, failures } from '#web/lib/failures.ts'
import { useSession } from '#web/lib/session.ts'
import { categories } from '#web/queries/categories.ts'
import { createContact } from '#web/queries/contacts.ts'
import type { Transaction } from '#web/queries/transactions.ts'

/** The method by which a new contact can be paid. */
export type NewMethod = { address: string } | { email: string } | { phone: string }
type Values = { name: string; description: string }
const resolver = formResolver<Values>(({ name, description }) => ({
  name: problemIn(readText(contactName, name)),
  description: problemIn(readText(contactDescription, description)),
}))

/** Adds the recipient of a payment to the contacts. */
function AddMethod(props: { method: NewMethod; onClose: () => void }) {
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
    toast.success(`${saved.name} was added to your contacts.`)
    props.onClose()
  }

  return (
    <FormDialog
      title="Add as Contact"
      subject={Object.values(method).join()}
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
      <TextField form={form} name="name" label="Name" autoComplete="off" />
      <TextField form={form} name="description" label="Description (optional)" autoComplete="off" />
    </FormDialog>
  )
}

/** The method by which a transaction's recipient can be paid again; null if the transaction does not show it. */
export function contactMethodOf(transaction: Transaction): NewMethod | null {
  const { category, toAddress, recipientEmail, recipientPhone } = transaction
  if (category === 'address') return toAddress === null ? null : { address: toAddress }
  if (!categories[category].isPayout) return null
  return recipientEmail !== null
    ? { email: recipientEmail }
    : recipientPhone !== null
      ? { phone: recipientPhone }
      : null
}

/**
 * All details of a payment or payout, once they are loaded. `stranger`: its recipient, if it can be added as a contact; `details`
 * gets the button for that, which belongs beside the recipient.
 */
export function DetailsDialog(props: {
  title: string
  details: ((addContact: ReactNode) => ReactNode) | undefined
  query: { error: unknown; refetch: () => unknown }
  stranger: NewMethod | null
  actions: ReactNode
  onClose: () => void
}) {
  const { details, query, stranger } = props
  const [adding, setAdding] = useState<NewMethod | null>(null)
  if (adding) return <AddMethod method={adding} onClose={() => setAdding(null)} />
  return (
    <Dialog isViewOnly title={props.title} onClose={props.onClose} footer={props.actions}>
      <Loaded
        query={{ data: details, error: query.error, refetch: query.refetch }}
        loading={<Skeleton className="h-80" />}
      >
        {(show) =>
          show(
            stranger && (
              <May call="contacts.change">
                <button
                  type="button"
                  onClick={() => setAdding(stranger)}
                  className="ml-auto block min-h-6 rounded-sm text-green text-small underline underline-offset-3 pointer-coarse:min-h-11"
                >
                  Add as Contact
                </button>
              </May>
            ),
          )
        }
      </Loaded>
    </Dialog>
  )
}
