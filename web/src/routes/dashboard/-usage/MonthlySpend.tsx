import { Amount } from '#web/components/Amount.tsx'
import { Card, Fact } from '#web/components/Card.tsx'
import { PercentRing } from '#web/components/PercentRing.tsx'
import type { Usage } from '#web/queries/usage.ts'

const monthFormat = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' })
const dayFormat = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', year: 'numeric', timeZone: 'UTC' })

/** Spending from all wallets on Base in this UTC month, compared with their session keys' limits. */
export function MonthlySpend(props: { budget: Usage['globalBudget'] }) {
  const { budget } = props
  const starts = new Date(budget.periodStart)
  return (
    <Card aria-labelledby="monthly" className="p-5">
      <h2 id="monthly" className="font-semibold">
        Monthly Account Spend
      </h2>
      <p className="text-muted text-small">
        {monthFormat.format(starts)} · {dayFormat.format(starts)} to{' '}
        {dayFormat.format(Date.parse(budget.periodEnd) - 1)} (UTC)
      </p>
      <div className="mt-4 flex flex-wrap items-center gap-x-8 gap-y-4">
        {budget.percentUsed !== null && <PercentRing percent={budget.percentUsed} className="size-28" />}
        <dl className="min-w-[min(15rem,100%)] flex-1 divide-y divide-hairline">
          <Fact name="Total Spent">
            <Amount value={budget.currentSpent} className="font-semibold" />
          </Fact>
          {budget.remaining !== null && (
            <Fact name="Remaining">
              <Amount value={budget.remaining} />
            </Fact>
          )}
          {budget.limit !== null && (
            <Fact name="Session key limits">
              <Amount value={budget.limit} />
            </Fact>
          )}
          <Fact name="Resets">{dayFormat.format(new Date(budget.periodEnd))}, 00:00 UTC</Fact>
        </dl>
      </div>
      <p className="mt-3 text-muted text-small">
        Reclaimed payouts are not counted here, although they use up a session key’s limit. Months and days here are in
        UTC; the dates of transactions and payouts, and their filters, are in your time zone.
      </p>
    </Card>
  )
}
