import { Link } from '@tanstack/react-router'
import { Pause, Pencil, Play, Plus, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { scopeNames, visibleScopes } from '#domain/scopes.ts'
import { ActionMenu } from '#web/components/ActionMenu.tsx'
import { ShortAddress } from '#web/components/Address.tsx'
import { Amount, MoneyChain } from '#web/components/Amount.tsx'
import { BudgetRing } from '#web/components/BudgetRing.tsx'
import { Button } from '#web/components/Button.tsx'
import { Card } from '#web/components/Card.tsx'
import { Chip } from '#web/components/Chip.tsx'
import { linkClass } from '#web/components/Links.tsx'
import { May } from '#web/components/May.tsx'
import { PaymentsLink } from '#web/components/PaymentsLink.tsx'
import { PendingApprovalsOf } from '#web/components/PendingApprovals.tsx'
import { EmptyState } from '#web/components/states.tsx'
import { useNow } from '#web/components/Time.tsx'
import { dollars } from '#web/lib/amounts.ts'
import { budgetLeftOf } from '#web/lib/budgetLeft.ts'
import { lastActivityText, plural, shortAddress } from '#web/lib/format.ts'
import { permissionsInWords } from '#web/lib/scopes.ts'
import type { PauseSubject, PolicyGroup, PolicyGroupWithAgents } from '#web/queries/agents.ts'
import { walletName } from '#web/queries/wallets.ts'
import { AgentRow } from './AgentRow.tsx'
import type { OpenDialog } from './dialogs.ts'
import { contactScope } from './groupForm.ts'
import { PeriodBar } from './PeriodBar.tsx'
import { PausedNotice, useResume } from './pausing.tsx'
import { askedFirst, limitsInWords, periodNow } from './policyWords.ts'
import { placeId, type RulePlace } from './ruleNames.ts'
import { SecondPersonBehind } from './SecondPersonBehind.tsx'
import { useFirstPurchases } from './useFirstPurchases.ts'

export function GroupDetail(props: {
  group: PolicyGroupWithAgents
  /** Id of an agent to show expanded. */
  agentId: string | undefined
  open: OpenDialog
}) {
  const { open } = props
  const { policyGroup: group, agents } = props.group
  const subject: PauseSubject = { kind: 'group', id: group.id, name: group.name }
  const paused = group.status === 'paused'
  const resume = useResume()
  const hasPeriod = periodNow(group) !== null
  const limits = limitsInWords(group, hasPeriod ? 'periodBudget' : undefined)
  const asked = askedFirst(group)
  const { formerAgents } = group
  return (
    <MoneyChain value={group.wallet?.chain}>
      <div className="grid grid-cols-1 gap-4" data-testid="group-detail">
        <Card aria-labelledby="group-name" className="p-5">
          <div className="mb-4 flex items-start justify-between gap-3">
            <div className="min-w-0">
              <h2 id="group-name" className="wrap-anywhere font-semibold text-title">
                {group.name}
              </h2>
              <LastActivity iso={props.group.lastActivity} />
              <p className="text-small">
                <PaymentsLink search={{ group: group.id, figure: 'accepted' }}>
                  {plural(props.group.totalTransactions, 'payment')}
                </PaymentsLink>
              </p>
            </div>
            <div className="flex shrink-0 items-center gap-2">
              <May call="policies.editGroup">
                <Button look="secondary" onClick={() => open({ editGroup: true })}>
                  Edit
                </Button>
              </May>
              <ActionMenu
                label={`Actions for ${group.name}`}
                items={[
                  {
                    label: 'Edit',
                    icon: Pencil,
                    call: 'policies.editGroup',
                    onSelect: () => open({ editGroup: true }),
                  },
                  ...(group.spendLimitUsdc === null
                    ? []
                    : [
                        {
                          label: 'Top up budget',
                          icon: Plus,
                          call: 'policies.topUp' as const,
                          onSelect: () => open({ topUp: true }),
                        },
                      ]),
                  paused
                    ? { label: 'Resume', icon: Play, call: 'policies.resume', onSelect: () => resume.mutate(subject) }
                    : { label: 'Pause', icon: Pause, call: 'policies.pause', onSelect: () => open({ pause: 'group' }) },
                  {
                    label: 'Delete',
                    icon: Trash2,
                    call: 'policies.deleteGroup',
                    danger: true,
                    onSelect: () => open({ deleteGroup: true }),
                  },
                ]}
              />
            </div>
          </div>
          <PendingApprovalsOf groupId={group.id} />
          <SecondPersonBehind group={group} />
          {paused && (
            <PausedNotice subject={subject} className="mb-5">
              This group is paused: calls by its agents are refused.
            </PausedNotice>
          )}
          <div className="grid grid-cols-1 gap-x-8 gap-y-6 xl:grid-cols-2">
            <Section place="budget" title="Budget">
              <Budget group={group} onTopUp={() => open({ topUp: true })} />
            </Section>
            <Section place="wallet" title="Wallet">
              <GroupWallet group={group} onPause={() => open({ pause: 'wallet' })} />
            </Section>
            <Section place="permissions" title="Permissions">
              <Permissions scopes={group.scopes} />
              <NothingKept group={group} open={open} />
            </Section>
            <Section place="limits" title="Limits">
              <PeriodBar group={group} />
              {limits.length === 0 ? (
                !hasPeriod && <p className="text-muted">None.</p>
              ) : (
                <ul className="space-y-1">
                  {limits.map((text) => (
                    <li key={text} className="wrap-anywhere">
                      {text}
                    </li>
                  ))}
                </ul>
              )}
            </Section>
            <Section place="approvals" title="Ask me first">
              <p className={asked ? '' : 'text-muted'}>
                {asked ?? 'Never. Payments within the limits are made at once.'}
              </p>
            </Section>
            {group.scopes.includes(contactScope) && (
              <Section
                place="contacts"
                title={`Whitelisted contacts (${group.whitelistedCount.toLocaleString('en-US')})`}
              >
                <Whitelist group={group} onConfirm={(contactId) => open({ confirmContact: contactId })} />
              </Section>
            )}
          </div>
        </Card>
        <Card aria-labelledby="group-agents">
          <div className="flex items-center justify-between gap-4 border-hairline border-b px-5 py-3">
            <h2 id="group-agents" className="font-semibold">
              Agents ({agents.length})
            </h2>
            <May call="policies.createAgent">
              <Button look="secondary" onClick={() => open({ newAgent: true })}>
                Add Agent
              </Button>
            </May>
          </div>
          {agents.length === 0 ? (
            <EmptyState title="No agents in this group yet">
              An agent has its own credentials and spends under this policy.
            </EmptyState>
          ) : (
            <ul className="divide-y divide-hairline">
              {agents.map((agent) => (
                <AgentRow
                  key={agent.id}
                  agent={agent}
                  group={group}
                  initiallyOpen={agent.id === props.agentId}
                  open={open}
                  onResume={() => resume.mutate({ kind: 'agent', id: agent.id, name: agent.name })}
                />
              ))}
            </ul>
          )}
          {formerAgents.count > 0 && (
            <p className="flex flex-wrap justify-between gap-x-4 border-hairline border-t px-5 py-3 text-muted text-small">
              <span>{plural(formerAgents.count, 'deleted agent')}</span>
              <span>
                <Amount value={formerAgents.spent} /> spent
                {formerAgents.held !== '0' && (
                  <span>
                    , <Amount value={formerAgents.held} /> held
                  </span>
                )}
              </span>
            </p>
          )}
        </Card>
      </div>
    </MoneyChain>
  )
}

function Section(props: { place: RulePlace; title: string; children: ReactNode }) {
  return (
    <section
      id={placeId(props.place)}
      className="scroll-mt-24 rounded-control target:outline-2 target:outline-green target:outline-offset-8"
    >
      <h3 className="mb-1.5 font-medium text-muted text-small">{props.title}</h3>
      {props.children}
    </section>
  )
}

function GroupWallet(props: { group: PolicyGroup; onPause: () => void }) {
  const { wallet, walletId } = props.group
  if (!wallet) return <p className="text-muted">The wallet has been deleted.</p>
  const subject: PauseSubject = { kind: 'wallet', id: walletId, name: walletName(wallet) }
  return (
    <>
      <p className="wrap-anywhere">{subject.name}</p>
      <div className="flex flex-wrap items-center gap-x-3">
        <ShortAddress address={wallet.address} chain={wallet.chain} />
        {!wallet.paused && (
          <May call="policies.pause">
            <Button look="quiet" className="h-8! px-2! text-small" onClick={props.onPause}>
              <Pause aria-hidden="true" className="size-4" />
              Pause wallet
            </Button>
          </May>
        )}
      </div>
      {wallet.paused ? (
        <PausedNotice subject={subject} className="mt-2">
          This wallet is paused: nothing is paid from it.
        </PausedNotice>
      ) : (
        !wallet.canPay && (
          <p className="mt-2 rounded-control bg-amber-tint px-3 py-2 text-small">
            This wallet cannot pay now. See its session key under{' '}
            <Link to="/dashboard/wallets" className={linkClass}>
              Wallets
            </Link>
            .
          </p>
        )
      )}
    </>
  )
}

function Budget(props: { group: PolicyGroup; onTopUp: () => void }) {
  const { id, spendLimitUsdc, currentSpent, held, remaining } = props.group
  const left = budgetLeftOf(props.group, useNow())
  if (spendLimitUsdc === null)
    return (
      <p>
        {left === null ? 'No budget limit.' : `No budget limit in total; its rules leave ${dollars(left)} now.`}{' '}
        <PaymentsLink search={{ group: id, figure: 'completed' }}>
          <Amount value={currentSpent} />
        </PaymentsLink>{' '}
        spent,{' '}
        <PaymentsLink search={{ group: id, figure: 'holding' }}>
          <Amount value={held} />
        </PaymentsLink>{' '}
        held.
      </p>
    )
  return (
    <>
      <BudgetRing groupId={id} limit={spendLimitUsdc} spent={currentSpent} held={held} remaining={remaining ?? '0'} />
      <May call="policies.topUp">
        <Button look="secondary" className="mt-3" onClick={props.onTopUp}>
          Top Up
        </Button>
      </May>
    </>
  )
}

function LastActivity(props: { iso: string | null }) {
  return <p className="text-muted text-small">Last activity: {lastActivityText(props.iso, useNow())}</p>
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
              {scopeNames[scope]}
            </Chip>
          ))}
      </p>
    </>
  )
}

