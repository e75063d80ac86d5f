import { Link, useRouterState } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { buttonClass } from '../../components/Button.tsx'
import { CodeInput } from '../../components/CodeInput.tsx'
import { Field } from '../../components/Field.tsx'
import { TextLink } from '../../components/Links.tsx'
import { PasswordInput } from '../../components/PasswordInput.tsx'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** What the screen before had in its email field: in the URL it would be kept and passed on. */
    email?: string | undefined
    /** A code has just been sent there. */
    codeSent?: boolean
  }
}

/** The email address that the screen before handed on, or ''. */
export const useHandedEmail = () => useRouterState({ select: (state) => state.location.state.email ?? '' })
export const useCodeSent = () => useRouterState({ select: (state) => state.location.state.codeSent === true })

export function Heading(props: { title: string; children: ReactNode }) {
  return (
    <>
      <h1 className="font-semibold text-title">{props.title}</h1>
      <p className="text-muted">{props.children}</p>
    </>
  )
}

type InputProps = ComponentProps<'input'> & { error: string | undefined }

export const CodeField = ({ error, ...input }: InputProps) => (
  <Field label="6-digit code" error={error}>
    {(control) => <CodeInput {...control} required {...input} />}
  </Field>
)

export const NewPasswordField = ({ error, label, ...input }: InputProps & { label: string }) => (
  <Field label={label} error={error} hint="At least 8 characters">
    {(control) => <PasswordInput {...control} autoComplete="new-password" minLength={8} required {...input} />}
  </Field>
)

/** The end of a way: what was done, and on to sign-in. */
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

export const BackToSignIn = () => (
  <p className="mt-5 text-center text-muted text-small">
    <TextLink to="/login">Back to sign in</TextLink>
  </p>
)

export const codeProblem = (code: string) =>
  /^\d{6}$/.test(code) ? null : { field: 'code' as const, message: 'Code must be 6 digits' }
