import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { ChevronRight, FlaskConical, KeyRound, Pause, Pencil, Play, RotateCcwKey, Trash2 } from 'lucide-react'
import { lazy, Suspense, useEffect, useId, useRef, useState } from 'react'
import { ActionMenu } from '#web/components/ActionMenu.tsx'
import { AgentLink } from '#web/components/AgentLink.tsx'
import { Amount } from '#web/components/Amount.tsx'
import { Chip } from '#web/components/Chip.tsx'
import { CopyButton } from '#web/components/CopyButton.tsx'
import { IconButton } from '#web/components/IconButton.tsx'
import { linkClass } from '#web/components/Links.tsx'
import { May } from '#web/components/May.tsx'
import { PaymentsLink } from '#web/components/PaymentsLink.tsx'
import { SkeletonRows } from '#web/components/states.tsx'
import { Time, useNow } from '#web/components/Time.tsx'
import { freeOf } from '#web/lib/budgetLeft.ts'
import { formatMoment, lastActivityText, plural } from '#web/lib/format.ts'
import type { Agent, PolicyGroup } from '#web/queries/agents.ts'
import { accountQuery } from '#web/queries/agents.ts'
import { walletsQuery } from '#web/queries/wallets.ts'
import type { OpenDialog } from './dialogs.ts'
import { mayDo } from './policyWords.ts'
import { placeId } from './ruleNames.ts'

const AgentTools = lazy(() => import('./AgentTools.tsx'))

