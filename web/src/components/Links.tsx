import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'

export const linkClass = 'rounded-sm font-medium text-green underline underline-offset-3'

/**
 * A link within text. `email` is passed to the next screen in the history state, so the user need not retype it.
 * The URL's parameters are passed on too, such as the page to return to after sign-in.
 */
export function TextLink(props: { to: NonNullable<LinkProps['to']>; email?: string | undefined; children: ReactNode }) {
  return (
    <Link to={props.to} search={true as never} state={{ email: props.email }} className={linkClass}>
      {props.children}
    </Link>
  )
}
