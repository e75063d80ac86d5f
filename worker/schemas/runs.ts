import { z } from 'zod'
import type { ChainName } from '#domain/networks.ts'
import type { PaymentStatus } from '#domain/payment.ts'
import type { Repeat } from '#domain/runs/repeat.ts'
import { repeats } from '#domain/runs/repeat.ts'
import type { RunRowStatus, RunStatus } from '#domain/runs/runStatus.ts'
import { reasonText, runTitle } from '#domain/runs/texts.ts'
import { ownerPassword, rowCursor, shownText } from './common.ts'

/**
 * POST /runs: a draft of payments from one wallet. `csv` is the text of a file, `rows` the same as objects with the fields of
 * its columns; `failedOf` takes the rows of an ended run that were not paid. Errors: 400 with the line of a file that can't be
 * read, 409 `same_run` for rows that are a run already, unless `again`; 413 above 256 kB, 429 for too many rows in an hour.
 */
export const CreateRun = z
  .strictObject({
    title: shownText(runTitle),
    walletId: z.string().min(1, 'Choose a wallet').max(64),
    csv: z.string().optional(),
    rows: z.array(z.unknown()).optional(),
    failedOf: z.string().max(64).optional(),
    again: z.boolean().optional(),
  })
  .refine(({ csv, rows, failedOf }) => [csv, rows, failedOf].filter((each) => each !== undefined).length === 1, {
    message: 'Send one of csv, rows and failedOf',
    path: ['csv'],
  })

const hash = z.string().regex(/^[0-9a-f]{64}$/, 'Send the hash of the run that was shown')
/** POST /runs/{id}/approve. `password` is needed if `needsPassword` is set. */
export const ApproveRun = z.strictObject({ hash, password: ownerPassword })
/** POST /runs/{id}/deny. */
export const DenyRun = z.strictObject({ hash, reason: shownText(reasonText).optional() })
/** POST /runs/{id}/repeat. Null ends it. */
export const RepeatRun = z.strictObject({
  repeat: z.strictObject({ every: z.enum(repeats), times: z.int().min(1).max(12) }).nullable(),
})
export const RunsQuery = z.strictObject({
  status: z.enum(['open', 'ended', 'all']).default('all'),
  cursor: rowCursor.optional(),
})
export const rowFilters = ['all', 'problems', 'warnings', 'not_paid'] as const
/** `after`: the number of the last row of the page before. */
export const RunRowsQuery = z.strictObject({
  show: z.enum(rowFilters).default('all'),
  after: z
    .string()
    .regex(/^\d{1,4}$/, 'after must be the number of a row')
    .transform(Number)
    .optional(),
})

/** Who acted. `name` is that of the time. */
export type RunPerson = { id: string; name: string | null }
/** A number of rows and their sum in decimal USDC. */
export type RowSum = { rows: number; amount: string }

/** A payout run in the list. Times are ISO 8601, amounts decimal USDC. */
export type RunItem = {
  id: string
  title: string
  status: RunStatus
  wallet: { id: string; name: string | null; address: string; chain: ChainName }
  /** Rows of the file, those of them that were checked, and those with an error, which are left out. */
  rows: number
  checked: number
  leftOut: number
  warnings: number
  /** Different people among the rows that are not left out. */
  people: number
  /** Of the rows that are not left out. It is the sum of the four below at every moment (I24). */
  total: RowSum
  waiting: RowSum
  released: RowSum
  failed: RowSum
  handedOver: RowSum
  /**
   * Of the rows handed over: payments on their way, payouts that wait for their recipient, payments that arrived, and those that
   * ended without paying.
   */
  onTheirWay: RowSum
  awaitingClaim: RowSum
  paid: RowSum
  notPaid: RowSum
  /** What this run does, in one sentence; while it is a draft or waits. */
  sentence: string | null
  /** `isAgent`: an agent has prepared it, with the name that the agent had then. */
  madeBy: RunPerson & { isAgent: boolean }
  createdAt: string
  submittedBy: RunPerson | null
  submittedAt: string | null
  decidedBy: RunPerson | null
  decidedAt: string | null
  /** Why it was denied. */
  reason: string | null
  /** Without a decision by then it ends. Null once it was decided. */
  expiresAt: string | null
  endedAt: string | null
  /** Why no further payment starts at the moment; `until` if that is known. Only while it is RUNNING. */
  waitsFor: { code: string; message: string; until: string | null } | null
  /** Covers everything to decide on. Null until all rows are checked. */
  hash: string | null
  /** What approving it now would do; null unless it waits. */
  wouldPass: { ok: true } | { ok: false; code: string; message: string } | null
  needsPassword: boolean
  /** The run whose rows it took, or that it repeats. */
  madeFrom: { id: string; title: string } | null
  repeat: { every: Repeat; left: number; nextAt: string } | null
}
/** `payableAgain`: rows that *Pay failed rows again* would take now. */
export type Run = RunItem & { payableAgain: number }
/** GET /runs, newest first. `next` is the cursor of the page after this one. */
export type RunList = { runs: RunItem[]; next: string | null }

/** A row, and what became of it. */
export type RunRow = {
  n: number
  /** Of the file, from 1; of `rows`, the position in the list. */
  line: number
  /** As the file has it. */
  written: { to: string; amount: string; name: string; memo: string; reference: string }
  /** Who would be paid: the address, mailbox or phone number. Null for a row that can't be read. */
  recipient: string | null
  contactName: string | null
  amount: string | null
  status: RunRowStatus
  /** Why it is left out. */
  problems: string[]
  warnings: string[]
  /** Why it failed. */
  error: { code: string; message: string } | null
  payment: { id: string; status: PaymentStatus; txHash: string | null } | null
  /** The row of a later run that took it over. */
  successor: { runId: string; n: number } | null
}
/** GET /runs/{id}/rows. `next` is the number to pass as `after`; null on the last page. */
export type RunRows = { rows: RunRow[]; next: number | null }
