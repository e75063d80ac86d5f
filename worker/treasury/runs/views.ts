import { encodeRowCursor } from '#domain/lists.ts'
import { formatUsdc, type MicroUsdc } from '#domain/money.ts'
import { chainNameOf } from '#domain/networks.ts'
import type { PaymentStatus } from '#domain/payment.ts'
import { forecastRun, type RowKind } from '#domain/runs/forecast.ts'
import { runSentence } from '#domain/runs/sentence.ts'
import { isoOf } from '#domain/time.ts'
import { checksumAddress } from '#domain/validators.ts'
import type { RowSum, RunRow as RowView, Run, RunItem, RunList, RunPerson, RunRows } from '#schemas/runs.ts'
import type { Context } from '../core/context.ts'
import { formatColumn } from '../core/storage/columns.ts'
import type { RunRow, RunRowRow } from '../core/storage/rows.ts'
import { wouldNeedPassword } from '../limits/ownerPassword.ts'
import { runAllowance } from '../limits/runAllowance.ts'
import { payableAgain } from './again.ts'
import { refusalNow } from './decide.ts'
import { preparerOf } from './groupRules.ts'
import { outcomeOf, recipientOfRow, sumsOf, totalOf } from './rows.ts'
import type { RunRowsInput, RunsInput } from './rpcTypes.ts'

/** What the list and the page of a run show. */
export const runView = (ctx: Context, run: RunRow): Run => ({
  ...runItem(ctx, run),
  payableAgain: payableAgain(ctx.store, run.id)?.length ?? 0,
})

function runItem(ctx: Context, run: RunRow): RunItem {
  const { store } = ctx
  const sums = sumsOf(store, run.id)
  const outcome = outcomeOf(store, run.id)
  const wallet = store.wallet(run.wallet_id)!
  const { waiting, released, failed, handed_over } = sums
  const isOpen = run.status === 'DRAFT' || run.status === 'WAITING'
  const refused = run.status === 'WAITING' ? refusalNow(ctx, run) : null
  const from = run.made_from === null ? null : store.payoutRun(run.made_from)
  const total = totalOf(sums)
  return {
    ...{ id: run.id, title: run.title, status: run.status },
    wallet: { id: wallet.id, name: wallet.name, address: wallet.address, chain: chainNameOf(wallet.chain_id) },
    ...{ rows: run.rows, checked: run.checked, leftOut: sums.left_out.rows },
    warnings: store.count("run_row WHERE run_id = ? AND warnings <> '[]' AND status <> 'left_out'", run.id),
    people: peopleIn(ctx, run.id),
    total: sumView(total),
    ...{ waiting: sumView(waiting), released: sumView(released) },
    ...{ failed: sumView(failed), handedOver: sumView(handed_over) },
    ...{ onTheirWay: sumView(outcome.onTheirWay), awaitingClaim: sumView(outcome.awaitingClaim) },
    ...{ paid: sumView(outcome.paid), notPaid: sumView(outcome.notPaid) },
    sentence: isOpen && run.hash !== null ? sentenceOf(ctx, run, total.amount) : null,
    madeBy: { id: run.made_by, name: run.made_name, isAgent: preparerOf(store, run) !== null },
    ...{ createdAt: isoOf(run.created_at) },
    ...{ submittedBy: personView(run.submitted_by, run.submitted_name), submittedAt: isoOf(run.submitted_at) },
    ...{ decidedBy: personView(run.decided_by, run.decided_name), decidedAt: isoOf(run.decided_at) },
    reason: run.reason,
    expiresAt: isOpen ? isoOf(run.expires_at) : null,
    endedAt: isoOf(run.ended_at),
    waitsFor:
      run.waits_code === null
        ? null
        : { code: run.waits_code, message: run.waits_text!, until: isoOf(run.waits_until) },
    hash: run.hash,
    wouldPass:
      run.status !== 'WAITING'
        ? null
        : refused === null
          ? { ok: true }
          : { ok: false, code: refused.code, message: refused.message },
    needsPassword: run.status === 'WAITING' && wouldNeedPassword(ctx, total.amount),
    madeFrom: from && { id: from.id, title: from.title },
    repeat:
      run.repeat_every === null
        ? null
        : { every: run.repeat_every, left: run.repeat_left, nextAt: isoOf(run.repeat_at!) },
  }
}