/** An agent in one line, which expands to show its details and tools. */
export function AgentRow(props: {
  agent: Agent
  group: PolicyGroup
  initiallyOpen: boolean
  open: OpenDialog
  onResume: () => void
}) {
  const { agent, open } = props
  const [expanded, setExpanded] = useState(props.initiallyOpen)
  const details = useId()
  const row = useRef<HTMLLIElement>(null)
  // A link led to this agent: scroll past the policy, which fills a phone's screen.
  const [isTarget] = useState(props.initiallyOpen)
  useEffect(() => {
    if (isTarget) row.current?.scrollIntoView({ block: 'start' })
  }, [isTarget])
  const now = useNow()
  const paused = agent.status === 'paused'
  const accountPaused = useQuery(accountQuery).data?.paused ?? false
  const stopped = paused ? 'Paused' : pausedAbove(props.group, accountPaused)
  const wallet = useQuery(walletsQuery).data?.find(({ id }) => id === props.group.walletId)
  return (
    <li ref={row} id={placeId('agent', agent.id)} data-testid="agent-row" className="scroll-mt-24 target:bg-green-tint">
      <div className="flex items-center gap-1 pr-3 has-[>button[aria-expanded]:hover]:bg-paper">
        <button
          type="button"
          aria-expanded={expanded}
          aria-controls={details}
          onClick={() => setExpanded(!expanded)}
          className="flex min-w-0 flex-1 items-center gap-3 py-3 pl-5 text-left -outline-offset-2"
        >
          <ChevronRight
            aria-hidden="true"
            className={clsx('size-4 shrink-0 text-muted transition-transform duration-120', expanded && 'rotate-90')}
          />
          <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-1">
            <span className="min-w-40 flex-1">
              <span className="block wrap-anywhere font-medium">{agent.name}</span>
              <span data-testid="may-do" className="block wrap-anywhere text-small">
                {mayDo(props.group, stopped, freeOf(wallet, props.group.scopes))}
              </span>
              <span className="block text-muted text-small">
                {plural(agent.transactionCount, 'payment')}, last activity{' '}
                {lastActivityText(agent.lastActivity, now).toLowerCase()}
              </span>
            </span>
            <Amount value={agent.totalSpent} />
            {stopped ? <Chip tone="waiting">{stopped}</Chip> : <Chip tone="good">Active</Chip>}
          </span>
        </button>
        <May call="checkPayment">
          <IconButton label={`Try a payment by ${agent.name}`} onClick={() => open({ tryPayment: agent.id })}>
            <FlaskConical aria-hidden="true" className="size-4" />
          </IconButton>
        </May>
        <ActionMenu
          label={`Actions for ${agent.name}`}
          items={[
            { label: 'Edit', icon: Pencil, call: 'policies.editAgent', onSelect: () => open({ editAgent: agent.id }) },
            {
              label: 'Regenerate credentials',
              icon: KeyRound,
              call: 'policies.replaceCredential',
              onSelect: () => open({ regenerateCredentials: agent.id }),
            },
            {
              label: 'Regenerate API key',
              icon: RotateCcwKey,
              call: 'policies.replaceCredential',
              onSelect: () => open({ regenerateKey: agent.id }),
            },
            paused
              ? { label: 'Resume', icon: Play, call: 'policies.resume', onSelect: props.onResume }
              : { label: 'Pause', icon: Pause, call: 'policies.pause', onSelect: () => open({ pause: agent.id }) },
            {
              label: 'Delete',
              icon: Trash2,
              call: 'policies.deleteAgent',
              danger: true,
              onSelect: () => open({ deleteAgent: agent.id }),
            },
          ]}
        />
      </div>
      <div id={details} hidden={!expanded}>
        {expanded && (
          <div className="space-y-6 px-5 pb-5">
            <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-1 text-small sm:grid-cols-[8rem_minmax(0,1fr)]">
              <dt className="text-muted">Client ID</dt>
              <dd className="flex items-center gap-1">
                <span translate="no" className="break-all font-mono">
                  {agent.clientId}
                </span>
                <CopyButton text={agent.clientId} what="client ID" />
              </dd>
              {agent.memo && (
                <>
                  <dt className="text-muted">Memo</dt>
                  <dd className="wrap-anywhere">{agent.memo}</dd>
                </>
              )}
              <dt className="text-muted">Created</dt>
              <dd>
                <Time iso={agent.createdAt} as="date" />
              </dd>
              <dt className="text-muted">Requests</dt>
              <dd>
                <AgentLink id={agent.id} className={linkClass}>
                  This week and month
                </AgentLink>
              </dd>
              <dt className="text-muted">Paid</dt>
              <dd>
                <PaymentsLink search={{ sender: agent.id, figure: 'accepted' }}>
                  {plural(agent.transactionCount, 'payment')}
                </PaymentsLink>
                ,{' '}
                <PaymentsLink search={{ sender: agent.id, figure: 'completed' }}>
                  <Amount value={agent.totalSpent} />
                </PaymentsLink>{' '}
                spent
              </dd>
              {agent.held !== '0' && (
                <>
                  <dt className="text-muted">Held</dt>
                  <dd>
                    <PaymentsLink search={{ sender: agent.id, figure: 'holding' }}>
                      <Amount value={agent.held} />
                    </PaymentsLink>
                  </dd>
                </>
              )}
              <PreviousUntil name="Previous API key" iso={agent.previousApiKeyUntil} />
              <PreviousUntil name="Previous secret" iso={agent.previousSecretUntil} />
            </dl>
            <Suspense fallback={<SkeletonRows rows={4} />}>
              <AgentTools agent={agent} group={props.group} />
            </Suspense>
          </div>
        )}
      </div>
    </li>
  )
}

/** Which of the agent's account, group and wallet is paused, as named by the rule that refuses its calls; null if none. */
function pausedAbove(group: PolicyGroup, accountPaused: boolean): string | null {
  if (accountPaused) return 'Account paused'
  if (group.status === 'paused') return 'Group paused'
  return group.wallet?.paused ? 'Wallet paused' : null
}

/** Shows until when the credential from before a regeneration works. */
function PreviousUntil(props: { name: string; iso: string | null }) {
  if (props.iso === null) return null
  return (
    <>
      <dt className="text-muted">{props.name}</dt>
      <dd>Works until {formatMoment(props.iso)}</dd>
    </>
  )
}
