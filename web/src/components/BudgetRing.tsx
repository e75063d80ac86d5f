import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { levelOf, percentUsed } from '#domain/statistics.ts'
import { microOf } from '../lib/amounts.ts'
import { formatAmount } from '../lib/format.ts'
import { Amount } from './Amount.tsx'
import { PaymentsLink, type PaymentsSearch } from './PaymentsLink.tsx'

const looks = {
  safe: { color: 'text-green', word: 'On track' },
  warning: { color: 'text-amber', word: 'Running low' },
  danger: { color: 'text-red', word: 'Almost used up' },
}
export const budgetLevel = (percent: number) => looks[levelOf(percent)]

/** A group's spent and held amounts as a ring, with the figures beside it. */
export function BudgetRing(props: { groupId: string; limit: string; spent: string; held: string; remaining: string }) {
  const limit = microOf(props.limit)
  const percent = percentUsed(microOf(props.spent) + microOf(props.held), limit)
  const spentPercent = Math.min(100, percentUsed(microOf(props.spent), limit))
  const { color, word } = budgetLevel(percent)
  const isUsedUp = microOf(props.remaining) <= 0n
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-4">
      <Ring percent={percent} className={`size-28 ${color}`} textClass="text-[20px]">
        <Arc percent={Math.min(100, percent)} className="opacity-40" />
        <Arc percent={spentPercent} />
      </Ring>
      <div className="min-w-48 flex-1">
        <p className={`font-medium text-small ${color}`}>
          {isUsedUp ? 'Used up' : word}: {percent}% used, ${formatAmount(props.remaining)} left
        </p>
        <dl className="mt-1 divide-y divide-hairline text-small">
          <Line name="Spent" value={props.spent} search={{ group: props.groupId, figure: 'completed' }} />
          <Line name="Held" value={props.held} search={{ group: props.groupId, figure: 'holding' }} />
          <Line name="Remaining" value={props.remaining} />
          <Line name="Limit" value={props.limit} />
        </dl>
      </div>
    </div>
  )
}

/** A ring that shows how much of a limit is used, with the percentage inside. Green, amber or red by level. */
export const PercentRing = (props: { percent: number; className?: string }) => (
  <Ring
    percent={props.percent}
    className={clsx(budgetLevel(props.percent).color, props.className ?? 'size-12')}
    textClass="text-[24px]"
  >
    <Arc percent={Math.max(0, Math.min(100, props.percent))} />
  </Ring>
)

function Ring(props: { percent: number; className: string; textClass: string; children: ReactNode }) {
  return (
    <svg
      viewBox="0 0 100 100"
      role="img"
      aria-label={`${props.percent}% used`}
      className={clsx('shrink-0', props.className)}
    >
      <circle cx="50" cy="50" r="42" fill="none" strokeWidth="10" className="stroke-ink/10" />
      {props.children}
      <text
        x="50"
        y="50"
        textAnchor="middle"
        dominantBaseline="central"
        className={clsx('fill-ink font-semibold', props.textClass)}
      >
        {props.percent}%
      </text>
    </svg>
  )
}

const circumference = 2 * Math.PI * 42

function Arc(props: { percent: number; className?: string }) {
  if (props.percent === 0) return null
  return (
    <circle
      cx="50"
      cy="50"
      r="42"
      fill="none"
      stroke="currentColor"
      strokeWidth="10"
      strokeDasharray={`${(circumference * props.percent) / 100} ${circumference}`}
      transform="rotate(-90 50 50)"
      className={props.className}
    />
  )
}

function Line(props: { name: string; value: string; search?: PaymentsSearch }) {
  const amount = <Amount value={props.value} />
  return (
    <div className="flex justify-between gap-4 py-1">
      <dt className="text-muted">{props.name}</dt>
      <dd>{props.search ? <PaymentsLink search={props.search}>{amount}</PaymentsLink> : amount}</dd>
    </div>
  )
}
