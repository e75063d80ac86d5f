import { clsx } from 'clsx'
import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from 'react'
import type { gridFor } from './scale.ts'

type Grid = ReturnType<typeof gridFor>
type FrameProps = {
  days: string[]
  /** What the chart is about, for its accessible name. */
  label: string
  /** Above the plot: the figures for all days. */
  summary: ReactNode
  /** The figures of the day at this index. */
  readout: (at: number) => ReactNode
  /** The same as text, for screen readers. */
  readoutText: (at: number) => string
  grid: Grid
  /** The plot: elements that fill it, such as bars or a `Lines`. */
  children: ReactNode
  legend: ReactNode
  table: ReactNode
  /** Fills its container, and has no button for the table. */
  fills?: boolean
}

/**
 * The frame of all daily charts: a summary, the plot with its grid lines and, below it, the first, middle and last day. The pointer
 * and the arrow keys choose a day, whose figures are shown beside it. Screen readers also get all figures from `table`, which
 * everyone else can open.
 */
export function ChartFrame(props: FrameProps) {
  const { days, fills } = props
  const [isTable, setTable] = useState(false)
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <p className={clsx('truncate text-small', fills ? 'min-h-5' : 'min-h-6')}>{props.summary}</p>
      <div className={clsx('flex flex-1 flex-col pt-2', fills && 'min-h-24')}>
        <Plot {...props} />
        <p aria-hidden="true" className="mr-14 flex justify-between text-muted text-small">
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

function Plot(props: FrameProps) {
  const { days, grid, fills } = props
  const [at, setAt] = useState<number | null>(null)
  const last = days.length - 1
  const choose = (index: number) => setAt(Math.min(last, Math.max(0, index)))
  const follow = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    choose(Math.floor(((event.clientX - left) / width) * days.length))
  }
  function onKeyDown(event: KeyboardEvent) {
    const to = { ArrowLeft: (at ?? last + 1) - 1, ArrowRight: (at ?? -1) + 1, Home: 0, End: last }[event.key]
    if (event.key === 'Escape') setAt(null)
    if (to === undefined) return
    event.preventDefault()
    choose(to)
  }
  const marked = at !== null && at <= last ? at : null
  return (
    <div className={clsx('relative flex-1', fills ? 'min-h-0' : 'min-h-44')}>
      {grid.lines.map(({ share, text }) => (
        <div
          key={text}
          aria-hidden="true"
          className="absolute inset-x-0 border-hairline border-t text-right text-muted text-small tabular-nums"
          style={{ top: `${100 - share}%` }}
        >
          {text}
        </div>
      ))}
      <div
        role="slider"
        tabIndex={0}
        aria-label={`${props.label}: day`}
        aria-valuemin={1}
        aria-valuemax={days.length}
        aria-valuenow={(marked ?? last) + 1}
        aria-valuetext={props.readoutText(marked ?? last)}
        className="absolute inset-y-0 right-14 left-0 border-control border-b"
        onPointerMove={follow}
        onPointerDown={follow}
        onPointerLeave={() => setAt(null)}
        onBlur={() => setAt(null)}
        onKeyDown={onKeyDown}
      >
        {marked !== null && (
          <div
            className="absolute inset-y-0 bg-hairline/60"
            style={{ left: `${(marked * 100) / days.length}%`, width: `${100 / days.length}%` }}
          />
        )}
        <div className="absolute inset-0">{props.children}</div>
        {marked !== null && <Readout place={(marked + 0.5) / days.length}>{props.readout(marked)}</Readout>}
      </div>
    </div>
  )
}

/** The figures of a day, beside it on the side with more room. `place`: 0 at the left end of the plot, 1 at the right. */
function Readout(props: { place: number; children: ReactNode }) {
  const percent = `calc(${Math.round((props.place < 0.5 ? props.place : 1 - props.place) * 1000) / 10}% + 8px)`
  return (
    <div
      className="pointer-events-none absolute top-0 z-10 w-max max-w-[min(16rem,60%)] rounded-control border border-hairline bg-card px-2.5 py-1.5 text-small shadow-overlay"
      style={props.place < 0.5 ? { left: percent } : { right: percent }}
    >
      {props.children}
    </div>
  )
}

/** Lines and areas of a plot. One unit is a day wide, and 100 units are its height. */
export const Lines = (props: { days: number; children: ReactNode }) => (
  <svg
    viewBox={`0 0 ${props.days} 100`}
    preserveAspectRatio="none"
    className="pointer-events-none absolute inset-0 size-full overflow-visible"
    aria-hidden="true"
  >
    {props.children}
  </svg>
)

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

const dayFormat = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** '2026-11-20' → 'Nov 20' */
export const dayText = (day: string) => dayFormat.format(new Date(day))
