import type { PaymentStatus } from '#domain/payment.ts'
import { runRowText, runStatusText } from '#domain/runs/words.ts'
import { formatAmount, formatMoment, plural } from '#web/lib/format.ts'
import { unitOf } from '#web/lib/networks.ts'
import type { Tone } from '#web/lib/tone.ts'
import type { RowSum, Run, RunItem, RunRow } from '#web/queries/runs.ts'
import { other } from '../../-shell/pages.ts'

export const runPath = (runId: string) => other(`runs/${runId}`)

const tones: Record<Run['status'], Tone> = {
  ...{ DRAFT: 'neutral', WAITING: 'waiting', RUNNING: 'waiting', DONE: 'good' },
  ...{ STOPPED: 'neutral', DENIED: 'bad', EXPIRED: 'neutral', CANCELLED: 'neutral' },
}
export const stateOf = ({ status }: RunItem): { label: string; tone: Tone } => ({
  label: runStatusText[status],
  tone: tones[status],
})

/** '410.00 USDC' */
export const totalOf = ({ total, wallet }: RunItem) => `${formatAmount(total.amount)} ${unitOf(wallet.chain)}`

/** 'you', the person's name, or 'somebody'; 'the agent Ada' for an agent. */
export function personText(person: Run['madeBy'] | Run['decidedBy'], myId: string | null): string {
  if (person === null) return ''
  if ('isAgent' in person && person.isAgent) return `the agent ${person.name ?? ''}`.trim()
  return person.id === myId ? 'you' : (person.name ?? 'somebody')
}

/** An agent has prepared it, its rows are checked, and it is a person's turn. */
export const isPrepared = ({ status, madeBy, hash, total }: RunItem): boolean =>
  status === 'DRAFT' && madeBy.isAgent && hash !== null && total.rows > 0

export const hasStarted = ({ status }: Run) => status === 'RUNNING' || status === 'DONE' || status === 'STOPPED'

/** Rows that ended without paying, whatever the reason. */
export const unpaidRows = ({ failed, released, notPaid }: RunItem): number => failed.rows + released.rows + notPaid.rows

/** What takes its unpaid rows into a new run. */
export const againText = (run: Run): string =>
  hasStarted(run)
    ? `Pay ${plural(run.payableAgain, 'failed row')} again`
    : `Start again with ${plural(run.payableAgain, 'row')}`

/** What became of a run; empty while it is open. */
export function outcomeText(run: Run, myId: string | null): string {
  const by = run.decidedBy === null ? '' : ` by ${personText(run.decidedBy, myId)}`
  switch (run.status) {
    case 'DRAFT':
    case 'WAITING':
      return ''
    case 'RUNNING':
      return `Approved${by}.`
    case 'DONE':
      return `Approved${by}. ${paidText(run)}`
    case 'STOPPED':
      return `Stopped. Rows that were still waiting are not paid. ${paidText(run)}`
    case 'DENIED':
      return `Denied${by}. Nothing was paid.`
    case 'EXPIRED':
      return 'Nobody decided in time. Nothing was paid.'
    case 'CANCELLED':
      return 'Cancelled. Nothing was paid.'
  }
}

function paidText({ paid, total, awaitingClaim }: Run): string {
  if (paid.rows === total.rows) return total.rows === 1 ? 'The payment has arrived.' : 'All payments have arrived.'
  const claimable = awaitingClaim.rows > 0 ? `, and ${awaitingClaim.rows} can be claimed` : ''
  return `${paid.rows} of ${plural(total.rows, 'payment')} ${paid.rows === 1 ? 'has' : 'have'} arrived${claimable}.`
}

/** 'The day’s gas is used up. It goes on by itself: Nov 30, 2026, 12:00 AM UTC.' */
export function waitsText({ message, until }: NonNullable<Run['waitsFor']>): string {
  return until === null ? message : `${message} The run goes on by itself on ${formatMoment(until)}.`
}

export type State = { name: string; sum: RowSum; color: string }

/** How far the rows are, in the order of the bar. Names are those of the rows. */
export const statesOf = (run: Run): State[] =>
  [
    { name: runRowText('handed_over', 'CONFIRMED'), sum: run.paid, color: 'bg-green' },
    { name: runRowText('handed_over', 'PENDING'), sum: run.awaitingClaim, color: 'bg-green/45' },
    { name: runRowText('handed_over', 'QUEUED'), sum: run.onTheirWay, color: 'bg-amber' },
    { name: runRowText('waiting', null), sum: run.waiting, color: 'border border-control bg-sunken' },
    { name: runRowText('failed', null), sum: run.failed, color: 'bg-red' },
    { name: runRowText('handed_over', 'FAILED'), sum: run.notPaid, color: 'bg-red/60' },
    { name: runRowText('released', null), sum: run.released, color: 'bg-ink/60' },
  ].filter(({ sum }) => sum.rows > 0)

/** The state of a row. Null before the run is decided: what is said then are the row's verdicts. */
export function rowState(row: RunRow): { label: string; tone: Tone } | null {
  if (row.status === 'waiting') return null
  const label = runRowText(row.status, row.payment?.status ?? null)
  return { label, tone: row.status === 'handed_over' ? toneOf(row.payment?.status) : endTones[row.status] }
}
const endTones = { left_out: 'bad', failed: 'bad', released: 'neutral' } as const

function toneOf(status: PaymentStatus | undefined): Tone {
  if (status === 'CONFIRMED') return 'good'
  return status === 'FAILED' || status === 'CANCELLED' ? 'bad' : 'waiting'
}

/** Whom a row pays: the contact's name, or else what the file says. */
export const nameOfRow = ({ contactName, written, recipient }: RunRow): string =>
  contactName ?? (written.name || recipient || written.to || 'No recipient')
