import { Link } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { buttonClass } from '#web/components/Button.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { TextLink } from '#web/components/Links.tsx'

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
