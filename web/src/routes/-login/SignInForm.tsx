import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { emailProblem } from '../../../../worker/domain/email.ts'
import { Button } from '../../components/Button.tsx'
import { ErrorBox, Field, Input } from '../../components/Field.tsx'
import { PasswordInput } from '../../components/PasswordInput.tsx'
import { ApiError, messageOf } from '../../lib/api.ts'
import { getSession, signIn } from '../../lib/session.ts'
import { configQuery } from '../../queries/config.ts'

type Problem = { field?: 'email' | 'password'; message: string }

/** E-mail and password. A refusal lands under the field it names, else in a box above. */
export function SignInForm(props: { onSignedIn: () => void }) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const form = useRef<HTMLFormElement>(null)

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (!email.trim()) return focus('email')
    if (!password) return focus('password')
    const invalid = emailProblem(email)
    if (invalid) return fail({ field: 'email', message: invalid })
    if (password.length < 6) return fail({ field: 'password', message: 'Password must be at least 6 characters' })
    setBusy(true)
    setProblem(null)
    try {
      await signIn(email.trim(), password)
      if (getSession().user) props.onSignedIn()
    } catch (error) {
      const field = error instanceof ApiError ? error.field : undefined
      const message = messageOf(error, 'Login failed. Please check your credentials.')
      fail(field === 'email' || field === 'password' ? { field, message } : { message })
    } finally {
      setBusy(false)
    }
  }

  function fail(next: Problem) {
    setProblem(next)
    if (next.field) focus(next.field)
  }

  function focus(name: string) {
    form.current?.querySelector<HTMLInputElement>(`[name=${name}]`)?.focus()
  }

  const errorOf = (field: Problem['field']) => (problem?.field === field ? problem?.message : undefined)

  return (
    <>
      <h1 className="font-semibold text-title">Welcome Back</h1>
      <p className="text-muted">Sign in to your account</p>
      <form ref={form} noValidate onSubmit={submit} className="mt-5 space-y-4">
        {problem && !problem.field && <ErrorBox>{problem.message}</ErrorBox>}
        <Field label="Email" error={errorOf('email')}>
          {(control) => (
            <Input
              {...control}
              type="email"
              name="email"
              placeholder="you@example.com"
              autoComplete="username"
              autoCapitalize="none"
              spellCheck={false}
              required
              value={email}
              onChange={(event) => {
                setEmail(event.target.value)
                setProblem(null)
              }}
            />
          )}
        </Field>
        <Field label="Password" error={errorOf('password')}>
          {(control) => (
            <PasswordInput
              {...control}
              name="password"
              autoComplete="current-password"
              minLength={6}
              required
              value={password}
              onChange={(event) => {
                setPassword(event.target.value)
                setProblem(null)
              }}
            />
          )}
        </Field>
        <Button type="submit" busy={busy} className="w-full">
          {busy ? 'Signing In...' : 'Sign In'}
        </Button>
      </form>
      <BetaAccess />
    </>
  )
}

function BetaAccess() {
  const url = useQuery(configQuery).data?.betaAccessUrl
  return (
    <p className="mt-6 text-center text-muted text-small">
      Don't have an account?{' '}
      <a
        href={url}
        target="_blank"
        rel="noopener noreferrer"
        className="rounded-sm font-medium text-green underline underline-offset-3"
      >
        Request beta access
      </a>
    </p>
  )
}
