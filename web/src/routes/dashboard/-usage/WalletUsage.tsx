import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { ChevronDown } from 'lucide-react'
import { useId, useState } from 'react'
import type { Span } from '#domain/statistics.ts'
import type { BudgetChange } from '#schemas/usage.ts'
import { ShortAddress } from '#web/components/Address.tsx'
import { Amount } from '#web/components/Amount.tsx'
import { PercentRing } from '#web/components/BudgetRing.tsx'
import { Button } from '#web/components/Button.tsx'
import { Card } from '#web/components/Card.tsx'
import { Chip } from '#web/components/Chip.tsx'
import { BudgetChart } from '#web/components/charts/BudgetChart.tsx'
import { SpanChoice } from '#web/components/charts/SpanChoice.tsx'
import { May } from '#web/components/May.tsx'
import { PaymentsLink } from '#web/components/PaymentsLink.tsx'
import { ErrorState, Skeleton } from '#web/components/states.tsx'
import { Time } from '#web/components/Time.tsx'
import { formatAmount, formatDate, plural } from '#web/lib/format.ts'
import type { Chain } from '#web/lib/networks.ts'
import { budgetHistoryQuery, type Usage, type UsageGroup, type UsageWallet } from '#web/queries/usage.ts'
import { walletName } from '#web/queries/wallets.ts'
import { KeysLeft, monthDays } from './cards.tsx'

