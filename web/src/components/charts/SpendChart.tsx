import { formatUsdc } from '#domain/money.ts'
import type { Spending, SpendingSeries } from '#schemas/usage.ts'
import { microOf } from '#web/lib/amounts.ts'
import { formatAmount, plural } from '#web/lib/format.ts'
import { type Chain, unitOf } from '#web/lib/networks.ts'
import { ChartFrame, ChartTable, colorOf, dayText, largest } from './ChartFrame.tsx'

/** Spending per day as stacked bars, split by agent or by group. */
export function SpendChart(props: { spending: Spending; by: 'agent' | 'group'; chain: Chain; fills?: boolean }) {
  const { spending, by, chain, fills } = props
  const { days, series } = spending
  const parts = series.map(({ amounts }) => amounts.map(microOf))
  const totals = days.map((_, day) => parts.reduce<bigint>((sum, amounts) => sum + amounts[day]!, 0n))
  const most = largest(totals)
  const all = totals.reduce((sum, total) => sum + total, 0n)
  const count = series.reduce((sum, one) => sum + one.count, 0)
  const unit = unitOf(chain)
  if (count === 0)
    return (
      <p className={fills ? 'm-auto text-muted' : 'py-16 text-center text-muted'}>
        Nothing spent in the last {days.length} days.
      </p>
    )
  const usd = (amount: bigint) => `$${formatAmount(formatUsdc(amount))}`
  /** Percent of the plot's height, with two decimals. */
  const share = (amount: bigint) => (most === 0n ? 0 : Number((amount * 10_000n) / most) / 100)
  return (
    <ChartFrame
      days={days}
      {...(fills && { fills })}
      top={usd(most)}
      readout={(at) =>
        at === null ? (
          <>
            <span className="font-semibold">{usd(all)}</span>{' '}
            <span className="text-muted">
              {unit} in {plural(count, 'payment')}
            </span>
          </>
        ) : (
          <>
            {dayText(days[at]!)}: <span className="font-semibold">{usd(totals[at]!)}</span>
            <span className="text-muted">
              {series
                .filter(({ amounts }) => amounts[at] !== '0')
                .map(({ name, amounts }, i) => `${i === 0 ? ' · ' : ', '}${name} $${formatAmount(amounts[at]!)}`)}
            </span>
          </>
        )
      }
      legend={<Legend series={series} isSmall={fills === true} />}
      table={
        <ChartTable
          caption={`Spent per day by ${by}, in ${unit}`}
          columns={[...series.map(({ name }) => name), 'Total']}
          rows={days
            .map((day, i) => ({
              name: dayText(day),
              cells: [...series.map(({ amounts }) => formatAmount(amounts[i]!)), formatAmount(formatUsdc(totals[i]!))],
            }))
            .reverse()}
        />
      }
    >
      {days.map((day, i) => {
        let below = 0n
        return series.map(({ kind }, n) => {
          const amount = parts[n]![i]!
          if (amount === 0n) return null
          const y = 100 - share(below + amount)
          below += amount
          return (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts do not move
              key={`${day} ${n}`}
              x={i + 0.12}
              width={0.76}
              y={y}
              // Even the smallest payment stays visible.
              height={Math.max(0.8, share(amount))}
              fill={colorOf(kind, n)}
              stroke="var(--card)"
              strokeWidth={1}
              vectorEffect="non-scaling-stroke"
            />
          )
        })
      })}
    </ChartFrame>
  )
}

const Legend = (props: { series: SpendingSeries[]; isSmall: boolean }) => (
  <ul aria-label="Series" className="mt-2 flex flex-wrap gap-x-5 gap-y-1 text-small">
    {props.series.map(({ id, kind, name, total }, i) => (
      <li key={id ?? kind} className="flex min-w-0 items-center gap-1.5">
        <span
          aria-hidden="true"
          className="size-2.5 shrink-0 rounded-xs"
          style={{ backgroundColor: colorOf(kind, i) }}
        />
        <span className="max-w-40 truncate">{name}</span>
        {!props.isSmall && <span className="text-muted tabular-nums">${formatAmount(total)}</span>}
      </li>
    ))}
  </ul>
)
