import { repeats } from '#domain/runs/repeat.ts'
import { runRowStatuses, runStatuses } from '#domain/runs/runStatus.ts'
import type { RecipientType } from '#domain/scopes.ts'
import type { Address } from '../../../chain/types.ts'
import { integer, maybeInteger, maybeOneOf, maybeText, oneOf, type RowOf, table, text } from '../../../durable/table.ts'

/** Payout runs. domain/runs/runStatus.ts has the states of runs and rows. */
export const run = table(
  'run',
  {
    id: text('PRIMARY KEY'),
    title: text(),
    wallet_id: text('REFERENCES wallet(id)'),
    status: oneOf(runStatuses),
    /** Of its rows and wallet: two runs with the same are the same file. */
    file_hash: text(),
    /** What is decided on; null until all rows are checked. */
    hash: maybeText(),
    rows: integer(),
    /** Rows up to this number are checked. */
    checked: integer('DEFAULT 0'),
    /** Of its rows that wait, reserved in its wallet (I24). */
    held: integer('DEFAULT 0 CHECK (held >= 0)'),
    made_by: text(),
    made_name: maybeText(),
    created_at: integer(),
    submitted_by: maybeText(),
    submitted_name: maybeText(),
    submitted_at: maybeInteger(),
    decided_by: maybeText(),
    decided_name: maybeText(),
    decided_at: maybeInteger(),
    /** Why it was denied. */
    reason: maybeText(),
    /** When it ends without a decision. */
    expires_at: integer(),
    ended_at: maybeInteger(),
    /** Why no further row can be paid now, and until when, if that is known. */
    waits_code: maybeText(),
    waits_text: maybeText(),
    waits_until: maybeInteger(),
    /** The run whose rows it took over, or that it repeats. */
    made_from: maybeText(),
    /** A repetition submits itself once it is checked. */
    submits_itself: integer('DEFAULT 0'),
    repeat_every: maybeOneOf(repeats),
    repeat_left: integer('DEFAULT 0'),
    repeat_at: maybeInteger(),
    /** When that was asked for: each is on this day of its month. */
    repeat_from: maybeInteger(),
    /** The key of its row in idempotency; null if there is none. */
    request_key: maybeText(),
  },
  {
    indexes: `
      CREATE INDEX run_listed ON run (created_at, id);
      CREATE INDEX run_open ON run (status, decided_at) WHERE ended_at IS NULL;
      CREATE INDEX run_held ON run (wallet_id, held) WHERE held > 0;
      CREATE INDEX run_repeat ON run (repeat_at) WHERE repeat_at IS NOT NULL;`,
  },
)
export type RunRow = RowOf<typeof run>

export const runRow = table(
  'run_row',
  {
    run_id: text('REFERENCES run(id)'),
    n: integer(),
    line: integer(),
    /** JSON: the texts of the file. */
    written: text(),
    /** Of the row as it was read; null if it can't be. Exactly one of the three is set. */
    to_type: maybeOneOf<RecipientType>(['address', 'email', 'phone', 'contact', 'x402']),
    to_address: maybeText<Address>(),
    recipient_email: maybeText(),
    recipient_phone: maybeText(),
    contact_id: maybeText(),
    contact_name: maybeText(),
    /** The member who changed the contact, and when. Null: its owner did. */
    contact_by: maybeText(),
    contact_at: maybeInteger(),
    amount: integer('DEFAULT 0'),
    memo: maybeText(),
    reference: maybeText(),
    status: oneOf(runRowStatuses),
    /** JSON: what the account knows of the recipient (runs/checking.ts), from the row's check to that of the whole run. */
    known: maybeText(),
    /** JSON lists of sentences. */
    problems: text("DEFAULT '[]'"),
    warnings: text("DEFAULT '[]'"),
    error_code: maybeText(),
    error_message: maybeText(),
    payment_id: maybeText(),
    /** The row of a later run that took it over. */
    next_run: maybeText(),
    next_n: maybeInteger(),
  },
  {
    constraints: "PRIMARY KEY (run_id, n), CHECK ((status = 'handed_over') = (payment_id IS NOT NULL))",
    isWithoutRowid: true,
    indexes: `
      CREATE INDEX run_row_status ON run_row (run_id, status, n);
      CREATE UNIQUE INDEX run_row_payment ON run_row (payment_id) WHERE payment_id IS NOT NULL;`,
  },
)
export type RunRowRow = RowOf<typeof runRow>
