import { clsx } from 'clsx'

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
