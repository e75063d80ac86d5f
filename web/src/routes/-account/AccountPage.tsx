import { Link, useNavigate, useRouterState } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import { type ComponentProps, type ReactNode, useEffect, useState } from 'react'
import { emailProblem } from '#domain/email.ts'
import { passwordMin, tooShort } from '#domain/passwordLength.ts'
import { AccountFrame } from '#web/components/AccountFrame.tsx'
import { Button, buttonClass } from '#web/components/Button.tsx'
import { CodeInput } from '#web/components/Code.tsx'
import { ErrorBox, Field } from '#web/components/Field.tsx'
import { TextLink } from '#web/components/Links.tsx'
import { PasswordInput } from '#web/components/PasswordInput.tsx'
import type { useAccountForm } from '#web/lib/useAccountForm.ts'

export function Heading(props: { title: string; children: ReactNode }) {
  return (
    <>
      <h1 className="font-semibold text-title">{props.title}</h1>
      <p className="text-muted">{props.children}</p>
    </>
  )
}

/** A screen with one form: why it is filled in, its fields, its button, what is below it, and a way back to sign-in. */
export function FormScreen(props: {
  title: string
  why: ReactNode
  form: Pick<ReturnType<typeof useAccountForm>, 'form' | 'busy' | 'general'> & { values: Record<string, string> }
  /** Shows a problem that is not about a single field. Defaults to an error box. */
  problem?: ReactNode
  /** Label of the button, at rest and while the call runs. */
  submit: [label: string, busy: string]
  children?: ReactNode
  below?: ReactNode
}) {
  const { form, busy, general } = props.form
  return (
    <AccountFrame>
      <Heading title={props.title}>{props.why}</Heading>
      <form {...form} className="mt-5 space-y-4">
        {props.problem ?? (general && <ErrorBox>{general}</ErrorBox>)}
        {props.children && <div className="space-y-4">{props.children}</div>}
        <Button type="submit" busy={busy} className="w-full">
          {props.submit[busy ? 1 : 0]}
        </Button>
      </form>
      {props.below && <div className="mt-3">{props.below}</div>}
      <BackToSignIn email={props.form.values.email} />
    </AccountFrame>
  )
}

/**
 * The last screen: what was done, and a link to sign-in, which gets the email. `next`: where the sign-in leads, unless the URL
 * already says where.
 */
export function Done(props: { title: string; next?: string; email: string | undefined; children: ReactNode }) {
  return (
    <AccountFrame>
      <div role="status" className="flex flex-col items-center text-center">
        <span className="mb-4 inline-flex size-12 items-center justify-center rounded-full bg-green-tint text-green">
          <CircleCheck aria-hidden="true" className="size-6" />
        </span>
        <h1 ref={focus} tabIndex={-1} className="font-semibold text-title outline-none">
          {props.title}
        </h1>
        <p className="mt-1 text-balance text-muted">{props.children}</p>
        <Link
          to="/login"
          search={(now: { redirect?: string | undefined }) => ({ redirect: now.redirect ?? props.next })}
          state={{ email: props.email }}
          className={buttonClass('primary', 'mt-6 w-full')}
        >
          Go to sign in
        </Link>
      </div>
    </AccountFrame>
  )
}
const focus = (element: HTMLElement | null) => element?.focus()

/** Why a link did not work. If it is no longer valid, offers a new one from the page `newFrom`. */
export function LinkProblem(props: {
  form: { general: string | undefined; code: string | undefined }
  newFrom: ComponentProps<typeof TextLink>['to']
}) {
  const { general, code } = props.form
  if (!general) return null
  return (
    <>
      <ErrorBox>{general}</ErrorBox>
      {code === 'gone' && (
        <p className="text-center text-small">
          <TextLink to={props.newFrom}>Ask for a new link</TextLink>
        </p>
      )}
    </>
  )
}

export const BackToSignIn = (props: { email?: string | undefined }) => (
  <p className="mt-5 text-center text-muted text-small">
    <TextLink to="/login" email={props.email}>
      Back to sign in
    </TextLink>
  </p>
)

type InputProps = ComponentProps<'input'> & { error: string | undefined }

export const CodeField = ({ error, ...input }: ComponentProps<typeof CodeInput> & { error: string | undefined }) => (
  <Field label="6-digit code" error={error}>
    {(control) => <CodeInput {...control} required {...input} />}
  </Field>
)

/** For a form with the fields `email` and `code`. */
export function codeProblem({ email, code }: { email: string; code: string }) {
  const invalid = emailProblem(email)
  if (invalid) return { field: 'email' as const, message: invalid }
  return /^\d{6}$/.test(code) ? null : { field: 'code' as const, message: 'Code must be 6 digits' }
}

/** For a form with a field `newPassword`. */
export const newPasswordProblem = (password: string) =>
  password.length < passwordMin.chosen ? { field: 'newPassword' as const, message: tooShort(passwordMin.chosen) } : null

export const NewPasswordField = ({ error, label, ...input }: InputProps & { label: string }) => (
  <Field label={label} error={error} hint={`At least ${passwordMin.chosen} characters`}>
    {(control) => (
      <PasswordInput {...control} autoComplete="new-password" minLength={passwordMin.chosen} required {...input} />
    )}
  </Field>
)

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The email typed on the previous screen. Kept out of the URL, which browsers store. */
    email?: string | undefined
    /** True if a code has just been sent to it. */
    codeSent?: boolean
  }
}

/** The email passed on by the previous screen, or ''. */
export const useHandedEmail = () => useRouterState({ select: (state) => state.location.state.email ?? '' })
export const useCodeSent = () => useRouterState({ select: (state) => state.location.state.codeSent === true })

/**
 * The token of the emailed link that opened this page, from the fragment `#token=…`; null if there is none. Removes it
 * immediately from the address bar and the history, where others could read it.
 */
export function useLinkToken(): string | null {
  const hash = useRouterState({ select: ({ location }) => location.hash })
  const navigate = useNavigate()
  const [token, setToken] = useState(() => tokenIn(hash))
  useEffect(() => {
    const found = tokenIn(hash)
    if (found === null) return
    setToken(found) // also when a link is opened in a tab that already shows this page
    navigate({ to: '.', hash: '', replace: true })
  }, [hash, navigate])
  return token
}

const tokenIn = (hash: string) => new URLSearchParams(hash).get('token') || null
