import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { AgentLink } from '#web/components/AgentLink.tsx'
import { Amount } from '#web/components/Amount.tsx'
import { PercentRing } from '#web/components/BudgetRing.tsx'
import { ContactName } from '#web/components/ContactName.tsx'
import { PaymentsLink } from '#web/components/PaymentsLink.tsx'
import { RowTime, useNow } from '#web/components/Time.tsx'
import { lastActivityText, plural, shortAddress } from '#web/lib/format.ts'
import { walletName } from '#web/queries/wallets.ts'
import { WidgetLink, type WidgetProps } from './WidgetParts.tsx'

import { Row, Rows } from './WidgetRows.tsx'

const linkClass = 'wrap-anywhere rounded-sm font-medium hover:underline'

const Nothing = (props: { children: ReactNode }) => (
  <p className="m-auto max-w-sm py-4 text-balance text-center text-muted">{props.children}</p>
)

export function TopWallets({ overview }: WidgetProps) {
  if (overview.topWallets.length === 0) return <Nothing>No wallet has paid anything yet.</Nothing>
  return (
    <>
      <Rows>
        {overview.topWallets.map(({ id, name, address, count, spent }) => (
          <Row
            key={id}
            name={
              <PaymentsLink search={{ wallet: id, figure: 'accepted' }} className={linkClass}>
                {walletName({ name })}
              </PaymentsLink>
            }
            note={
              <span translate="no" className="font-mono">
                {shortAddress(address)}
              </span>
            }
          >
            <Amount value={spent} />
            <span className="block text-muted">{plural(count, 'payment')}</span>
          </Row>
        ))}
      </Rows>
      <WidgetLink to="/dashboard/wallets">View wallets</WidgetLink>
    </>
  )
}

export function AgentsList({ overview }: WidgetProps) {
  const now = useNow()
  if (overview.agentCount === 0) return <Nothing>No agents yet. Create one under Agents.</Nothing>
  return (
    <>
      {overview.activeAgents.length === 0 ? (
        <Nothing>No agent can pay now: all are paused.</Nothing>
      ) : (
        <Rows>
          {overview.activeAgents.map((agent) => (
            <Row
              key={agent.id}
              name={
                <AgentLink id={agent.id} className={linkClass}>
                  {agent.name}
                </AgentLink>
              }
              note={`${agent.policyGroup.name} · Last activity: ${lastActivityText(agent.lastActivity, now)}`}
            >
              <PaymentsLink search={{ sender: agent.id, figure: 'completed' }}>
                <Amount value={agent.totalSpent} />
              </PaymentsLink>
            </Row>
          ))}
        </Rows>
      )}
      <WidgetLink to="/dashboard/agents">View agents</WidgetLink>
    </>
  )
}

export function Recipients({ overview }: WidgetProps) {
  if (overview.recipients.length === 0)
    return <Nothing>Recipients of payments by you and your agents will appear here.</Nothing>
  return (
    <>
      <Rows>
        {overview.recipients.map(({ lastPaymentId, name, recipient, count, amount, lastPaidAt }) => (
          <Row
            key={recipient}
            name={
              // By the newest payment, since URLs do not name people.
              <PaymentsLink search={{ recipientOf: lastPaymentId, figure: 'paid' }} className={linkClass}>
                {name ?? (
                  <ContactName value={recipient}>
                    {recipient.startsWith('0x') ? shortAddress(recipient) : recipient}
                  </ContactName>
                )}
              </PaymentsLink>
            }
            note={
              <>
                {plural(count, 'payment')}, <RowTime iso={lastPaidAt} />
              </>
            }
          >
            <Amount value={amount} />
          </Row>
        ))}
      </Rows>
      <WidgetLink to="/dashboard/transactions">View transactions</WidgetLink>
    </>
  )
}

export function Budgets({ overview }: WidgetProps) {
  if (overview.budgets.length === 0) return <Nothing>No policy group has a budget limit.</Nothing>
  return (
    <>
      <Rows>
        {overview.budgets.map(({ id, name, chain, limit, spent, held, percentUsed }) => (
          <li key={id} className="flex items-center gap-3 py-2">
            <PercentRing percent={percentUsed} className="size-10" />
            <div className="min-w-0 flex-1">
              <Link to="/dashboard/agents" search={{ group: id }} className={`${linkClass} inline-block min-h-6`}>
                {name}
              </Link>
              <p className="text-muted text-small">
                <PaymentsLink search={{ group: id, figure: 'completed' }} chain={chain}>
                  <Amount value={spent} chain={chain} />
                </PaymentsLink>{' '}
                spent
                {held !== '0' && (
                  <span>
                    ,{' '}
                    <PaymentsLink search={{ group: id, figure: 'holding' }} chain={chain}>
                      <Amount value={held} chain={chain} />
                    </PaymentsLink>{' '}
                    held
                  </span>
                )}
                <span>
                  {' '}
                  of <Amount value={limit} chain={chain} />
                </span>
              </p>
            </div>
          </li>
        ))}
      </Rows>
      <WidgetLink to="/dashboard/usage">View usage</WidgetLink>
    </>
  )
}
