import { useEffect } from 'react'
import { useForm } from 'react-hook-form'
import { toast } from 'react-hot-toast/headless'
import { personName } from '#domain/nameRules.ts'
import { passwordMin, tooShort } from '#domain/passwordLength.ts'
import { problemIn } from '#domain/readers/read.ts'
import { readText } from '#domain/readers/text.ts'
import type { User } from '#schemas/account.ts'
import { Button } from '#web/components/Button.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { formResolver, PasswordField, TextField } from '#web/components/forms.tsx'
import { ApiError, messageOf } from '#web/lib/apiError.ts'
import { appName } from '#web/lib/app.ts'
import { completeOnboarding, rename } from '#web/queries/account.ts'
import { leave } from './leave.ts'

/** The type of an error that the server found. */
const refused = 'refused'

type Values = { name: string; password: string; again: string }

const resolver = formResolver<Values>((values) => ({
  name: problemIn(readText(personName, values.name)),
  password: values.password.length >= passwordMin.onboarding ? null : tooShort(passwordMin.onboarding),
  again: values.again === values.password ? null : 'Passwords do not match',
}))

const nameResolver = formResolver<Values>((values) => ({
  name: problemIn(readText(personName, values.name)),
}))

/** Shown at first sign-in. The user sets a name, and replaces a temporary password. Only success closes it. */
export default function Onboarding(props: { user: User }) {
  // A user record stored by an earlier version lacks this field.
  const choosesPassword = props.user.passwordIsTemporary !== false
  const form = useForm<Values>({
    resolver: choosesPassword ? resolver : nameResolver,
    defaultValues: { name: props.user.name ?? '', password: '', again: '' },
  })
  const { errors, isSubmitting: busy } = form.formState
  const refusedField = (['name', 'password'] as const).find((field) => errors[field]?.type === refused)
  // A field can't take the focus while it is disabled.
  useEffect(() => {
    if (refusedField && !busy) form.setFocus(refusedField)
  }, [refusedField, busy, form])

  const submit = form.handleSubmit(async ({ name, password }) => {
    try {
      await (choosesPassword ? completeOnboarding(name.trim(), password) : rename(name.trim()))
      toast.success(choosesPassword ? 'Your name and password are saved.' : 'Your name is saved.')
    } catch (error) {
      const message = messageOf(error, 'Failed to complete setup', 'Failed to complete onboarding')
      const field = error instanceof ApiError ? error.field : undefined
      form.setError(field === 'name' || field === 'password' ? field : 'root', { type: refused, message })
    }
  })

  return (
    <Dialog
      title={`Welcome to ${appName}! Let's set up your account`}
      description={
        choosesPassword
          ? "For security, you're required to change your temporary password and set your display name."
          : 'Please set your display name.'
      }
      onClose={() => undefined}
      closable={false}
      onSubmit={submit}
      footer={
        <>
          <Button look="quiet" onClick={leave} disabled={busy}>
            Sign Out
          </Button>
          <Button type="submit" busy={busy}>
            Complete Setup
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        {errors.root?.message && <ErrorBox>{errors.root.message}</ErrorBox>}
        {/* For password managers. */}
        <input type="text" hidden name="username" autoComplete="username" value={props.user.email} readOnly />
        <TextField form={form} name="name" label="Your Name" autoComplete="name" disabled={busy} />
        {choosesPassword && (
          <>
            <PasswordField
              form={form}
              name="password"
              label="New Password"
              hint={`At least ${passwordMin.onboarding} characters`}
              autoComplete="new-password"
              disabled={busy}
            />
            <PasswordField
              form={form}
              name="again"
              label="Confirm Password"
              autoComplete="new-password"
              disabled={busy}
            />
          </>
        )}
      </div>
    </Dialog>
  )
}
