import { kindOf } from '#domain/kinds/kinds.ts'
import { dayMs } from '#domain/time.ts'
import { integer, table, text } from '../../../durable/table.ts'
import { byKind } from './kindSql.ts'
import type { PaymentRow, PayoutRow } from './paymentTables.ts'
import { isOpenPayout } from './statuses.ts'

/**
 * What was spent, and what is in escrow. Adding up payments would read as many as there are, so tables have the sums. Triggers
 * keep them, because payments are confirmed, undone and restored in many places.
 */

/** When a confirmed payment was spent (ms); null for others. A restored payment may have no time. */
export const spentAtOf = (payment: PaymentRow, payout: PayoutRow | null): number | null =>
  payment.status !== 'CONFIRMED'
    ? null
    : kindOf(payment).spentWhen === 'confirmed'
      ? payment.confirmed_at
      : (payout?.done_at ?? null)

/** The same in SQL, for the confirmed payment `row`. */
const spentAt = (row: string) => {
  const times = {
    confirmed: `${row}.confirmed_at`,
    withdrawn: `(SELECT done_at FROM payout WHERE id = ${row}.id)`,
  }
  return byKind(`${row}.kind`, ({ spentWhen }) => times[spentWhen])
}

/** UTC day on which it was spent. */
const spentDay = (row: string) => `${spentAt(row)} / ${dayMs}`

/** Adds the payment `row` to the sums, or with `-` takes it out of them. A restored payment may have no day. */
const change = (row: string, sign: '+' | '-') => `
    INSERT INTO wallet_sum (wallet_id, spent, escrowed) VALUES (${row}.wallet_id, ${sign}${row}.amount, 0)
      ON CONFLICT DO UPDATE SET spent = spent + excluded.spent;
    INSERT INTO spent_day (day, wallet_id, group_id, agent_id, n, amount)
      SELECT ${spentDay(row)}, ${row}.wallet_id, coalesce(${row}.group_id, ''), coalesce(${row}.agent_id, ''), ${sign}1, ${sign}${row}.amount
      WHERE ${spentDay(row)} IS NOT NULL
      ON CONFLICT DO UPDATE SET n = n + excluded.n, amount = amount + excluded.amount;`

const inEscrow = (row: string) => `${row}.amount * (${row}.funded = 1 AND ${row}.${isOpenPayout})`

const escrow = (amount: string) => `
    INSERT INTO wallet_sum (wallet_id, spent, escrowed) VALUES (NEW.wallet_id, 0, ${amount})
      ON CONFLICT DO UPDATE SET escrowed = escrowed + excluded.escrowed;`

/** Money that left with confirmed payments on each day. `group_id` and `agent_id` are '' for the owner's own. */
const spentDayTable = table(
  'spent_day',
  { day: integer(), wallet_id: text(), group_id: text(), agent_id: text(), n: integer(), amount: integer() },
  { constraints: 'PRIMARY KEY (day, wallet_id, group_id, agent_id)', isWithoutRowid: true },
)

const walletSum = table(
  'wallet_sum',
  {
    wallet_id: text('PRIMARY KEY'),
    /** By confirmed payments. */
    spent: integer(),
    /** In payouts that are funded and have not ended. */
    escrowed: integer(),
  },
  {
    isWithoutRowid: true,
    indexes: `
      CREATE TRIGGER payment_added_spent AFTER INSERT ON payment WHEN NEW.status = 'CONFIRMED' BEGIN ${change('NEW', '+')}
      END;
      CREATE TRIGGER payment_spent AFTER UPDATE OF status ON payment
        WHEN NEW.status = 'CONFIRMED' AND OLD.status <> 'CONFIRMED' BEGIN ${change('NEW', '+')}
      END;
      CREATE TRIGGER payment_unspent AFTER UPDATE OF status ON payment
        WHEN OLD.status = 'CONFIRMED' AND NEW.status <> 'CONFIRMED' BEGIN ${change('OLD', '-')}
      END;
      CREATE TRIGGER payout_added_escrowed AFTER INSERT ON payout WHEN ${inEscrow('NEW')} > 0 BEGIN ${escrow(inEscrow('NEW'))}
      END;
      CREATE TRIGGER payout_escrowed AFTER UPDATE OF status, funded ON payout
        WHEN ${inEscrow('NEW')} <> ${inEscrow('OLD')} BEGIN ${escrow(`${inEscrow('NEW')} - ${inEscrow('OLD')}`)}
      END;`,
  },
)

export const spentSumTables = [spentDayTable, walletSum] as const
