import { formatUsdc } from '#domain/money.ts'
import type { Spending, SpendingSeries } from '#schemas/usage.ts'
import { microOf } from '#web/lib/amounts.ts'
import { formatAmount, plural } from '#web/lib/format.ts'
import { type Chain, unitOf } from '#web/lib/networks.ts'
import { AgentLink } from '../AgentLink.tsx'
import { PaymentsLink, type PaymentsSearch } from '../PaymentsLink.tsx'
import { ChartFrame, ChartTable, dayText, Lines } from './ChartFrame.tsx'
import { colorsOf, gridFor, largest, shareOf } from './scale.ts'

/** Spending per day as stacked bars, split by agent or by group. */
export function SpendChart(props: {
  spending: Spending
  by: 'agent' | 'group'
  chain: Chain
  /** If it is about one wallet. */
  walletId?: string | undefined
  fills?: boolean
}) {
  const { spending, by, chain, walletId, fills } = props
  const { days, series } = spending
  const search = { spent: `${days[0]}..${days.at(-1)}`, ...(walletId !== undefined && { wallet: walletId }) }
  const parts = series.map(({ amounts }) => amounts.map(microOf))
  const totals = days.map((_, day) => parts.reduce<bigint>((sum, amounts) => sum + amounts[day]!, 0n))
  const before = spending.previous.map(microOf)
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
  const grid = gridFor(largest([...totals, ...before]))
  const colors = colorsOf(series)
  const earlier = before.reduce((sum, amount) => sum + amount, 0n)
  return (
    <ChartFrame
      days={days}
      {...(fills && { fills })}
      label={`Spent per day by ${by}`}
      grid={grid}
      summary={
        <>
          <span className="font-semibold">{usd(all)}</span>{' '}
          <span className="text-muted">
            {unit} in{' '}
            <PaymentsLink search={search} chain={chain}>
              {plural(count, 'payment')}
            </PaymentsLink>
          </span>
        </>
      }
      readoutText={(at) => `${dayText(days[at]!)}: ${usd(totals[at]!)}`}
      readout={(at) => (
        <>
          <p>
            {dayText(days[at]!)}: <span className="font-semibold">{usd(totals[at]!)}</span>
          </p>
          {series.map(({ id, kind, name, amounts }, n) =>
            amounts[at] === '0' ? null : (
              <p key={id ?? kind} className="flex items-center gap-1.5 text-muted">
                <Swatch color={colors[n]!} />
                <span className="truncate">{name}</span> ${formatAmount(amounts[at]!)}
              </p>
            ),
          )}
          {earlier > 0n && (
            <p className="text-muted">
              {days.length} days before: {usd(before[at]!)}
            </p>
          )}
        </>
      )}
      legend={
        <Legend
          series={series}
          colors={colors}
          isSmall={fills === true}
          search={search}
          chain={chain}
          before={earlier > 0n ? `The ${days.length} days before: ${usd(earlier)}` : null}
        />
      }
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
      {days.map((day, i) => (
        <Bar
          key={day}
          x={i / days.length}
          width={1 / days.length}
          height={shareOf(totals[i]!, grid.top)}
          parts={parts.map((amounts, n) => ({ amount: amounts[i]!, color: colors[n]! }))}
        />
      ))}
      {earlier > 0n && (
        <Lines days={days.length}>
          <path
            d={before
              .map((amount, i) => `${i === 0 ? 'M' : 'L'}${i} ${100 - shareOf(amount, grid.top)}H${i + 1}`)
              .join('')}
            fill="none"
            stroke="var(--muted)"
            strokeWidth={1}
            strokeDasharray="3 3"
            vectorEffect="non-scaling-stroke"
          />
        </Lines>
      )}
    </ChartFrame>
  )
}

/** The bar of one day: its parts on each other, with a rounded top. Lengths are parts of the plot's width, `height` percent. */
function Bar(props: { x: number; width: number; height: number; parts: { amount: bigint; color: string }[] }) {
  const parts = props.parts.filter(({ amount }) => amount > 0n)
  if (parts.length === 0) return null
  return (
    <div
      data-testid="bar"
      className="absolute bottom-0 flex min-h-px flex-col-reverse gap-px overflow-hidden rounded-t-[2px]"
      style={{
        left: `${(props.x + props.width * 0.12) * 100}%`,
        width: `${props.width * 76}%`,
        height: `${props.height}%`,
      }}
    >
      {parts.map(({ amount, color }, i) => (
        // Even the smallest payment stays visible.
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts do not move
        <div key={i} className="min-h-px" style={{ flex: `${Number(amount)} 1 0`, backgroundColor: color }} />
      ))}
    </div>
  )
}

const Swatch = (props: { color: string }) => (
  <span aria-hidden="true" className="size-2.5 shrink-0 rounded-xs" style={{ backgroundColor: props.color }} />
)

/** Whose payments a series adds up; null for those that are combined. */
const searchOf = ({ kind, id }: SpendingSeries): PaymentsSearch | null =>
  kind === 'user'
    ? { sender: 'user' }
    : kind === 'others' || id === null
      ? null
      : kind === 'agent'
        ? { sender: id }
        : { group: id }

/** A name, and what it spent. The sum leads to its payments; an agent's name to the agent, whose page has them too. */
function Series(props: { series: SpendingSeries; isSmall: boolean; search: PaymentsSearch; chain: Chain }) {
  const { name, kind, id, total } = props.series
  const own = searchOf(props.series)
  const look = 'max-w-40 truncate rounded-sm hover:underline'
  const payments = (className: string, text: string) =>
    own ? (
      <PaymentsLink search={{ ...props.search, ...own }} chain={props.chain} className={className}>
        {text}
      </PaymentsLink>
    ) : (
      <span className={className}>{text}</span>
    )
  const sum = `$${formatAmount(total)}`
  return (
    <>
      {kind === 'agent' && id !== null ? (
        <AgentLink id={id} className={look}>
          {name}
        </AgentLink>
      ) : (
        payments(look, name)
      )}
      {!props.isSmall && payments('text-muted tabular-nums hover:underline', sum)}
    </>
  )
}

function Legend(props: {
  series: SpendingSeries[]
  colors: string[]
  isSmall: boolean
  search: PaymentsSearch
  chain: Chain
  /** About the days before; null if nothing was spent then. */
  before: string | null
}) {
  return (
    <ul aria-label="Series" className="mt-2 flex flex-wrap gap-x-5 gap-y-1 text-small">
      {props.series.map((series, i) => (
        <li key={series.id ?? series.kind} className="flex min-w-0 items-center gap-1.5">
          <Swatch color={props.colors[i]!} />
          <Series series={series} isSmall={props.isSmall} search={props.search} chain={props.chain} />
        </li>
      ))}
      {props.before && !props.isSmall && (
        <li className="flex items-center gap-1.5 text-muted">
          <span aria-hidden="true" className="h-0 w-4 border-muted border-t border-dashed" />
          {props.before}
        </li>
      )}
    </ul>
  )
}
