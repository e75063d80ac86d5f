import { integer, maybeInteger, maybeText, rowid, table, text } from '../../../durable/table.ts'

/** Values of the account that fit no table (meta.ts). */
const meta = table('meta', { key: text('PRIMARY KEY'), value: text() }, { isWithoutRowid: true })

/** Login sessions of the owner that have ended in the last hour. */
const endedSession = table('ended_session', { id: text('PRIMARY KEY'), at: integer() }, { isWithoutRowid: true })

/** What History copies. */
const change = table('change', {
  /** The number of the last change. Numbers only rise, so the newest row is never deleted. */
  seq: rowid(),
  /** A payment, or a value that is kept (delivery/recoverableRows.ts). */
  ref: text('UNIQUE'),
})

/**
 * Refs of what D1, the ClaimDesks and the mailer do not have yet; contents are read from the rows. Failing entries have their own
 * delays and do not hold up the others.
 */
const outbox = table(
  'outbox',
  { kind: text(), ref: text(), seq: integer(), failures: integer('DEFAULT 0'), due_at: integer('DEFAULT 0') },
  { constraints: 'PRIMARY KEY (kind, ref)', isWithoutRowid: true },
)

/** The owner as D1 has them, so that D1 can be rebuilt. */
const owner = table('owner', {
  one: integer('PRIMARY KEY CHECK (one = 1)'),
  email: text(),
  name: maybeText(),
  status: text(),
  temporary_since: maybeInteger(),
  public_address: maybeText(),
  region: maybeText(),
  /** When their password was chosen. */
  password_at: integer(),
  created_at: integer(),
  updated_at: integer(),
})

export const objectTables = [meta, endedSession, change, outbox, owner] as const
