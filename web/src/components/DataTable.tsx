import { useNavigate } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { ChevronDown, ChevronUp, Eye } from 'lucide-react'
import { type ComponentProps, type MouseEvent, type ReactNode, useSyncExternalStore } from 'react'
import { useRowTimes } from './Time.tsx'

export type Column<Row> = {
  header: string
  cell: (row: Row) => ReactNode
  align?: 'right'
  /** Hidden from 768 to 1024 px, where another cell shows the value. */
  wideOnly?: boolean
  /** Sort orders for this column. A first click chooses the falling one, or `first`. */
  sorts?: Sorts
}

export type Sorting = { value: string; onChange: (sort: string) => void }

/**
 * A plain table. Below 768 px, `compact` renders each row in two lines; without it, a row becomes a card of labeled
 * lines. Clicking anywhere in a row follows its RowLink.
 */
export function DataTable<Row>(props: {
  label: string
  columns: Column<Row>[]
  rows: Row[]
  keyOf: (row: Row) => string
  compact?: ((row: Row) => ReactNode) | undefined
  sorting?: Sorting | undefined
}) {
  const { columns, rows, keyOf, compact, sorting } = props
  const isPhone = useIsPhone()
  const { rowTimes, rowTime } = useRowTimes()
  if (isPhone && compact)
    return (
      <table aria-label={props.label} className="w-full">
        <thead className="sr-only">
          <tr>
            <th scope="col">{props.label}</th>
          </tr>
        </thead>
        <tbody {...rowTimes}>
          {rows.map((row) => (
            <tr key={keyOf(row)} className="border-hairline border-b last:border-b-0 active:bg-paper">
              <td className="relative px-5 py-2">{compact(row)}</td>
            </tr>
          ))}
        </tbody>
        {rowTime}
      </table>
    )
  return (
    <div className="overflow-x-auto">
      <table aria-label={props.label} className="w-full text-left text-small max-md:block">
        <thead className="max-md:sr-only">
          <tr>
            {columns.map((column) => (
              <th
                key={column.header}
                scope="col"
                aria-sort={sorting && column.sorts && directionOf(column.sorts, sorting.value)}
                className={clsx(
                  'border-hairline border-b px-3 py-2.5 font-medium text-muted first:pl-5 last:pr-5',
                  column.align && 'text-right',
                  column.wideOnly && 'md:max-lg:hidden',
                )}
              >
                {sorting && column.sorts && !isPhone ? (
                  <SortButton column={column} sorts={column.sorts} sorting={sorting} />
                ) : (
                  column.header
                )}
              </th>
            ))}
          </tr>
        </thead>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the link in each row is there for the keyboard */}
        <tbody className="max-md:block" onClick={followRow} {...rowTimes}>
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              className="border-hairline border-b last:border-b-0 hover:bg-paper/60 has-[[data-opens-row]]:cursor-pointer max-md:block max-md:px-5 max-md:py-3"
            >
              {columns.map((column) => (
                <td
                  key={column.header}
                  className={clsx(
                    'h-11 px-3 py-1.5 align-middle first:pl-5 last:pr-5 max-md:flex max-md:h-auto max-md:min-h-8 max-md:items-center max-md:justify-between max-md:gap-4 max-md:px-0! max-md:py-0.5 max-md:text-right',
                    column.align && 'text-right',
                    column.wideOnly && 'md:max-lg:hidden',
                  )}
                >
                  {!compact && <span className="shrink-0 text-left text-muted md:hidden">{column.header}</span>}
                  {/* One box, so that a cell's lines stay together next to the label. */}
                  <div className="min-w-0">{column.cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rowTime}
    </div>
  )
}

const directionOf = ({ falling, rising }: Sorts, sort: string) =>
  sort === falling ? 'descending' : sort === rising ? 'ascending' : 'none'

type Sorts = { falling: string; rising: string; first?: 'rising' }

function SortButton(props: { column: { header: string; align?: 'right' }; sorts: Sorts; sorting: Sorting }) {
  const { column, sorts, sorting } = props
  const direction = directionOf(sorts, sorting.value)
  const next = direction === 'descending' || (direction === 'none' && sorts.first) ? sorts.rising : sorts.falling
  const Icon = direction === 'ascending' ? ChevronUp : ChevronDown
  return (
    <button
      type="button"
      onClick={() => sorting.onChange(next)}
      // The arrow is on the side that keeps the header aligned with its values.
      className={clsx(
        'group -mx-1 inline-flex min-h-6 align-middle items-center gap-1 rounded-sm px-1 font-medium hover:text-ink pointer-coarse:min-h-11',
        column.align && 'flex-row-reverse',
      )}
    >
      {column.header}
      <Icon
        aria-hidden="true"
        className={clsx(
          'size-3.5',
          direction === 'none' && 'opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100',
        )}
      />
    </button>
  )
}

/** Clicks the row's link, unless the click was meant for another control or ended a text selection. */
function followRow(event: MouseEvent<HTMLElement>) {
  const target = event.target as Element
  if (event.defaultPrevented || target.closest('a, button, input, select, label')) return
  const row = target.closest('tr')
  const link = row?.querySelector<HTMLElement>('[data-opens-row]')
  const selection = getSelection()
  if (!link || (selection && !selection.isCollapsed && selection.containsNode(row!, true))) return
  // The link gets the focus, because a dialog that it opens returns the focus to it.
  link.focus({ preventScroll: true })
  const { ctrlKey, metaKey, shiftKey, altKey } = event
  link.dispatchEvent(
    new window.MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey, altKey }),
  )
}

