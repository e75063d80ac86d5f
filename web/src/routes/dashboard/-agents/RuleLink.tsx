import { Link } from '@tanstack/react-router'
import { linkClass } from '#web/components/Links.tsx'
import { placeId, ruleOf } from './ruleNames.ts'

/** The name of a rule, as a link to where it is set. */
export function RuleLink(props: { rule: string; agentId: string }) {
  const { name, place } = ruleOf(props.rule)
  if (place === 'wallets')
    return (
      <Link to="/dashboard/wallets" className={linkClass}>
        {name}
      </Link>
    )
  // A plain anchor, so that the browser scrolls there and :target highlights it.
  return (
    <a href={`#${placeId(place, props.agentId)}`} className={linkClass}>
      {name}
    </a>
  )
}
