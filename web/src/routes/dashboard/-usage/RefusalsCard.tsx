import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Period } from '#domain/periods.ts'
import { AgentLink } from '#web/components/AgentLink.tsx'
import { TitledCard } from '#web/components/Card.tsx'
import { PeriodChoice } from '#web/components/charts/SpanChoice.tsx'
import { Loaded, SkeletonRows } from '#web/components/states.tsx'
import { plural } from '#web/lib/format.ts'
import { refusalsQuery } from '#web/queries/answers.ts'
import { RuleSumRow } from './RuleSumRow.tsx'

const refreshMs = 30_000 // 30 seconds

/** What rules refused, by rule and agent, and what would have let it pass. */
export default function RefusalsCard(props: { period: Period; onPeriod: (period: Period) => void }) {
  const { period } = props
  const refusals = useQuery({
    ...refusalsQuery({ period }),
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  })
  return (
    <TitledCard
      id="refusals"
      title="Refusals"
      note="By rule and agent · refusals are kept for 30 days"
      aside={<PeriodChoice period={period} onPeriod={props.onPeriod} />}
    >
      <Loaded query={refusals} loading={<SkeletonRows rows={3} />}>
        {(data) =>
          data.rows.length === 0 ? (
            <p className="py-10 text-center text-muted">No rule refused a payment this {period}.</p>
          ) : (
            <div aria-busy={refusals.isPlaceholderData} className="transition-opacity aria-busy:opacity-60">
              <ul aria-label="Refusals by rule and agent" className="divide-y divide-hairline">
                {data.rows.map((row) => (
                  <RuleSumRow
                    key={`${row.agentId} ${row.chain} ${row.rules}`}
                    sum={row}
                    agentId={row.agentId}
                    days={data.days}
                    by={
                      <AgentLink id={row.agentId} className="wrap-anywhere rounded-sm hover:underline">
                        <bdi>{row.agentName}</bdi>
                      </AgentLink>
                    }
                  />
                ))}
              </ul>
              {data.others > 0 && (
                <p className="mt-2 text-muted text-small">and {plural(data.others, 'other refusal')}</p>
              )}
            </div>
          )
        }
      </Loaded>
    </TitledCard>
  )
}
