import { clsx } from 'clsx'
import { type PointerEvent, type ReactNode, useState } from 'react'

/**
 * The frame of all daily charts: a readout for the day under the pointer, the plot, and below it the first, middle and
 * last day. Screen readers skip the plot and get its figures from `table`, which everyone else can open.
 */
export function ChartFrame(props: {
  days: string[]
  /** Renders the readout for the day at an index, or for all days (null). */
  readout: (at: number | null) => ReactNode
  /** Label of the top of the plot. */
  top: string
  /** SVG content, one unit wide per day and 100 units high, stretched to fit. */
  children: ReactNode
  legend: ReactNode
  table: ReactNode
  /** Fills its container, and has no button for the table. */
  fills?: boolean
}) {
  const { days, fills } = props
  const [at, setAt] = useState<number | null>(null)
  const [isTable, setTable] = useState(false)
  const follow = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    const index = Math.floor(((event.clientX - left) / width) * days.length)
    setAt(Math.min(days.length - 1, Math.max(0, index)))
  }
  const marked = at !== null && at < days.length ? at : null
  return (
    <div className={clsx('relative flex min-h-0 flex-col', fills && 'flex-1')}>
      <p className={clsx('truncate text-small', fills ? 'min-h-5' : 'min-h-6')} aria-hidden={marked !== null}>
        {props.readout(marked)}
      </p>
      <div aria-hidden="true" className={clsx('flex flex-col', fills && 'min-h-24 flex-1')}>
        <p className="border-hairline border-b text-right text-muted text-small tabular-nums">{props.top}</p>
        <div
          className={clsx('relative border-control border-b', fills ? 'min-h-0 flex-1' : 'h-44')}
          onPointerMove={follow}
          onPointerDown={follow}
          onPointerLeave={() => setAt(null)}
        >
          {marked !== null && (
            <div
              className="absolute inset-y-0 bg-hairline/60"
              style={{ left: `${(marked * 100) / days.length}%`, width: `${100 / days.length}%` }}
            />
          )}
          <svg
            viewBox={`0 0 ${days.length} 100`}
            preserveAspectRatio="none"
            className="absolute inset-0 size-full"
            aria-hidden="true"
          >
            {props.children}
          </svg>
        </div>
        <p className="flex justify-between text-muted text-small">
          <span>{dayText(days[0]!)}</span>
          {days.length > 2 && <span>{dayText(days[Math.floor((days.length - 1) / 2)]!)}</span>}
          <span>{dayText(days.at(-1)!)}</span>
        </p>
      </div>
      {props.legend}
      {!fills && (
        <button
          type="button"
          aria-pressed={isTable}
          onClick={() => setTable(!isTable)}
          className="mt-2 w-fit rounded-sm text-green text-small underline underline-offset-3 pointer-coarse:min-h-11"
        >
          {isTable ? 'Hide table' : 'Show as table'}
        </button>
      )}
      {isTable ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
        <div tabIndex={0} className="mt-3 max-h-96 overflow-auto rounded-sm">
          {props.table}
        </div>
      ) : (
        <div className="sr-only">{props.table}</div>
      )}
    </div>
  )
}

/** The figures of a chart: a row for each day, the newest first. */
export function ChartTable(props: { caption: string; columns: string[]; rows: { name: string; cells: string[] }[] }) {
  const cell = 'whitespace-nowrap border-hairline border-b py-1.5 pr-4 last:pr-0'
  return (
    <table className="w-full text-small">
      <caption className="sr-only">{props.caption}</caption>
      <thead>
        <tr>
          <th scope="col" className={clsx(cell, 'text-left font-medium text-muted')}>
            Day (UTC)
          </th>
          {props.columns.map((column, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two agents may share a name
            <th key={i} scope="col" className={clsx(cell, 'text-right font-medium text-muted')}>
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {props.rows.map(({ name, cells }) => (
          <tr key={name}>
            <th scope="row" className={clsx(cell, 'text-left font-normal')}>
              {name}
            </th>
            {cells.map((text, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the columns do not move
              <td key={i} className={clsx(cell, 'text-right tabular-nums')}>
                {text}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Colors of series, each with a contrast of at least 3:1 on a card. Names are always shown next to them. */
const colors = ['#1f6f4a', '#3f6b8f', '#9a5b00', '#7a4b7d', '#b5603c', '#6f7a1f']
const otherColor = '#85887e' // for all further series together

export const colorOf = (kind: string, index: number): string =>
  kind === 'others' ? otherColor : (colors[index] ?? otherColor)

const dayFormat = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** '2026-11-20' → 'Nov 20' */
export const dayText = (day: string) => dayFormat.format(new Date(day))

/** The largest amount; zero if there are none. */
export function largest(amounts: readonly bigint[]): bigint {
  let most = 0n
  for (const amount of amounts) if (amount > most) most = amount
  return most
}