const sumView = ({ rows, amount }: { rows: number; amount: MicroUsdc }): RowSum => ({
  rows,
  amount: formatUsdc(amount),
})

const personView = (id: string | null, name: string | null): RunPerson | null => (id === null ? null : { id, name })

const peopleIn = ({ store }: Context, runId: string): number =>
  store.first<{ n: number }>(
    `SELECT count(DISTINCT coalesce(lower(to_address), recipient_email, recipient_phone)) AS n FROM run_row
     WHERE run_id = ? AND status <> 'left_out'`,
    runId,
  )!.n

/** '80 payments, 410.00 USDC, to 78 people; 2 rows are left out; done in about a minute' */
export function sentenceOf(ctx: Context, run: RunRow, total: MicroUsdc): string {
  const { store, now } = ctx
  const rows = store
    .all<{ kind: RowKind }>(
      `SELECT CASE WHEN to_address IS NOT NULL THEN 'send' WHEN recipient_email IS NOT NULL THEN 'email' ELSE 'sms' END AS kind
       FROM run_row WHERE run_id = ? AND status = 'waiting' ORDER BY n`,
      run.id,
    )
    .map(({ kind }) => kind)
  const payments = rows.length
  const summary = { payments, total, recipients: peopleIn(ctx, run.id), leftOut: run.rows - payments }
  return runSentence(summary, forecastRun({ rows, total }, runAllowance(ctx), now()), now())
}

const pageSize = 20

/** Newest first. */
export function listRuns(ctx: Context, { status, after }: RunsInput): RunList {
  const where = { open: 'ended_at IS NULL', ended: 'ended_at IS NOT NULL', all: '1' }[status]
  const found = ctx.store.all<RunRow>(
    `SELECT * FROM run WHERE ${where} AND (created_at, id) < (?, ?) ORDER BY created_at DESC, id DESC LIMIT ?`,
    after?.at ?? Number.MAX_SAFE_INTEGER,
    after?.id ?? '',
    pageSize + 1,
  )
  const rows = found.slice(0, pageSize)
  const last = rows.at(-1)
  const next = last && found.length > pageSize ? encodeRowCursor({ at: last.created_at, id: last.id }) : null
  return { runs: rows.map((row) => runItem(ctx, row)), next }
}

/** Rows per page; the page of a run adds them as it is scrolled. */
const rowsPerPage = 200

const shownRows: Record<RunRowsInput['show'], string> = {
  all: '1',
  problems: "problems <> '[]'",
  warnings: "warnings <> '[]'",
  not_paid: "(run_row.status IN ('failed', 'released') OR payment.status IN ('FAILED', 'CANCELLED'))",
}

type Shown = RunRowRow & { paid_status: PaymentStatus | null; paid_tx: string | null }

const rowQuery = `SELECT run_row.*, payment.status AS paid_status, payment.tx_hash AS paid_tx
  FROM run_row LEFT JOIN payment ON payment.id = run_row.payment_id WHERE run_row.run_id = ?`

export function rowsPage({ store }: Context, runId: string, { show, after }: RunRowsInput): RunRows {
  const found = store.all<Shown>(
    `${rowQuery} AND n > ? AND ${shownRows[show]} ORDER BY n LIMIT ?`,
    ...[runId, after ?? 0, rowsPerPage + 1],
  )
  const rows = found.slice(0, rowsPerPage)
  return { rows: rows.map(rowView), next: found.length > rowsPerPage ? rows.at(-1)!.n : null }
}

/** All rows, for a CSV. */
export const allRows = ({ store }: Context, runId: string): RowView[] =>
  store.all<Shown>(`${rowQuery} ORDER BY n`, runId).map(rowView)

const rowView = (row: Shown): RowView => ({
  ...{ n: row.n, line: row.line, written: JSON.parse(row.written) as RowView['written'] },
  recipient: row.to_address === null ? recipientOfRow(row) : checksumAddress(row.to_address),
  contactName: row.contact_name,
  amount: row.amount === 0 ? null : formatColumn(row.amount),
  status: row.status,
  problems: JSON.parse(row.problems) as string[],
  warnings: JSON.parse(row.warnings) as string[],
  error: row.error_code === null ? null : { code: row.error_code, message: row.error_message! },
  payment: row.payment_id === null ? null : { id: row.payment_id, status: row.paid_status!, txHash: row.paid_tx },
  successor: row.next_run === null ? null : { runId: row.next_run, n: row.next_n! },
})
