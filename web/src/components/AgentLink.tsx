import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

/** An agent's name, which leads to what it asked for this week and what it got. */
export const AgentLink = (props: { id: string; className: string; children: ReactNode }) => (
  // The router's types do not include the pages of OtherPage.tsx.
  <Link to={`/dashboard/agents/${props.id}` as '/dashboard/settings'} className={props.className}>
    {props.children}
  </Link>
)
