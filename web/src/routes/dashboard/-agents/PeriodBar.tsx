import { budgetLevel } from '#web/components/BudgetRing.tsx'
import type { PolicyGroup } from '#web/queries/agents.ts'
import { periodNow } from './policyWords.ts'

/** 'This week $103.80 of $250.00', as a bar. */
export function PeriodBar({ group }: { group: PolicyGroup }) {
  const now = periodNow(group)
  if (!now) return null
  return (
    <div data-testid="period-budget" className="mb-2 max-w-[560px] last:mb-0">
      <p className="flex flex-wrap justify-between gap-x-3">
        <span>{now.words}</span>
        <span className="text-muted text-small">{now.resets}</span>
      </p>
      {/* The text above has the same figures. */}
      <div aria-hidden="true" className="mt-1 h-1.5 overflow-hidden rounded-full bg-sunken">
        <div
          className={`h-full rounded-full bg-current ${budgetLevel(now.percent).color}`}
          style={{ width: `${Math.min(100, now.percent)}%` }}
        />
      </div>
    </div>
  )
}
