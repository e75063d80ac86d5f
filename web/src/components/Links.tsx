import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'

export const linkClass = 'rounded-sm font-medium text-green underline underline-offset-3'

/** A link within a line of text. `email` goes along, unseen, so that nobody types it twice. */
export function TextLink(props: { to: NonNullable<LinkProps['to']>; email?: string; children: ReactNode }) {
  return (
    <Link to={props.to} state={{ email: props.email }} className={linkClass}>
      {props.children}
    </Link>
  )
}
