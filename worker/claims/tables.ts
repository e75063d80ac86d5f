import { integer, maybeInteger, type RowOf, table, text } from '../durable/table.ts'

/** The tables of a ClaimDesk. Times are in ms. */

export const desk = table('desk', {
  id: integer('PRIMARY KEY CHECK (id = 1)'),
  /** JSON of DeskView. */
  view: text(),
  wrong_total: integer('DEFAULT 0'),
  wrong_now: integer('DEFAULT 0'),
  locked_until: integer('DEFAULT 0'),
  counted_version: integer('DEFAULT 0'),
  /** How many new codes the desk has sent after too many wrong ones, when the last one was due, and when the next one is. */
  new_codes: integer('DEFAULT 0'),
  new_code_last_at: integer('DEFAULT 0'),
  new_code_due_at: maybeInteger(),
})
export type DeskRow = RowOf<typeof desk>

export const session = table('session', {
  hash: text('PRIMARY KEY'),
  code_version: integer(),
  expires_at: integer(),
})

export const claimDeskTables = [desk, session]
