import { clsx } from 'clsx'
import type { ReactNode } from 'react'

export type Column<Row> = {
  header: string
  cell: (row: Row) => ReactNode
  align?: 'right'
  /** Without its label on narrow screens. */
  bare?: boolean
  /** Hidden from 768 to 1024 px, where another cell shows the value. */
  wideOnly?: boolean
}

/** A plain table; below 768 px each row becomes a card of labelled lines. */
export function DataTable<Row>(props: {
  label: string
  columns: Column<Row>[]
  rows: Row[]
  keyOf: (row: Row) => string
}) {
  return (
    <div className="overflow-x-auto">
      <table aria-label={props.label} className="w-full text-left text-small max-md:block">
        <thead className="max-md:sr-only">
          <tr>
            {props.columns.map((column) => (
              <th
                key={column.header}
                scope="col"
                className={clsx(
                  'border-hairline border-b px-3 py-2.5 font-medium text-muted first:pl-5 last:pr-5',
                  column.align && 'text-right',
                  column.wideOnly && 'md:max-lg:hidden',
                )}
              >
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-md:block">
          {props.rows.map((row) => (
            <tr
              key={props.keyOf(row)}
              className="border-hairline border-b last:border-b-0 hover:bg-paper/60 max-md:block max-md:px-5 max-md:py-3"
            >
              {props.columns.map((column) => (
                <td
                  key={column.header}
                  className={clsx(
                    'h-11 px-3 py-1.5 align-middle first:pl-5 last:pr-5 max-md:flex max-md:h-auto max-md:min-h-8 max-md:items-center max-md:justify-between max-md:gap-4 max-md:px-0! max-md:py-0.5 max-md:text-right',
                    column.align && 'text-right',
                    column.wideOnly && 'md:max-lg:hidden',
                  )}
                >
                  {!column.bare && <span className="shrink-0 text-left text-muted md:hidden">{column.header}</span>}
                  {/* One box, so that the lines of a cell stay together beside the label. */}
                  <div className={clsx('min-w-0', column.bare && 'max-md:ml-auto')}>{column.cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
