import type { ReactNode } from 'react'

/** Rows with a name on the left and a figure on the right. */
export const Rows = (props: { children: ReactNode }) => (
  <ul className="flex flex-1 flex-col divide-y divide-hairline *:max-h-18 *:flex-1">{props.children}</ul>
)
export function Row(props: { name: ReactNode; note?: ReactNode; children: ReactNode }) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-0.5 py-2">
      <div className="min-w-0">
        <p className="min-w-0">{props.name}</p>
        {props.note && <p className="text-muted text-small">{props.note}</p>}
      </div>
      <div className="text-right text-small">{props.children}</div>
    </li>
  )
}
