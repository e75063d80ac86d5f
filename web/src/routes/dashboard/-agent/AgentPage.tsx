import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type Answer, answers } from '#domain/answers.ts'
import { formatUsdc } from '#domain/money.ts'
import type { Period } from '#domain/periods.ts'
import { Amount, MoneyChain } from '#web/components/Amount.tsx'
import { BackLink } from '#web/components/BackLink.tsx'
import { Card, PageHeader, Syncing, TitledCard } from '#web/components/Card.tsx'
import { PeriodChoice } from '#web/components/charts/SpanChoice.tsx'
import { linkClass } from '#web/components/Links.tsx'
import { PaymentsLink } from '#web/components/PaymentsLink.tsx'
import { ErrorState, SkeletonCard } from '#web/components/states.tsx'
import { microOf } from '#web/lib/amounts.ts'
import { formatAmount, plural } from '#web/lib/format.ts'
import type { Chain } from '#web/lib/networks.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { type AgentRequests, agentRequestsQuery, answerNames } from '#web/queries/answers.ts'
import { usePrimaryChain } from '#web/queries/config.ts'
import { other } from '../../-shell/pages.ts'
import { periodText } from '../-usage/periodText.ts'
import { RuleSumRow } from '../-usage/RuleSumRow.tsx'

const refreshMs = 30_000 // 30 seconds

/** What an agent wanted this week or month, and what it got. */
export default function AgentPage({ id }: { id: string }) {
  const { period: chosen } = useSearch({ strict: false }) as { period?: unknown }
  const navigate = useNavigate()
  const path = other(`agents/${id}`)
  return (
    <OneAgent
      key={id}
      agentId={id}
      period={chosen === 'month' ? 'month' : 'week'}
      onPeriod={(period) =>
        navigate({ to: path, search: (period === 'month' ? { period } : {}) as never, resetScroll: false })
      }
    />
  )
}

function OneAgent(props: { agentId: string; period: Period; onPeriod: (period: Period) => void }) {
  const { agentId, period } = props
  const requests = useQuery({
    ...agentRequestsQuery(agentId, { period }),
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  })
  const { data, error, refetch } = requests
  useTitle(data?.agent.name ?? 'Agent')
  return (
    <>
      <BackLink to="/dashboard/agents" search={{ agent: agentId }}>
        Agents
      </BackLink>
      <PageHeader title={data?.agent.name ?? 'Agent'} aside={<Syncing active={requests.isFetching && !!data} />}>
        <PeriodChoice period={period} onPeriod={props.onPeriod} />
      </PageHeader>
      {data ? (
        <Requests data={data} period={period} isStale={requests.isPlaceholderData} />
      ) : error ? (
        <Card>
          <ErrorState error={error} onRetry={() => refetch()} />
        </Card>
      ) : (
        <output aria-label="Loading" className="grid grid-cols-1 gap-5 lg:grid-cols-2">
          <SkeletonCard className="h-96" lines={6} />
          <SkeletonCard className="h-96" lines={6} />
        </output>
      )}
    </>
  )
}

type Sum = { count: number; amount: bigint }
const none: Sum = { count: 0, amount: 0n }

/** By answer, those of one network. */
function sumsOf(of: AgentRequests['earlier'], chain: Chain, wanted: readonly Answer[]): Sum {
  return of
    .filter((one) => one.chain === chain && wanted.includes(one.answer))
    .reduce((sum, { count, amount }) => ({ count: sum.count + count, amount: sum.amount + microOf(amount) }), none)
}

function Requests(props: { data: AgentRequests; period: Period; isStale: boolean }) {
  const { data, period, isStale } = props
  const { agent, sums, earlier, days } = data
  const primary = usePrimaryChain()
  // Its wallet may be on the test network.
  const isElsewhere = sums.length + earlier.length > 0 && ![...sums, ...earlier].some(({ chain }) => chain === primary)
  const chain = isElsewhere ? (sums[0] ?? earlier[0]!).chain : primary
  const byRule = sums.filter((sum) => sum.chain === chain && sum.rules.length > 0)
  return (
    <MoneyChain value={chain}>
      <div
        aria-busy={isStale}
        className="grid grid-cols-1 items-start gap-5 transition-opacity aria-busy:opacity-60 lg:grid-cols-2"
      >
        <TitledCard id="wanted" title="Requests" note={periodText(data)}>
          <Wanted data={data} period={period} chain={chain} />
          <p className="mt-3 flex flex-wrap gap-x-4 gap-y-1">
            <Link to="/dashboard/transactions" search={{ sender: agent.id }} className={linkClass}>
              All its transactions
            </Link>
            <Link to="/dashboard/approvals" className={linkClass}>
              Approvals
            </Link>
          </p>
        </TitledCard>
        <TitledCard id="by-rule" title="By rule">
          {byRule.length === 0 ? (
            <p className="py-10 text-center text-muted">No rule refused or asked this {period}.</p>
          ) : (
            <ul className="divide-y divide-hairline">
              {byRule.map((sum) => (
                <RuleSumRow
                  key={`${sum.answer} ${sum.rules}`}
                  sum={sum}
                  agentId={agent.id}
                  days={days}
                  by={answerNames[sum.answer]}
                />
              ))}
            </ul>
          )}
        </TitledCard>
      </div>
    </MoneyChain>
  )
}

