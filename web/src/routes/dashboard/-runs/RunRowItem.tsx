import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { CircleAlert, TriangleAlert } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import { Amount } from '#web/components/Amount.tsx'
import { Chip, Tick } from '#web/components/Chip.tsx'
import { RowLink } from '#web/components/DataTable.tsx'
import { linkClass } from '#web/components/Links.tsx'
import type { Chain } from '#web/lib/networks.ts'
import type { RunRow } from '#web/queries/runs.ts'
import { nameOfRow, rowState, runPath } from './words.ts'

/**
 * One row: whom it pays, what is noticeable about it, and how far it is. Rows out of view are not laid out, so that a
 * thousand of them scroll as ten do; their height is kept once it is known.
 */
export const RunRowItem = memo(function RunRowItem(props: { row: RunRow; chain: Chain; isDecided: boolean }) {
  const { row, chain } = props
  const { payment, written } = row
  const name = nameOfRow(row)
  const recipient = row.recipient ?? written.to
  const isNamed = name !== recipient
  const notes = [written.memo, written.reference].filter(Boolean).join(' · ')
  return (
    <li className="relative break-inside-avoid border-hairline border-b px-5 py-2.5 last:border-b-0 has-[[data-opens-row]]:hover:bg-paper/60 content-auto print:px-0">
      <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 sm:grid-cols-[3rem_minmax(0,1fr)_auto_9.5rem]">
        <p className="text-muted text-small max-sm:hidden" title="Line of the file">
          <span className="sr-only">Line </span>
          {row.line}
        </p>
        <div className="min-w-0 max-sm:contents">
          {isNamed ? (
            <p className="wrap-anywhere font-medium">{name}</p>
          ) : (
            <p className="text-muted text-small sm:hidden">Line {row.line}</p>
          )}
          {recipient && <Recipient text={recipient} isName={!isNamed} />}
          <p className="wrap-anywhere text-muted text-small max-sm:row-start-3">
            {isNamed && <span className="sm:hidden">{notes ? `Line ${row.line} · ` : `Line ${row.line}`}</span>}
            <span>{notes}</span>
          </p>
        </div>
        <p className="text-right max-sm:col-start-2 max-sm:row-start-1">
          {row.amount === null ? (
            <span className="wrap-anywhere text-muted">{written.amount.slice(0, 24) || 'No amount'}</span>
          ) : (
            <Amount value={row.amount} chain={chain} />
          )}
        </p>
        <div className="text-right text-small max-sm:col-start-2 max-sm:row-start-3">
          <State row={row} isDecided={props.isDecided} />
        </div>
      </div>
      <Verdicts row={row} />
      {payment && (
        <RowLink
          href={`/dashboard/transactions?detail=${payment.id}`}
          aria-label={`View payment of line ${row.line}: ${name}`}
          className="absolute inset-0 outline-offset-[-3px]"
        />
      )}
    </li>
  )
})

/** In full: this is what is decided on. */
const Recipient = ({ text, isName }: { text: string; isName: boolean }) => (
  <p
    translate="no"
    className={clsx(
      'wrap-anywhere max-sm:col-span-2 max-sm:row-start-2',
      text.startsWith('0x') && 'font-mono text-[11px] leading-6 sm:text-[12px]',
      isName ? 'font-medium' : 'text-muted text-small',
    )}
  >
    {text}
  </p>
)

function State({ row, isDecided }: { row: RunRow; isDecided: boolean }) {
  const state = rowState(row)
  if (state === null) return isDecided ? <span className="text-muted">Waiting</span> : null
  return state.tone === 'good' ? <Tick inWords>{state.label}</Tick> : <Chip tone={state.tone}>{state.label}</Chip>
}

function Verdicts({ row }: { row: RunRow }) {
  const problems = [...row.problems, ...(row.error ? [row.error.message] : [])]
  if (problems.length === 0 && row.warnings.length === 0 && !row.successor) return null
  return (
    <ul className="mt-1 space-y-0.5 text-small sm:pl-16">
      {problems.map((text) => (
        <Verdict key={text} icon={<CircleAlert aria-label="Problem" className="mt-0.5 size-4 shrink-0 text-red" />}>
          <span className="text-red">{text}</span>
        </Verdict>
      ))}
      {row.warnings.map((text) => (
        <Verdict key={text} icon={<TriangleAlert aria-label="Warning" className="mt-0.5 size-4 shrink-0 text-amber" />}>
          <span className="text-muted">{text}</span>
        </Verdict>
      ))}
      {row.successor && (
        <li className="relative z-1">
          <Link to={runPath(row.successor.runId)} className={linkClass}>
            Taken over by a later run
          </Link>
        </li>
      )}
    </ul>
  )
}

const Verdict = (props: { icon: ReactNode; children: ReactNode }) => (
  <li className="wrap-anywhere flex items-start gap-2">
    {props.icon}
    {props.children}
  </li>
)
