import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Amount } from '#web/components/Amount.tsx'
import { linkClass } from '#web/components/Links.tsx'
import { ErrorState, SkeletonRows } from '#web/components/states.tsx'
import { Time } from '#web/components/Time.tsx'
import { shortAddress } from '#web/lib/format.ts'
import { type AgentRefusal, refusalsQuery } from '#web/queries/agents.ts'
import { contactsQuery } from '#web/queries/contacts.ts'
import { RuleLink } from './RuleLink.tsx'

/** The agent's recent refusals, each with the rule that refused. */
export function Refusals(props: { agentId: string }) {
  const { data, error, refetch } = useQuery(refusalsQuery(props.agentId))
  if (!data)
    return error ? (
      <ErrorState error={error} fallback="Failed to load refusals" onRetry={() => refetch()} />
    ) : (
      <SkeletonRows rows={2} />
    )
  if (data.length === 0) return <p className="text-muted text-small">None in the last 30 days.</p>
  return (
    <ul className="divide-y divide-hairline text-small" data-testid="refusals">
      {data.map(({ id, at, amount, to, rule, message, next }) => (
        <li key={id} className="py-2 first:pt-0">
          <div className="flex flex-wrap items-baseline justify-between gap-x-4">
            <span className="wrap-anywhere min-w-0">
              <Amount value={amount} className="font-medium" /> to <Recipient to={to} />
            </span>
            <span className="text-muted">
              <Time iso={at} />
            </span>
          </div>
          <p>{message}</p>
          {next && <p className="text-muted">{next}</p>}
          <p className="flex flex-wrap gap-x-4">
            {rule && (
              <span>
                Rule: <RuleLink rule={rule} agentId={props.agentId} />
              </span>
            )}
            <Link to="/dashboard/transactions" search={{ detail: id }} className={linkClass}>
              Transaction
            </Link>
          </p>
        </li>
      ))}
    </ul>
  )
}

function Recipient(props: { to: AgentRefusal['to'] }) {
  const { contactId, email, phone, address } = props.to
  const contacts = useQuery({ ...contactsQuery, enabled: contactId !== undefined })
  if (contactId) return contacts.data?.find(({ id }) => id === contactId)?.name ?? 'a contact'
  if (address)
    return (
      <span className="font-mono" title={address}>
        {shortAddress(address)}
      </span>
    )
  return email ?? phone ?? 'an unknown recipient'
}
