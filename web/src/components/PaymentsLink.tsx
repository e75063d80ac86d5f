import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { type ReactNode, useContext } from 'react'
import type { Answer } from '#domain/answers.ts'
import type { FigureName } from '#domain/figures.ts'
import type { Chain } from '../lib/networks.ts'
import { usePrimaryChain } from '../queries/config.ts'
import { MoneyChain } from './Amount.tsx'

/** Which payments a figure counts, as parameters of the list that shows exactly these. */
export type PaymentsSearch = {
  figure?: FigureName
  /** UTC days: formatUtcDays. */
  spent?: string
  wallet?: string
  group?: string
  sender?: string
  recipientOf?: string
  contact?: string
  /** A host. */
  seller?: string
  /** UTC days, what became of what was asked for then, and by which rules. */
  requested?: string
  answer?: Answer
  rules?: string
}

/**
 * A figure that links to the payments behind it. `chain` is their network; it defaults as that of an Amount. `className` replaces
 * the plain look.
 */
export function PaymentsLink(props: {
  search: PaymentsSearch
  chain?: Chain | undefined
  className?: string
  title?: string
  children: ReactNode
}) {
  const primary = usePrimaryChain()
  const enclosing = useContext(MoneyChain)
  const network = props.chain ?? enclosing ?? primary
  // The list shows the primary network unless it is told otherwise.
  const search = { ...props.search, ...(network !== primary && { network }) }
  return (
    <Link
      to="/dashboard/transactions"
      search={search}
      title={props.title}
      className={clsx(
        'rounded-sm',
        props.className ?? 'underline decoration-hairline underline-offset-3 hover:decoration-ink',
      )}
    >
      {props.children}
    </Link>
  )
}
