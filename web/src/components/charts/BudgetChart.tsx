import type { BudgetHistory } from '#schemas/usage.ts'
import { microOf } from '#web/lib/amounts.ts'
import { formatAmount } from '#web/lib/format.ts'
import { ChartFrame, ChartTable, dayText, Lines } from './ChartFrame.tsx'
import { gridFor, largest, shareOf } from './scale.ts'

const limitText = (limit: string | null) => (limit === null ? 'no limit' : `$${formatAmount(limit)}`)

type Day = BudgetHistory['days'][number]

const figuresOf = ({ limit, spent }: Day) => (
  <>
    <span className="font-semibold">${formatAmount(spent)}</span>{' '}
    <span className="text-muted">spent, {limit === null ? limitText(limit) : `limit ${limitText(limit)}`}</span>
  </>
)

/**
 * A budget's limit as a line, and the total spent by the end of each day as an area. The first day is only a sentence: one
 * point makes no line.
 */
export function BudgetChart(props: { days: Day[] }) {
  const { days } = props
  const table = (
    <ChartTable
      caption="Limit and spent at the end of each day, in USDC"
      columns={['Limit', 'Spent']}
      rows={days
        .map(({ day, limit, spent }) => ({
          name: dayText(day),
          cells: [limit === null ? 'None' : formatAmount(limit), formatAmount(spent)],
        }))
        .reverse()}
    />
  )
  if (days.length === 1)
    return (
      <>
        <p className="text-small">Now: {figuresOf(days[0]!)}</p>
        <p className="text-muted text-small">A chart appears on the second day.</p>
        <div className="sr-only">{table}</div>
      </>
    )
  const amounts = days.flatMap(({ limit, spent }) => [microOf(spent), ...(limit === null ? [] : [microOf(limit)])])
  const grid = gridFor(largest(amounts))
  const yOf = (amount: string) => 100 - shareOf(microOf(amount), grid.top)
  const area = days.map(({ spent }, i) => `L${i} ${yOf(spent)}H${i + 1}`).join('')
  const limit = days
    .map(({ limit: at }, i) => {
      if (at === null) return ''
      const joined = i > 0 && days[i - 1]!.limit !== null
      return `${joined ? 'L' : 'M'}${i} ${yOf(at)}H${i + 1}`
    })
    .join('')
  const last = days.length - 1
  return (
    <ChartFrame
      days={days.map(({ day }) => day)}
      label="Budget"
      grid={grid}
      summary={<>Now: {figuresOf(days[last]!)}</>}
      readoutText={(at) => `${dayText(days[at]!.day)}: $${formatAmount(days[at]!.spent)} spent`}
      readout={(at) => (
        <>
          {dayText(days[at]!.day)}: {figuresOf(days[at]!)}
        </>
      )}
      legend={
        <ul aria-label="Lines" className="mt-2 flex flex-wrap gap-x-5 text-small">
          <li className="flex items-center gap-1.5">
            <span aria-hidden="true" className="h-0 w-4 border-ink border-t-2 border-dashed" /> Limit
          </li>
          <li className="flex items-center gap-1.5">
            <span aria-hidden="true" className="h-2.5 w-4 border-green border-t-2 bg-green-tint" /> Spent
          </li>
        </ul>
      }
      table={table}
    >
      <Lines days={days.length}>
        <path d={`M0 100${area}V100Z`} fill="var(--green-tint)" />
        <path
          d={`M0 ${yOf(days[0]!.spent)}${area}`}
          fill="none"
          stroke="var(--green)"
          strokeWidth={2}
          vectorEffect="non-scaling-stroke"
        />
        <path
          d={limit || 'M0 0'}
          fill="none"
          stroke="var(--ink)"
          strokeWidth={2}
          strokeDasharray="5 4"
          vectorEffect="non-scaling-stroke"
        />
      </Lines>
    </ChartFrame>
  )
}
