import { useForm } from 'react-hook-form'
import type { User } from '../../../../worker/schemas/account.ts'
import { Button } from '../../components/Button.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { ErrorBox, Field, Input } from '../../components/Field.tsx'
import { PasswordInput } from '../../components/PasswordInput.tsx'
import { messageOf } from '../../lib/api.ts'
import { appName } from '../../lib/app.ts'
import { resolve } from '../../lib/resolver.ts'
import { completeOnboarding } from '../../queries/account.ts'

type Values = { name: string; password: string; again: string }

const resolver = resolve<Values>((values) => ({
  name: values.name.trim() ? null : 'Please enter your name',
  password: values.password.length >= 6 ? null : 'Password must be at least 6 characters',
  again: values.again === values.password ? null : 'Passwords do not match',
}))

/** First sign-in: a name and a password of one's own. It closes only by success. */
export default function Onboarding(props: { user: User }) {
  const form = useForm<Values>({ resolver, defaultValues: { name: props.user.name ?? '', password: '', again: '' } })
  const { errors, isSubmitting: busy } = form.formState

  const submit = form.handleSubmit(async ({ name, password }) => {
    try {
      await completeOnboarding(name.trim(), password)
    } catch (error) {
      form.setError('root', { message: messageOf(error, 'Failed to complete setup', 'Failed to complete onboarding') })
    }
  })

  return (
    <Dialog
      title={`Welcome to ${appName}! Let's set up your account`}
      description="For security, you're required to change your temporary password and set your display name."
      onClose={() => undefined}
      closable={false}
      onSubmit={submit}
      footer={
        <Button type="submit" busy={busy}>
          Complete Setup
        </Button>
      }
    >
      <div className="space-y-4">
        {errors.root?.message && <ErrorBox>{errors.root.message}</ErrorBox>}
        {/* Lets password managers know whose password this is. */}
        <input type="text" hidden name="username" autoComplete="username" value={props.user.email} readOnly />
        <Field label="Your Name" error={errors.name?.message}>
          {(control) => <Input {...control} {...form.register('name')} autoComplete="name" disabled={busy} />}
        </Field>
        <Field label="New Password" error={errors.password?.message}>
          {(control) => (
            <PasswordInput {...control} {...form.register('password')} autoComplete="new-password" disabled={busy} />
          )}
        </Field>
        <Field label="Confirm Password" error={errors.again?.message}>
          {(control) => (
            <PasswordInput {...control} {...form.register('again')} autoComplete="new-password" disabled={busy} />
          )}
        </Field>
      </div>
    </Dialog>
  )
}
