import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Download, Printer } from 'lucide-react'
import { type ReactNode, type RefObject, useState } from 'react'
import { toast } from 'react-hot-toast/headless'
import { Amount } from '#web/components/Amount.tsx'
import { Button } from '#web/components/Button.tsx'
import { Card, Fact } from '#web/components/Card.tsx'
import { linkClass } from '#web/components/Links.tsx'
import { May } from '#web/components/May.tsx'
import { Notice } from '#web/components/Notice.tsx'
import { Time } from '#web/components/Time.tsx'
import { messageOf } from '#web/lib/apiError.ts'
import { formatMoment, plural } from '#web/lib/format.ts'
import { networkWarning } from '#web/lib/networks.ts'
import { saveFile } from '#web/lib/saveFile.ts'
import { useSession } from '#web/lib/session.ts'
import { useAction } from '#web/lib/useAction.ts'
import { exportRun, isChecked, type Run } from '#web/queries/runs.ts'
import { walletName } from '#web/queries/wallets.ts'
import { other } from '../../-shell/pages.ts'
import { printRun } from './print.ts'
import { RunActs } from './RunActs.tsx'
import { useShownRows } from './RunRows.tsx'
import { RunState } from './RunState.tsx'
import { hasStarted, outcomeText, personText, runPath, statesOf, waitsText } from './words.ts'

/** What the run is, how far it is, and who did what. */
export function RunHead({ run, heading }: { run: Run; heading: RefObject<HTMLHeadingElement | null> }) {
  const outcome = outcomeText(run, useSession().user?.id ?? null)
  return (
    <Card aria-labelledby="run" className="mb-5 p-5 print:border-0 print:p-0">
      <div className="mb-3 flex items-start justify-between gap-x-4">
        <div className="min-w-0">
          <RunState run={run} />
          <h1 id="run" ref={heading} tabIndex={-1} className="wrap-anywhere mt-1 font-semibold text-title outline-none">
            {run.title}
          </h1>
          {isChecked(run) && (
            <>
              <p>
                <Amount value={run.total.amount} chain={run.wallet.chain} className="font-semibold text-figure" />
              </p>
              <p className="text-muted">
                {plural(run.total.rows, 'payment')} to {plural(run.people, 'person', 'people')}
              </p>
            </>
          )}
        </div>
        {isChecked(run) && <Files run={run} />}
      </div>
      <div className="space-y-4">
        <p role="status" className="empty:hidden">
          {outcome}
        </p>
        {run.reason && (
          <blockquote className="wrap-anywhere whitespace-pre-wrap border-control border-l-2 pl-3">
            {run.reason}
          </blockquote>
        )}
        {run.waitsFor && <Notice tone="warning">{waitsText(run.waitsFor)}</Notice>}
        {!isChecked(run) && run.status === 'DRAFT' && <Checking run={run} />}
        {hasStarted(run) && <Progress run={run} />}
        <LeftOut run={run} />
        <RunActs run={run} />
        <Facts run={run} />
      </div>
    </Card>
  )
}

function Files({ run }: { run: Run }) {
  const show = useShownRows()
  const [isPrinting, setPrinting] = useState(false)
  const save = useAction(() => exportRun(run.id), {
    fallback: 'The file could not be created. Please try again.',
    onDone: (file) => saveFile(file, `${run.title.replace(/[^\p{L}\p{N} ._-]/gu, '_')}.csv`),
    onFailed: (_, message) => void toast.error(message),
  })
  const print = async () => {
    setPrinting(true)
    await printRun(run.id, show).catch((error) => toast.error(messageOf(error, 'The rows could not be loaded.')))
    setPrinting(false)
  }
  return (
    <div className="flex gap-2 print:hidden">
      <Button look="secondary" className="relative" busy={save.busy} onClick={() => save.start()}>
        <Download aria-hidden="true" className="size-4" />
        <span className="max-sm:sr-only">Export CSV</span>
      </Button>
      <Button look="secondary" className="relative" busy={isPrinting} onClick={print}>
        <Printer aria-hidden="true" className="size-4" />
        <span className="max-sm:sr-only">Print</span>
      </Button>
    </div>
  )
}

/** '340 of 1,000 rows checked', as a bar. */
function Checking({ run: { checked, rows } }: { run: Run }) {
  const text = `${checked.toLocaleString('en-US')} of ${plural(rows, 'row')} checked`
  return (
    <div className="max-w-[560px]">
      <p id="checking" role="status">
        {text}
      </p>
      <div
        role="progressbar"
        aria-labelledby="checking"
        aria-valuemin={0}
        aria-valuemax={rows}
        aria-valuenow={checked}
        className="mt-1 h-2 overflow-hidden rounded-full bg-sunken"
      >
        <div
          className="h-full rounded-full bg-green transition-[width] duration-180"
          style={{ width: `${rows === 0 ? 0 : (100 * checked) / rows}%` }}
        />
      </div>
      <p className="mt-2 text-muted text-small">You can leave this page: the check goes on.</p>
    </div>
  )
}

