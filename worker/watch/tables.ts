import type { Watched } from '#domain/watch.ts'
import type { Address } from '../chain/types.ts'
import { integer, maybeText, oneOf, type RowOf, table, text } from '../durable/table.ts'

/** The tables of a Watch. Times are in ms. */

export const wallet = table(
  'wallet',
  {
    user_id: text(),
    wallet_id: text(),
    kind: oneOf(['smart', 'imported']),
    address: text<Address>(),
    /** Null while it is busy. */
    digest: maybeText(),
    block: integer(),
    added_at: integer(),
    renewed_at: integer(),
    woken_at: integer('DEFAULT 0'),
  },
  { constraints: 'PRIMARY KEY (user_id, wallet_id)', isWithoutRowid: true },
)
export type WatchedRow = RowOf<typeof wallet>

export const toWatched = ({ digest, block, added_at, renewed_at, woken_at }: WatchedRow): Watched => ({
  digest,
  block,
  addedAt: added_at,
  renewedAt: renewed_at,
  wokenAt: woken_at,
})

export const toColumns = ({ digest, block, addedAt, renewedAt, wokenAt }: Watched) => ({
  digest,
  block,
  added_at: addedAt,
  renewed_at: renewedAt,
  woken_at: wokenAt,
})

/** One row: the newest sweep that read all wallets. */
export const sweep = table('sweep', {
  one: integer('PRIMARY KEY CHECK (one = 1)'),
  block: integer(),
  started_at: integer(),
  ended_at: integer(),
  woken: integer(),
})

/** One row, if the node has refused calls for as many wallets as usual. */
export const callSize = table('call_size', {
  one: integer('PRIMARY KEY CHECK (one = 1)'),
  wallets: integer(),
  at: integer(),
})

export const watchTables = [wallet, sweep, callSize]
