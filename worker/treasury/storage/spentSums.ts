import { dayMs } from '#domain/time.ts'
import { isOpenPayout } from './statuses.ts'

/**
 * What was spent, and what is in escrow. Adding up payments would read as many as there are, so tables have the sums. Triggers
 * keep them, because payments are confirmed, undone and restored in many places.
 */

/** UTC day on which it was spent: a send when it was confirmed, a payout when its recipient withdrew it, not when it was funded. */
const spentDay = (row: string) =>
  `CASE ${row}.kind WHEN 'send' THEN ${row}.confirmed_at ELSE (SELECT done_at FROM payout WHERE id = ${row}.id) END / ${dayMs}`

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

export const spentSumTables = `
  -- Money that left with confirmed payments on each day. group_id and agent_id are '' for the owner's own.
  CREATE TABLE spent_day (
    day INTEGER NOT NULL, wallet_id TEXT NOT NULL, group_id TEXT NOT NULL, agent_id TEXT NOT NULL,
    n INTEGER NOT NULL, amount INTEGER NOT NULL, PRIMARY KEY (day, wallet_id, group_id, agent_id)
  ) WITHOUT ROWID;
  -- spent: by confirmed payments. escrowed: in payouts that are funded and have not ended.
  CREATE TABLE wallet_sum (wallet_id TEXT PRIMARY KEY, spent INTEGER NOT NULL, escrowed INTEGER NOT NULL) WITHOUT ROWID;
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
  END;
`
