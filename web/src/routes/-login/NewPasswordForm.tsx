import { Check } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '../../components/Button.tsx'
import { ErrorBox, Field } from '../../components/Field.tsx'
import { PasswordInput } from '../../components/PasswordInput.tsx'
import { messageOf } from '../../lib/api.ts'
import { dropChallenge, setNewPassword } from '../../lib/session.ts'

/** Asked for when the sign-in answers a password challenge. A mismatch is dropped silently: the hint is always there. */
export default function NewPasswordForm(props: { onSignedIn: () => void }) {
  const [password, setPassword] = useState('')
  const [again, setAgain] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const equal = password !== '' && password === again

  async function submit(event: FormEvent) {
    event.preventDefault()
    setError(null)
    if (password.length < 8 || !equal) return
    setBusy(true)
    try {
      await setNewPassword(password)
      props.onSignedIn()
    } catch (problem) {
      setError(messageOf(problem, 'Password change failed.'))
    } finally {
      setBusy(false)
    }
  }

  return (
    <>
      <h1 className="font-semibold text-title">Set New Password</h1>
      <p className="text-muted">Your temporary password has expired. Please set a new one.</p>
      <form noValidate onSubmit={submit} className="mt-5 space-y-4">
        {error && <ErrorBox>{error}</ErrorBox>}
        <Field label="New Password">
          {(control) => (
            <PasswordInput
              {...control}
              autoComplete="new-password"
              placeholder="Enter new password (8+ characters)"
              minLength={8}
              required
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          )}
        </Field>
        <Field
          label="Confirm Password"
          hint={
            <span className="flex items-center gap-1">
              {equal && <Check aria-label="The passwords are the same." className="size-4 text-green" />}
              Use the same password twice
            </span>
          }
        >
          {(control) => (
            <PasswordInput
              {...control}
              autoComplete="new-password"
              minLength={8}
              required
              value={again}
              onChange={(event) => setAgain(event.target.value)}
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
