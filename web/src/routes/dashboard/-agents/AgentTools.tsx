import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Amount } from '#web/components/Amount.tsx'
import { linkClass } from '#web/components/Links.tsx'
import { ErrorState, SkeletonRows } from '#web/components/states.tsx'
import { Time } from '#web/components/Time.tsx'
import { shortAddress } from '#web/lib/format.ts'
import { type Agent, type AgentRefusal, type PolicyGroup, refusalsQuery } from '#web/queries/agents.ts'
import { type Contact, contactsQuery } from '#web/queries/contacts.ts'
import { QuickStart } from './QuickStart.tsx'
import { RuleLink } from './RuleLink.tsx'
import { firstKind, TryPayment } from './TryPayment.tsx'

/** Tools for connecting an agent: example calls, a check of a payment, recent refusals. */
export default function AgentTools(props: { agent: Agent; group: PolicyGroup }) {
  const { agent, group } = props
  return (
    <div className="grid grid-cols-1 gap-x-8 gap-y-6 xl:grid-cols-2">
      <Part title="Quick start">
        <QuickStart clientId={agent.clientId} group={group} />
      </Part>
      <div className="min-w-0 space-y-6">
        <Part title="Try a payment" hint="Checks a payment against the current rules. Nothing is paid or held.">
          <TryPayment agent={agent} first={firstKind(group)} />
        </Part>
        <Part title="Recent refusals">
          <Refusals agentId={agent.id} />
        </Part>
      </div>
    </div>
  )
}

function Part(props: { title: string; hint?: string; children: ReactNode }) {
  return (
    <section className="min-w-0">
      <h4 className="font-medium text-small">{props.title}</h4>
      {props.hint && <p className="text-muted text-small">{props.hint}</p>}
      <div className="mt-2">{props.children}</div>
    </section>
  )
}

/** The agent's recent refusals, each with the rule that refused. */
function Refusals(props: { agentId: string }) {
  const { data, error, refetch } = useQuery(refusalsQuery(props.agentId))
  const ids = [...new Set(data?.flatMap(({ to }) => to.contactId ?? []))].slice(0, 100).sort().join(',')
  const { data: named } = useQuery({ ...contactsQuery({ ids }), enabled: ids !== '' })
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
              <Amount value={amount} className="font-medium" /> to <Recipient to={to} contacts={named?.contacts} />
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

function Recipient(props: { to: AgentRefusal['to']; contacts: Contact[] | undefined }) {
  const { contactId, email, phone, address } = props.to
  if (contactId) return props.contacts?.find(({ id }) => id === contactId)?.name ?? 'a contact'
  if (address)
    return (
      <span className="font-mono" title={address}>
        {shortAddress(address)}
      </span>
    )
  return email ?? phone ?? 'an unknown recipient'
}
