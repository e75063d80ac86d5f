import { useForm } from 'react-hook-form'
import { toast } from 'react-hot-toast/headless'
import { emailProblem } from '../../../../../worker/domain/email.ts'
import { addressProblem } from '../../../../../worker/domain/validators.ts'
import { Button } from '../../../components/Button.tsx'
import { Dialog } from '../../../components/Dialog.tsx'
import { ErrorBox, Field, Input } from '../../../components/Field.tsx'
import { messageOf } from '../../../lib/api.ts'
import { resolve } from '../../../lib/resolver.ts'
import { useSession } from '../../../lib/session.ts'
import { createContact, refreshContacts } from '../../../queries/contacts.ts'

type Values = { name: string; address: string; email: string; description: string }

const resolver = resolve<Values>((values) => {
  const address = values.address.trim()
  const email = values.email.trim()
  return {
    name: values.name.trim() ? null : 'Name is required',
    address: address
      ? addressProblem(address)
      : email
        ? null
        : 'At least one contact method (wallet address or email) is required',
    email: email ? emailProblem(email) : null,
  }
})

export default function AddContactDialog(props: { onClose: () => void }) {
  const { user } = useSession()
  const form = useForm<Values>({
    resolver,
    mode: 'onTouched',
    defaultValues: { name: '', address: '', email: '', description: '' },
  })
  const { errors, isSubmitting: busy } = form.formState

  const submit = form.handleSubmit(async (values) => {
    if (!user) return form.setError('root', { message: 'Please log in to add contacts' })
    const filled = Object.entries(values).flatMap(([key, value]) => (value.trim() ? [[key, value.trim()]] : []))
    try {
      const contact = await createContact({ name: values.name.trim(), ...Object.fromEntries(filled) })
      await refreshContacts()
      toast.success(`${contact.name} is in your contacts.`)
      props.onClose()
    } catch (error) {
      form.setError('root', { message: messageOf(error, 'Failed to create contact') })
    }
  })

  return (
    <Dialog
      title="Add Contact"
      onClose={props.onClose}
      locked={busy}
      onSubmit={submit}
      footer={
        <>
          <Button look="secondary" onClick={props.onClose} disabled={busy}>
            Cancel
          </Button>
          <Button type="submit" busy={busy}>
            {busy ? 'Saving...' : 'Add Contact'}
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        {errors.root?.message && <ErrorBox>{errors.root.message}</ErrorBox>}
        <Field label="Name" error={errors.name?.message}>
          {(control) => <Input {...control} {...form.register('name')} maxLength={100} autoComplete="off" />}
        </Field>
        <Field label="Wallet address" error={errors.address?.message}>
          {(control) => (
            <Input
              {...control}
              {...form.register('address', { deps: 'email' })}
              placeholder="0x…"
              autoComplete="off"
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
              {...form.register('email', { deps: 'address' })}
              type="email"
              placeholder="name@example.com"
              autoComplete="off"
              autoCapitalize="none"
            />
          )}
        </Field>
        <Field label="Description" aside="Optional">
          {(control) => <Input {...control} {...form.register('description')} maxLength={500} autoComplete="off" />}
        </Field>
      </div>
    </Dialog>
  )
}