/**
 * A link in a table row to another state of the same page. The router's `Link` recomputes its target on every URL change;
 * with one per row, that dominates the cost of a click. `href` starts with the path. Clicking anywhere in the table row
 * follows the link.
 */
export function RowLink(props: ComponentProps<'a'> & { href: string }) {
  const { href, ...rest } = props
  const navigate = useNavigate()
  return (
    <a
      href={href}
      data-opens-row=""
      {...rest}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
        event.preventDefault()
        navigate({ href })
      }}
    />
  )
}

/**
 * A list row on a phone, at most 72 px high: title and amount on the first line; on the second the notes, time and state.
 * Tapping anywhere follows the link. Long text is truncated.
 */
export function CompactRow(props: {
  href: string
  /** The link's accessible name. */
  label: string
  title: ReactNode
  amount: ReactNode
  /** The first is what differs from row to row. Null entries are left out. */
  notes: (ReactNode | null)[]
  time: ReactNode
  /** Whether the state is a tick, beside which there is room for the time. */
  isDone: boolean
  state: ReactNode
}) {
  const { isDone, time } = props
  const [first = null, ...rest] = props.notes.filter((note) => note !== null)
  const notes = [first, isDone ? null : time, ...rest].filter((note) => note !== null)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3">
      <p className="truncate font-medium">{props.title}</p>
      <p className="text-right">{props.amount}</p>
      <p className="parts text-muted text-small">
        {notes.map((note, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of one sentence
          <span key={i}>{note}</span>
        ))}
      </p>
      <div className="flex items-center justify-end gap-1.5 text-muted text-small">
        {isDone && time}
        {props.state}
      </div>
      <RowLink href={props.href} aria-label={props.label} className="absolute inset-0 outline-offset-[-3px]" />
    </div>
  )
}

/** Below Tailwind's `md`. */
const query = matchMedia('(width < 48rem)')

function subscribe(listener: () => void) {
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

/** For lists that render rows differently on a phone: rendering both versions and hiding one would double the page. */
export const useIsPhone = (): boolean => useSyncExternalStore(subscribe, () => query.matches)

/** Opens the details of a row. */
export const DetailsLink = (props: { href: string; label: string }) => (
  <RowLink
    href={props.href}
    aria-label={props.label}
    title="View details"
    className="inline-flex size-8 items-center justify-center rounded-control text-muted hover:bg-sunken hover:text-ink pointer-coarse:size-11"
  >
    <Eye aria-hidden="true" className="size-4" />
  </RowLink>
)
