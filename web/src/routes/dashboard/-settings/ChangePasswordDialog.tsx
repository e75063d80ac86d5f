import { CircleCheck } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { useForm } from 'react-hook-form'
import { passwordMin, tooShort } from '#domain/passwordLength.ts'
import { Button } from '#web/components/Button.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { formResolver, PasswordField } from '#web/components/forms.tsx'
import { ApiError } from '#web/lib/apiError.ts'
import { messageOrThrown } from '#web/lib/messageOrThrown.ts'
import { useDialogAction } from '#web/lib/useDialogAction.ts'
import { changePassword } from '#web/queries/account.ts'

type PasswordChange = { current: string; next: string; again: string }

/** All three fields are required; the match is checked before the length. Null if the change may be sent. */
export function passwordChangeProblem(values: PasswordChange): { field: keyof PasswordChange; message: string } | null {
  const { current, next, again } = values
  if (!current) return { field: 'current', message: 'Please enter your current password' }
  if (!next) return { field: 'next', message: 'Please enter a new password' }
  if (!again) return { field: 'again', message: 'Please enter the new password again' }
  if (next !== again) return { field: 'again', message: 'New passwords do not match' }
  return next.length < passwordMin.settings
    ? { field: 'next', message: `${tooShort(passwordMin.settings)} long` }
    : null
}

const closeAfterMs = 1_500 // 1.5 seconds

const resolver = formResolver<PasswordChange>((values) => {
  const problem = passwordChangeProblem(values)
  return problem ? { [problem.field]: problem.message } : {}
})

/** Closing it discards the input. It can't be closed while the change is in progress. */
export function ChangePasswordDialog(props: { email: string; onClose: () => void }) {
  const form = useForm<PasswordChange>({
    resolver,
    reValidateMode: 'onSubmit',
    defaultValues: { current: '', next: '', again: '' },
  })
  const { errors } = form.formState
  const [done, setDone] = useState(false)
  const { start, busy, onStopWaiting } = useDialogAction(
    ({ current, next }: PasswordChange) => changePassword(current, next),
    {
      fallback: (error) => messageOrThrown(error, 'Failed to change password'),
      onDone: () => setDone(true),
      onFailed(error, message) {
        const field = error instanceof ApiError ? fields[error.field ?? ''] : undefined
        form.setError(field ?? 'root', { message }, { shouldFocus: true })
        return true
      },
    },
  )
  const onClose = useEffectEvent(props.onClose)

  useEffect(() => {
    if (!done) return
    const timer = setTimeout(() => onClose(), closeAfterMs)
    return () => clearTimeout(timer)
  }, [done])

  const input = (field: keyof PasswordChange, label: string, hint?: string) => (
    <PasswordField
      form={form}
      name={field}
      label={label}
      hint={hint}
      options={{ onChange: () => form.clearErrors() }}
      autoComplete={field === 'current' ? 'current-password' : 'new-password'}
      required
      readOnly={busy}
    />
  )

  return (
    <Dialog
      title="Change Password"
      onClose={props.onClose}
      locked={busy}
      onStopWaiting={onStopWaiting}
      onSubmit={form.handleSubmit(start)}
      footer={
        done ? (
          <Button look="secondary" onClick={props.onClose}>
            Close
          </Button>
        ) : (
          <>
            <Button look="secondary" disabled={busy} onClick={props.onClose}>
              Cancel
            </Button>
            <Button type="submit" busy={busy}>
              {busy ? 'Changing Password...' : 'Change Password'}
            </Button>
          </>
        )
      }
    >
      <div className="space-y-4">
        {errors.root?.message && <ErrorBox>{errors.root.message}</ErrorBox>}
        <p role="status" className={done ? 'flex items-center gap-3' : 'sr-only'}>
          {done && (
            <>
              <CircleCheck aria-hidden="true" className="size-6 shrink-0 text-green" />
              Password changed successfully!
            </>
          )}
        </p>
        {!done && (
          <>
            {/* For password managers. */}
            <input type="text" hidden name="username" autoComplete="username" value={props.email} readOnly />
            {input('current', 'Current Password')}
            {input('next', 'New Password', `Must be at least ${passwordMin.settings} characters`)}
            {input('again', 'Confirm New Password')}
          </>
        )}
      </div>
    </Dialog>
  )
}

/** Maps API fields to form fields. */
const fields: Record<string, keyof PasswordChange> = { currentPassword: 'current', newPassword: 'next' }
