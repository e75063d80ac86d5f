import { Check } from 'lucide-react'
import { passwordMin, tooShort } from '#domain/passwordLength.ts'
import { Button } from '#web/components/Button.tsx'
import { ErrorBox, Field } from '#web/components/Field.tsx'
import { PasswordInput } from '#web/components/PasswordInput.tsx'
import { dropChallenge, setNewPassword } from '#web/lib/newPassword.ts'
import { useAccountForm } from '#web/lib/useAccountForm.ts'
import { useTitle } from '#web/lib/useTitle.ts'

/** Shown after a password challenge. A mismatch shows no message, as specified; the hint is always visible. */
export default function NewPasswordForm(props: { onSignedIn: () => void; connectionRequest: string | undefined }) {
  useTitle('Set New Password')
  const { form, values, busy, general, errorOf, bind } = useAccountForm(
    { newPassword: '', again: '' },
    {
      check({ newPassword, again }) {
        if (newPassword.length < passwordMin.chosen)
          return { field: 'newPassword', message: tooShort(passwordMin.chosen) }
        return newPassword === again ? null : {}
      },
      async send({ newPassword }) {
        await setNewPassword(newPassword, props.connectionRequest)
        props.onSignedIn()
      },
      fallback: ['Password change failed.', 'Password change failed'],
    },
  )
  const equal = values.newPassword !== '' && values.newPassword === values.again

  return (
    <>
      <h1 className="font-semibold text-title">Set New Password</h1>
      <p className="text-muted">Your temporary password has expired. Please set a new one.</p>
      <form {...form} className="mt-5 space-y-4">
        {general && <ErrorBox>{general}</ErrorBox>}
        <Field label="New Password" error={errorOf('newPassword')}>
          {(control) => (
            <PasswordInput
              {...control}
              {...bind('newPassword')}
              autoComplete="new-password"
              placeholder="Enter new password (8+ characters)"
              minLength={passwordMin.chosen}
              required
            />
          )}
        </Field>
        <Field
          label="Confirm Password"
          hint={
            <span className="flex items-center gap-1">
              {equal && <Check aria-label="The passwords are the same." className="size-4 text-green" />}
              <span>Use the same password twice</span>
            </span>
          }
        >
          {(control) => (
            <PasswordInput
              {...control}
              {...bind('again')}
              autoComplete="new-password"
              minLength={passwordMin.chosen}
              required
            />
          )}
        </Field>
        <Button type="submit" busy={busy} className="w-full">
          {busy ? 'Setting Password...' : 'Set Password & Sign In'}
        </Button>
        <Button look="quiet" className="w-full" disabled={busy} onClick={dropChallenge}>
          Back to sign in
        </Button>
      </form>
    </>
  )
}
