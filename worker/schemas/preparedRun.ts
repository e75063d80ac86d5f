import { z } from 'zod'
import { maxPreparedRows, tooManyPreparedRows } from '#domain/runs/prepared.ts'
import { runStatuses } from '#domain/runs/runStatus.ts'
import { runTitle } from '#domain/runs/texts.ts'
import { shownText } from './common.ts'
import { instant, usdc } from './payment.ts'

/** The contract of /v1/runs and of the MCP tools: payout runs that an agent prepares and a person decides about. */

const note = (description: string) => z.string().optional().describe(description)

/** A row as it is written: what is wrong with its texts is a verdict, not an error of the request. */
const PreparedRow = z
  .strictObject({
    to: z.string().meta({
      description:
        'An address (0x…), an email address, a phone number (+…), or contact:NAME for a contact of your policy group.',
      examples: ['ada@example.com'],
    }),
    amount: z.string().meta({ description: 'Decimal USDC, with a point.', examples: ['12.5'] }),
    name: note('Shown with the row; no part of the payment.'),
    memo: note('For the owner’s records.'),
    reference: note('An invoice or order number. No two rows may have the same.'),
  })
  .meta({ title: 'One payment' })

/** POST /v1/runs. Exactly one of `rows` and `csv`. */
export const PrepareRun = z.strictObject({
  title: shownText(runTitle).meta({
    description: 'What the payments are for, in at most 80 characters. The person who decides reads it.',
    examples: ['Salaries November'],
  }),
  rows: z
    .array(PreparedRow)
    .max(maxPreparedRows, tooManyPreparedRows)
    .optional()
    .describe(`The payments, at most ${maxPreparedRows}. Send either this or csv.`),
  csv: z
    .string()
    .optional()
    .describe('Instead of rows: the text of a CSV file with the columns to, amount, name, memo, reference.'),
  replaces: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe('A draft of yours that this run replaces, such as one with errors. It is cancelled.'),
  again: z
    .boolean()
    .optional()
    .describe('Set it only if rows that are a run already (same_run) are to be paid once more on purpose.'),
})
export type PrepareRun = z.output<typeof PrepareRun>

const verdictLevels = ['error', 'warning', 'not_paid'] as const

/** The agent's view of its run. Rows without a verdict are as they should be. */
export const PayoutRun = z.object({
  id: z.string(),
  object: z.literal('payout_run'),
  status: z
    .enum(runStatuses)
    .describe(
      'DRAFT: a person has to submit it. WAITING: a person has to decide. RUNNING: approved, being paid. DONE, STOPPED, DENIED, EXPIRED and CANCELLED are final.',
    ),
  title: z.string(),
  checked: z.boolean().describe('Whether all rows are checked. Until then verdicts are missing.'),
  rows: z.int().describe('Rows that were sent.'),
  left_out: z.int().describe('Rows with an error, which are never paid.'),
  payments: z.int().describe('The other rows.'),
  amount: usdc.describe('Sum of these payments. Decimal USDC.'),
  summary: z.string().nullable().describe('What approving it does, in one sentence; null once it was decided.'),
  verdicts: z
    .array(
      z.object({
        row: z.int().describe('From 1.'),
        line: z.int().describe('Line of the CSV; of rows, the same as row.'),
        to: z.string(),
        amount: z.string(),
        level: z
          .enum(verdictLevels)
          .describe('error: left out. warning: paid, but worth a look. not_paid: it ended without paying.'),
        detail: z.string().describe('A sentence for people.'),
      }),
    )
    .describe('Only rows about which there is something to say: first errors, then warnings.'),
  progress: z
    .object({ paid: z.int(), awaiting_claim: z.int(), on_their_way: z.int(), waiting: z.int(), not_paid: z.int() })
    .describe('Number of payments by what became of them.'),
  reason: z.string().nullable().describe('Why it was denied, if the person has said so.'),
  url: z
    .string()
    .meta({ format: 'uri' })
    .describe('Page where a signed-in person submits and decides. Opening it does neither.'),
  next: z.string().nullable().describe('What to do next; null once it has ended.'),
  created_at: instant,
  decided_at: instant.nullable(),
  expires_at: instant.nullable().describe('When it ends without a decision; null once it was decided.'),
  ended_at: instant.nullable(),
})
export type PayoutRun = z.infer<typeof PayoutRun>

export const PayoutRunId = z.string().min(1).max(64).describe('The id that POST /v1/runs returned.')
