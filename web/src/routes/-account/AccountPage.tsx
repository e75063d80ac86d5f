import { Link, useNavigate, useRouterState } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import { type ComponentProps, type ReactNode, useEffect, useState } from 'react'
import { buttonClass } from '#web/components/Button.tsx'
import { CodeInput } from '#web/components/Code.tsx'
import { ErrorBox, Field } from '#web/components/Field.tsx'
import { TextLink } from '#web/components/Links.tsx'
import { PasswordInput } from '#web/components/PasswordInput.tsx'

export function Heading(props: { title: string; children: ReactNode }) {
  return (
    <>
      <h1 className="font-semibold text-title">{props.title}</h1>
      <p className="text-muted">{props.children}</p>
    </>
  )
}

/** The last screen: what was done, and a link to sign-in. */
export function Done(props: { title: string; children: ReactNode }) {
  return (
    <div role="status" className="flex flex-col items-center text-center">
      <span className="mb-4 inline-flex size-12 items-center justify-center rounded-full bg-green-tint text-green">
        <CircleCheck aria-hidden="true" className="size-6" />
      </span>
      <h1 ref={focus} tabIndex={-1} className="font-semibold text-title outline-none">
        {props.title}
      </h1>
      <p className="mt-1 text-balance text-muted">{props.children}</p>
      <Link to="/login" className={buttonClass('primary', 'mt-6 w-full')}>
        Go to sign in
      </Link>
    </div>
  )
}
const focus = (element: HTMLElement | null) => element?.focus()

/** Why a link did not work; `children` offers a new link if this one is no longer valid. */
export function LinkProblem(props: { message: string | undefined; code: string | undefined; children: ReactNode }) {
  if (!props.message) return null
  return (
    <>
      <ErrorBox>{props.message}</ErrorBox>
      {props.code === 'gone' && <p className="text-center text-small">{props.children}</p>}
    </>
  )
}

export const BackToSignIn = () => (
  <p className="mt-5 text-center text-muted text-small">
    <TextLink to="/login">Back to sign in</TextLink>
  </p>
)

type InputProps = ComponentProps<'input'> & { error: string | undefined }

export const CodeField = ({ error, ...input }: InputProps) => (
  <Field label="6-digit code" error={error}>
    {(control) => <CodeInput {...control} required {...input} />}
  </Field>
)

/** For a form with a field `code`. */
export const codeProblem = (code: string) =>
  /^\d{6}$/.test(code) ? null : { field: 'code' as const, message: 'Code must be 6 digits' }

/** For a form with a field `newPassword`. */
export const newPasswordProblem = (password: string) =>
  password.length < 8 ? { field: 'newPassword' as const, message: 'Password must be at least 8 characters' } : null

export const NewPasswordField = ({ error, label, ...input }: InputProps & { label: string }) => (
  <Field label={label} error={error} hint="At least 8 characters">
    {(control) => <PasswordInput {...control} autoComplete="new-password" minLength={8} required {...input} />}
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
