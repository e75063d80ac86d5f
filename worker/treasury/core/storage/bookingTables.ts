import type { BookedEvent, PayoutStatus } from '#domain/payment.ts'
import type { MovementOrigin } from '#schemas/transaction.ts'
import type { Address, Hex } from '../../../chain/types.ts'
import { integer, maybeInteger, maybeText, oneOf, type RowOf, rowid, table, text } from '../../../durable/table.ts'

/** Logs that are in the books, so that reading a range again books nothing twice. */
const bookedLog = table(
  'booked_log',
  {
    wallet_id: text(),
    block: integer(),
    /** -1: the sum of the block's small deposits, which are booked together. */
    log_index: integer(),
    dust: maybeInteger(),
  },
  { constraints: 'PRIMARY KEY (wallet_id, block, log_index)', isWithoutRowid: true },
)

/**
 * Money that moved without a payment: rows of the transaction list. Ids name the place on chain, so that reading it again after a
 * restore makes the same rows. The balance of a wallet when it was added is its first deposit.
 */
const movement = table(
  'movement',
  {
    id: text('PRIMARY KEY'),
    wallet_id: text(),
    kind: oneOf(['deposit', 'withdrawal']),
    origin: oneOf<MovementOrigin>(['transfer', 'small', 'start', 'owner']),
    amount: integer('CHECK (amount > 0)'),
    /** The sender of a deposit or the recipient of a withdrawal; null if several were listed together. */
    address: maybeText<Address>(),
    tx: maybeText<Hex>(),
    at: integer(),
    /** The owner's withdrawal that it was. */
    action_id: maybeText('UNIQUE'),
  },
  {
    isWithoutRowid: true,
    indexes: `
      CREATE TRIGGER wallet_started AFTER INSERT ON wallet WHEN NEW.start_balance > 0 BEGIN
        INSERT INTO movement (id, wallet_id, kind, origin, amount, at)
          VALUES ('mov_' || NEW.id || '_start', NEW.id, 'deposit', 'start', NEW.start_balance, NEW.created_at);
        INSERT OR REPLACE INTO change (ref) VALUES ('mov_' || NEW.id || '_start');
      END;`,
  },
)
export type MovementRow = RowOf<typeof movement>

/** What one log did to the books. Undone, newest first, if its block leaves the chain before it is final. */
const booking = table(
  'booking',
  {
    seq: rowid(),
    wallet_id: text(),
    block: integer(),
    log_index: integer(),
    block_hash: text<Hex>(),
    tx: text<Hex>(),
    kind: oneOf<'deposited' | 'returned' | 'left' | 'announced' | BookedEvent>([
      ...(['deposited', 'returned', 'left', 'paid', 'funded', 'announced', 'withdrawn', 'reclaimed'] as const),
    ]),
    /** Micro-USDC. */
    value: integer(),
    /** The payment or payout, or the movement. */
    ref: maybeText(),
    /** The payout's. */
    status_before: maybeText<PayoutStatus>(),
  },
  { indexes: 'CREATE INDEX booking_block ON booking (wallet_id, block, log_index);' },
)
export type BookingRow = RowOf<typeof booking>

export const bookingTables = [bookedLog, movement, booking] as const