/** How many rows are in which state, as a bar and in words. */
function Progress({ run }: { run: Run }) {
  const states = statesOf(run)
  return (
    <div>
      {/* The list below has the same figures. */}
      <div aria-hidden="true" className="flex h-2.5 gap-px overflow-hidden rounded-full bg-sunken print:hidden">
        {states.map(({ name, sum, color }) => (
          <div
            key={name}
            className={clsx('min-w-1 transition-[flex-grow] duration-180', color, 'border-0')}
            style={{ flex: `${sum.rows} 0 0` }}
          />
        ))}
      </div>
      <ul aria-label="Payments by state" className="mt-3 grid gap-x-8 gap-y-1 sm:grid-cols-2 lg:grid-cols-3">
        {states.map(({ name, sum, color }) => (
          <li key={name} className="flex items-center gap-2">
            <span aria-hidden="true" className={clsx('size-2.5 shrink-0 rounded-full', color)} />
            <span>{name}</span>
            <span className="text-muted">{sum.rows.toLocaleString('en-US')}</span>
            <span className="ml-auto">
              <Amount value={sum.amount} chain={run.wallet.chain} />
            </span>
          </li>
        ))}
      </ul>
      {run.handedOver.rows > 0 && (
        <p className="mt-2 print:hidden">
          <Link to="/dashboard/transactions" search={{ run: run.id }} className={linkClass}>
            See its payments in Transactions
          </Link>
        </p>
      )}
    </div>
  )
}

/** What to do about rows with a problem, while that can still be done. */
function LeftOut({ run }: { run: Run }) {
  if (run.leftOut === 0 || !isChecked(run) || run.status !== 'DRAFT') return null
  const isOne = run.leftOut === 1
  return (
    <Notice tone="warning">
      {plural(run.leftOut, 'row')} {isOne ? 'has a problem and is' : 'have a problem and are'} left out.
      <May call="runs.create">
        {' '}
        Fix {isOne ? 'it' : 'them'} in the file and{' '}
        <Link to={other('runs')} search={{ instead: run.id } as never} className={linkClass}>
          upload it in place of this draft
        </Link>
        , or go on without {isOne ? 'it' : 'them'}.
      </May>
    </Notice>
  )
}

function Facts({ run }: { run: Run }) {
  const { wallet, madeBy, submittedBy, decidedBy, madeFrom, repeat } = run
  return (
    <dl className="grid gap-x-12 border-hairline border-t pt-1 sm:grid-cols-2">
      <Fact name="From wallet">{walletName(wallet)}</Fact>
      <Fact name="Network">{networkWarning(wallet.chain)}</Fact>
      <Act name={madeBy.isAgent ? 'Prepared' : 'Made'} by={madeBy} at={run.createdAt} />
      {submittedBy && run.submittedAt && <Act name="Submitted" by={submittedBy} at={run.submittedAt} />}
      {decidedBy && run.decidedAt && (
        <Act name={run.status === 'DENIED' ? 'Denied' : 'Approved'} by={decidedBy} at={run.decidedAt} />
      )}
      {run.endedAt && run.status !== 'DENIED' && (
        <Fact name="Ended">
          <Time iso={run.endedAt} />
        </Fact>
      )}
      {run.expiresAt && (
        <Fact name={run.status === 'DRAFT' ? 'Kept until' : 'Decide until'}>{formatMoment(run.expiresAt)}</Fact>
      )}
      {madeFrom && (
        <Fact name="Made from">
          <Link to={runPath(madeFrom.id)} className={linkClass}>
            {madeFrom.title}
          </Link>
        </Fact>
      )}
      {repeat && (
        <Fact name="Repeats">
          every {repeat.every}, {repeat.left} more {repeat.left === 1 ? 'time' : 'times'}; next{' '}
          {formatMoment(repeat.nextAt)}
        </Fact>
      )}
    </dl>
  )
}

function Act(props: { name: string; by: Run['madeBy'] | NonNullable<Run['decidedBy']>; at: string }): ReactNode {
  const myId = useSession().user?.id ?? null
  return (
    <Fact name={props.name}>
      by {personText(props.by, myId)}, <Time iso={props.at} />
    </Fact>
  )
}
