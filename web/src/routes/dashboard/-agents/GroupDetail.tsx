import type { ReactNode } from 'react'
import { visibleScopes } from '../../../../../worker/domain/scopes.ts'
import { ShortAddress } from '../../../components/Address.tsx'
import { Amount } from '../../../components/Amount.tsx'
import { BudgetRing } from '../../../components/BudgetRing.tsx'
import { Button } from '../../../components/Button.tsx'
import { Card } from '../../../components/Card.tsx'
import { Chip } from '../../../components/Chip.tsx'
import { CopyButton } from '../../../components/CopyButton.tsx'
import { EmptyState } from '../../../components/states.tsx'
import { useNow } from '../../../components/Time.tsx'
import { lastActivityText, plural, shortAddress } from '../../../lib/format.ts'
import { permissionsInWords, scopeWords } from '../../../lib/scopes.ts'
import type { Agent, PolicyGroup, PolicyGroupWithAgents } from '../../../queries/agents.ts'
import { walletName } from '../../../queries/wallets.ts'

export function GroupDetail(props: { group: PolicyGroupWithAgents; onNewAgent: () => void }) {
  const { policyGroup: group, agents } = props.group
  return (
    <div className="grid grid-cols-1 gap-4" data-testid="group-detail">
      <Card aria-labelledby="group-name" className="p-5">
        <h2 id="group-name" className="mb-4 break-words font-semibold text-title">
          {group.name}
        </h2>
        <div className="grid grid-cols-1 gap-x-8 gap-y-6 xl:grid-cols-2">
          <Section title="Budget">
            <Budget group={group} />
          </Section>
          <Section title="Wallet">
            {group.wallet ? (
              <div>
                <p>{walletName(group.wallet)}</p>
                <ShortAddress address={group.wallet.address} />
              </div>
            ) : (
              <p className="text-muted">The wallet is gone.</p>
            )}
            <LastActivity iso={props.group.lastActivity} />
          </Section>
          <Section title="Permissions">
            <Permissions scopes={group.scopes} />
          </Section>
          {group.scopes.includes('contact_payments:write') && (
            <Section title={`Whitelisted contacts (${group.whitelistedContacts.length})`}>
              <Whitelist group={group} />
            </Section>
          )}
        </div>
      </Card>
      <Card aria-labelledby="group-agents">
        <div className="flex items-center justify-between gap-4 border-hairline border-b px-5 py-3">
          <h2 id="group-agents" className="font-semibold">
            Agents ({agents.length})
          </h2>
          <Button look="secondary" onClick={props.onNewAgent}>
            Add Agent
          </Button>
        </div>
        {agents.length === 0 ? (
          <EmptyState title="No agents in this group yet">
            An agent gets credentials of its own and spends under this policy.
          </EmptyState>
        ) : (
          <ul className="divide-y divide-hairline">
            {agents.map((agent) => (
              <AgentRow key={agent.id} agent={agent} />
            ))}
          </ul>
        )}
      </Card>
    </div>
  )
}

function Section(props: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3 className="mb-1.5 font-medium text-muted text-small">{props.title}</h3>
      {props.children}
    </section>
  )
}

function Budget(props: { group: PolicyGroup }) {
  const { spendLimitUsdc, currentSpent, held, remaining } = props.group
  if (spendLimitUsdc !== null)
    return <BudgetRing limit={spendLimitUsdc} spent={currentSpent} held={held} remaining={remaining ?? '0'} />
  return (
    <p>
      No budget limit. <Amount value={currentSpent} /> spent, <Amount value={held} /> held.
    </p>
  )
}

function LastActivity(props: { iso: string | null }) {
  return <p className="mt-2 text-muted text-small">Last activity: {lastActivityText(props.iso, useNow())}</p>
}

function Permissions(props: { scopes: string[] }) {
  return (
    <>
      <p>{permissionsInWords(props.scopes)}</p>
      <p className="mt-2 flex flex-wrap gap-1.5">
        {visibleScopes
          .filter((scope) => props.scopes.includes(scope))
          .map((scope) => (
            <Chip key={scope} tone="neutral" plain title={scope}>
              {scopeWords[scope].name}
            </Chip>
          ))}
      </p>
    </>
  )
}

function Whitelist(props: { group: PolicyGroup }) {
  const { whitelistedContacts } = props.group
  if (whitelistedContacts.length === 0)
    return <p className="text-muted">No contacts yet, so nobody can be paid this way.</p>
  return (
    <ul className="max-h-48 space-y-1 overflow-y-auto">
      {whitelistedContacts.map(({ contact, stale }) => (
        <li key={contact.id} className="flex flex-wrap items-center gap-x-2">
          <span>{contact.name}</span>
          <span className="text-muted text-small">
            {contact.address ? shortAddress(contact.address) : (contact.email ?? contact.phone)}
          </span>
          {stale && (
            <Chip tone="waiting" title="The contact changed after it was chosen here. Payments to it are refused.">
              Changed
            </Chip>
          )}
        </li>
      ))}
    </ul>
  )
}

function AgentRow(props: { agent: Agent }) {
  const { agent } = props
  const now = useNow()
  return (
    <li>
      <details className="group" data-testid="agent-row">
        <summary className="flex cursor-pointer flex-wrap items-center gap-x-4 gap-y-1 px-5 py-3 -outline-offset-2 hover:bg-paper">
          <span className="min-w-40 flex-1">
            <span className="block font-medium">{agent.name}</span>
            <span className="block text-muted text-small">
              {plural(agent.transactionCount, 'transaction')}, last activity{' '}
              {lastActivityText(agent.lastActivity, now).toLowerCase()}
            </span>
          </span>
          <Amount value={agent.totalSpent} />
          {agent.status === 'active' ? <Chip tone="good">Active</Chip> : <Chip tone="neutral">Paused</Chip>}
        </summary>
        <dl className="grid gap-x-6 gap-y-2 px-5 pb-4 text-small sm:grid-cols-[8rem_1fr]">
          <dt className="text-muted">Client ID</dt>
          <dd className="flex items-center gap-1">
            <span className="break-all font-mono">{agent.clientId}</span>
            <CopyButton text={agent.clientId} what="client ID" />
          </dd>
          {agent.memo && (
            <>
              <dt className="text-muted">Memo</dt>
              <dd className="break-words">{agent.memo}</dd>
            </>
          )}
          <dt className="text-muted">Created</dt>
          <dd>{lastActivityText(agent.createdAt, now)}</dd>
        </dl>
      </details>
    </li>
  )
}