/** One wallet's spending this month, and its policy groups with their agents. */
export function WalletUsage(props: {
  wallet: UsageWallet
  month: Usage['globalBudget']
  onTopUp: (group: UsageGroup) => void
}) {
  const { wallet, month } = props
  const { currentSpent, limit, percentUsed, remaining } = wallet.sessionKeyBudget
  return (
    <Card aria-labelledby="wallet-usage" className="overflow-hidden">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 p-5">
        <div className="min-w-0">
          <h2 id="wallet-usage" className="wrap-anywhere font-semibold">
            {walletName(wallet)}
          </h2>
          {wallet.chain !== 'base' && <p className="text-muted text-small">Test network: not real money</p>}
          <ShortAddress address={wallet.address} chain={wallet.chain} />
        </div>
        <div className="flex items-center gap-3 max-sm:flex-row-reverse">
          <p className="sm:text-right">
            <span className="block text-muted text-small">Spent This Month</span>
            <PaymentsLink search={{ wallet: wallet.id, spent: monthDays(month) }} chain={wallet.chain}>
              <Amount value={currentSpent} chain={wallet.chain} className="font-semibold" />
            </PaymentsLink>
            {limit !== null && (
              <span className="block text-muted text-small">
                <Amount value={remaining ?? '0'} chain={wallet.chain} /> of{' '}
                <Amount value={limit} chain={wallet.chain} /> remaining
              </span>
            )}
          </p>
          {percentUsed !== null && <PercentRing percent={percentUsed} />}
        </div>
      </div>
      {wallet.sessionKey && (
        <div className="-mt-4 px-5 pb-5">
          <KeysLeft keys={wallet.sessionKey} what="Its session key" chain={wallet.chain} />
        </div>
      )}
      {wallet.policyGroups.length === 0 ? (
        <p className="border-hairline border-t px-5 py-8 text-center text-muted">No policy groups for this wallet</p>
      ) : (
        <ul className="divide-y divide-hairline border-hairline border-t">
          {wallet.policyGroups.map((group) => (
            <Group key={group.id} group={group} chain={wallet.chain} onTopUp={() => props.onTopUp(group)} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function Group(props: { group: UsageGroup; chain: Chain; onTopUp: () => void }) {
  const { chain } = props
  const { budget, ...group } = props.group
  const [open, setOpen] = useState(false)
  const id = useId()
  return (
    <li>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3 px-5 py-4">
        {budget.percentUsed !== null && <PercentRing percent={budget.percentUsed} />}
        <div className="min-w-40 flex-1">
          <button
            type="button"
            aria-expanded={open}
            aria-controls={id}
            onClick={() => setOpen(!open)}
            className="inline-flex min-h-8 items-center gap-1.5 rounded-sm text-left font-medium pointer-coarse:min-h-11"
          >
            <span className="wrap-anywhere">{group.name}</span>
            <ChevronDown
              aria-hidden="true"
              className={`size-4 shrink-0 text-muted transition-transform duration-150 ${open ? 'rotate-180' : ''}`}
            />
          </button>
          <p className="text-muted text-small">{plural(group.agents.length, 'agent')}</p>
        </div>
        {budget.limit === null || budget.remaining === null ? (
          <p className="text-small sm:text-right">
            <GroupSpent group={props.group} chain={chain} /> <span className="text-muted">spent · No budget limit</span>
          </p>
        ) : (
          <>
            <p className="text-small sm:text-right">
              <GroupSpent group={props.group} chain={chain} /> <span className="text-muted">of</span>{' '}
              <Amount value={budget.limit} chain={chain} />
              <span className="block text-muted">
                <Amount value={budget.remaining} chain={chain} /> left
                {budget.held !== '0' && (
                  <span>
                    ,{' '}
                    <PaymentsLink search={{ group: group.id, figure: 'holding' }} chain={chain}>
                      <Amount value={budget.held} chain={chain} />
                    </PaymentsLink>{' '}
                    held
                  </span>
                )}
              </span>
              {budget.lastsUntil && (
                <span className="block text-muted">
                  At this pace the budget lasts until {formatDate(budget.lastsUntil)}
                </span>
              )}
            </p>
            <May call="policies.topUp">
              <Button
                look="secondary"
                className="max-sm:w-full"
                onClick={props.onTopUp}
                aria-label={`Top Up ${group.name}`}
              >
                Top Up
              </Button>
            </May>
          </>
        )}
      </div>
      <div id={id} hidden={!open} className="bg-sunken px-5 py-3">
        {group.agents.length === 0 ? (
          <p className="text-muted">No agents in this group yet</p>
        ) : (
          <ul className="divide-y divide-hairline">
            {group.agents.map((agent) => (
              <li key={agent.id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
                <span className="flex min-w-0 items-center gap-2">
                  <span className="wrap-anywhere">{agent.name}</span>
                  <Chip tone={agent.status === 'active' ? 'good' : 'neutral'}>
                    {agent.status === 'active' ? 'Active' : 'Paused'}
                  </Chip>
                </span>
                <span className="text-small">
                  <PaymentsLink search={{ sender: agent.id, figure: 'completed' }} chain={chain}>
                    <Amount value={agent.totalSpent} chain={chain} />
                  </PaymentsLink>{' '}
                  <span className="text-muted">
                    ·{' '}
                    <PaymentsLink search={{ sender: agent.id, figure: 'accepted' }} chain={chain}>
                      {plural(agent.transactionCount, 'payment')}
                    </PaymentsLink>
                  </span>
                </span>
              </li>
            ))}
          </ul>
        )}
        {open && (
          <div className="mt-3 border-hairline border-t pt-4">
            <GroupHistory groupId={group.id} name={group.name} />
          </div>
        )}
      </div>
    </li>
  )
}

const GroupSpent = ({ group, chain }: { group: UsageGroup; chain: Chain }) => (
  <PaymentsLink search={{ group: group.id, figure: 'completed' }} chain={chain}>
    <Amount value={group.budget.currentSpent} chain={chain} />
  </PaymentsLink>
)

/** A group's budget over time, and its changes. */
function GroupHistory(props: { groupId: string; name: string }) {
  const [days, setDays] = useState<Span>(30)
  const history = useInfiniteQuery({ ...budgetHistoryQuery(props.groupId, days), placeholderData: keepPreviousData })
  const [newest] = history.data?.pages ?? []
  const changes = history.data?.pages.flatMap((page) => page.changes) ?? []
  return (
    <section aria-label={`Budget history of ${props.name}`}>
      <div className="mb-2 flex flex-wrap items-center justify-between gap-3">
        <h3 className="font-medium">Budget history</h3>
        <SpanChoice days={days} onDays={setDays} />
      </div>
      {newest ? (
        <>
          <BudgetChart days={newest.days} />
          <ol aria-label="Changes of the budget" className="mt-3 divide-y divide-hairline">
            {changes.map((change) => (
              <li key={change.id} className="flex flex-wrap justify-between gap-x-4 py-2 text-small">
                <span>{wordsOf(change)}</span>
                <span className="text-muted">
                  <Time iso={change.at} as="date" />
                </span>
              </li>
            ))}
          </ol>
          {history.hasNextPage && (
            <Button
              look="quiet"
              className="-ml-4"
              busy={history.isFetchingNextPage}
              onClick={() => history.fetchNextPage()}
            >
              Show earlier changes
            </Button>
          )}
        </>
      ) : history.error ? (
        <ErrorState error={history.error} onRetry={() => history.refetch()} />
      ) : (
        <Skeleton className="h-72" />
      )}
    </section>
  )
}

function wordsOf({ kind, amount, limit }: BudgetChange): string {
  const now = limit === null ? 'no limit' : `$${formatAmount(limit)}`
  if (kind === 'topped_up' && amount !== null) return `Topped up by $${formatAmount(amount)} to ${now}`
  return kind === 'created' ? `Created with ${limit === null ? now : `a limit of ${now}`}` : `Changed to ${now}`
}