/** What it asked for, what it got, and the rest by what became of it; each with its list. */
function Wanted({ data, period, chain }: { data: AgentRequests; period: Period; chain: Chain }) {
  const { agent, sums, earlier, days } = data
  const all = sumsOf(sums, chain, answers)
  const got = sumsOf(sums, chain, ['allowed', 'approved'])
  const before = sumsOf(earlier, chain, answers)
  const gotBefore = sumsOf(earlier, chain, ['allowed', 'approved'])
  const search = { sender: agent.id, requested: days }
  if (all.count === 0)
    return (
      <p className="py-10 text-center text-muted">
        {before.count > 0
          ? `No requests this ${period}, ${before.count.toLocaleString('en-US')} last ${period}.`
          : `No requests this ${period}.`}
      </p>
    )
  const percent = all.amount === 0n ? 0 : Number((got.amount * 100n) / all.amount)
  return (
    <>
      <p className="mt-3">
        Got <Amount value={formatUsdc(got.amount)} className="font-semibold text-title" /> of{' '}
        <PaymentsLink search={search} chain={chain}>
          <Amount value={formatUsdc(all.amount)} />
        </PaymentsLink>{' '}
        that it asked for, {percent}%
      </p>
      <p className="text-muted text-small">
        {got.count.toLocaleString('en-US')} of {plural(all.count, 'request')}. Last {period}: $
        {formatAmount(formatUsdc(gotBefore.amount))} of ${formatAmount(formatUsdc(before.amount))} in{' '}
        {plural(before.count, 'request')}.
      </p>
      <Shares sums={answers.map((answer) => sumsOf(sums, chain, [answer]).amount)} all={all.amount} />
      <dl aria-label="Requests by answer" className="divide-y divide-hairline">
        {answers.map((answer, i) => (
          <Line
            key={answer}
            name={answerNames[answer]}
            color={colors[i]!}
            sum={sumsOf(sums, chain, [answer])}
            before={sumsOf(earlier, chain, [answer])}
            period={period}
          >
            {(content) => (
              <PaymentsLink search={{ ...search, answer }} chain={chain}>
                {content}
              </PaymentsLink>
            )}
          </Line>
        ))}
      </dl>
    </>
  )
}

const colors = ['var(--green)', 'var(--green-pressed)', 'var(--amber)', 'var(--muted)', 'var(--red)']

const Shares = (props: { sums: bigint[]; all: bigint }) => (
  <div aria-hidden="true" className="my-3 flex h-2.5 gap-px overflow-hidden rounded-[2px]">
    {props.sums.map(
      (sum, i) =>
        sum > 0n && (
          // biome-ignore lint/suspicious/noArrayIndexKey: the answers do not move
          <div key={i} className="min-w-px" style={{ flex: `${Number(sum)} 1 0`, backgroundColor: colors[i] }} />
        ),
    )}
  </div>
)

function Line(props: {
  name: string
  color: string
  sum: Sum
  before: Sum
  period: Period
  children: (content: ReactNode) => ReactNode
}) {
  const { name, color, sum, before, period } = props
  const content = (
    <>
      <Amount value={formatUsdc(sum.amount)} /> in {plural(sum.count, 'request')}
    </>
  )
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-0.5 py-2">
      <dt className="flex items-center gap-1.5 text-muted text-small">
        <span aria-hidden="true" className="size-2.5 shrink-0 rounded-xs" style={{ backgroundColor: color }} />
        {name}
      </dt>
      <dd className="ml-auto text-right">
        {sum.count === 0 ? <span className="text-muted">None</span> : props.children(content)}
        <span className="block text-muted text-small">
          Last {period}: {before.count === 0 ? 'none' : `$${formatAmount(formatUsdc(before.amount))}`}
        </span>
      </dd>
    </div>
  )
}