/** Its agents may buy, but the wallet keeps nothing for purchases. */
function NothingKept(props: { group: PolicyGroup; open: OpenDialog }) {
  const first = useFirstPurchases(props.group, null)
  if (!first) return null
  return (
    <>
      <p className="mt-2 text-amber text-small">
        {walletName(first.wallet)} keeps nothing for purchases yet, so they are refused.
      </p>
      <May call="wallets.rotateSessionKey">
        <Button look="secondary" className="mt-2" onClick={() => props.open({ purchases: first.wallet.id })}>
          Keep a Part for Purchases
        </Button>
      </May>
    </>
  )
}

/** The contacts that the group may pay, as whitelisted. Contacts that have changed since come first: they are refused. */
function Whitelist(props: { group: PolicyGroup; onConfirm: (contactId: string) => void }) {
  const { whitelistedContacts, whitelistedCount } = props.group
  if (whitelistedCount === 0) return <p className="text-muted">No contacts yet, so agents can’t pay any contact.</p>
  const more = whitelistedCount - whitelistedContacts.length
  return (
    <ul
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label="Whitelisted contacts"
      className="max-h-56 space-y-1 overflow-y-auto rounded-sm"
    >
      {whitelistedContacts.map(({ contact, stale }) => (
        <li key={contact.id} className="flex flex-wrap items-center gap-x-2">
          <span className="wrap-anywhere">{contact.name}</span>
          <span className="wrap-anywhere text-muted text-small">
            {contact.address ? shortAddress(contact.address) : (contact.email ?? contact.phone)}
          </span>
          {stale && (
            <>
              <Chip tone="waiting" title="The contact changed after it was whitelisted. Payments to it are refused.">
                Changed
              </Chip>
              <May call="policies.confirmContact">
                <Button look="secondary" className="h-8!" onClick={() => props.onConfirm(contact.id)}>
                  Review
                </Button>
              </May>
            </>
          )}
        </li>
      ))}
      {more > 0 && (
        <li className="text-muted text-small">
          and {more.toLocaleString('en-US')} more; edit the group to see them all
        </li>
      )}
    </ul>
  )
}
