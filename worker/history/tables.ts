import { answers } from '#domain/answers.ts'
import { dayMs } from '#domain/time.ts'
import { type Column, integer, maybeInteger, maybeText, oneOf, type RowOf, table, text } from '../durable/table.ts'
import { periodAdded, periodColumns, periodNames, periodTaken, periodValues } from './periodSums.ts'

/**
 * The tables of a History. `created_at` is in ms, amounts are micro-USDC. listsSchema.ts names the columns of the lists for
 * queries; a test compares the two.
 */

/** How far it has followed its Treasury (Position in api.ts). */
export const position = table('position', {
  one: integer('PRIMARY KEY CHECK (one = 1)'),
  incarnation: text(),
  seq: integer(),
  audit_seq: maybeInteger(),
  audit_hash: maybeText(),
})
export type PositionRow = RowOf<typeof position>

/** A column that SQLite computes from others. */
const computed = (sql: string): Column<string | null, true> => ({
  sql: () => `TEXT GENERATED ALWAYS AS (${sql}) STORED`,
})

/**
 * email, phone, address and recipient: what names the other side of the row, in lower case, alone and together, because reading
 * it from the JSON of 10,000 rows takes four times as long.
 */
export const transactionTable = table(
  'transaction_view',
  {
    id: text('PRIMARY KEY'),
    /** Number of the row's last change. */
    seq: integer(),
    created_at: integer(),
    status: text(),
    category: text(),
    amount: integer('CHECK (amount > 0)'),
    /** What the row did to its wallet's balance (balanceChange). */
    change: integer('DEFAULT 0'),
    wallet_id: text(),
    chain: text(),
    agent_id: maybeText(),
    group_id: maybeText(),
    contact_id: maybeText(),
    email: computed(`lower(body->>'$.recipientEmail')`),
    phone: computed(`body->>'$.recipientPhone'`),
    address: computed(`lower(coalesce(body->>'$.fromAddress', body->>'$.toAddress'))`),
    recipient: computed(`coalesce(email, '') || char(10) || coalesce(phone, '') || char(10)
      || coalesce(address, '') || char(10) || lower(coalesce(body->>'$.contact.name', '') || char(10)
      || coalesce(body->>'$.resource', ''))`),
    /** The JSON that the API returns. */
    body: text(),
    /** JSON that a Treasury is restored from. */
    recoverable: maybeText(),
  },
  {
    indexes: `
      CREATE INDEX transaction_view_time ON transaction_view (created_at DESC, id DESC);
      CREATE INDEX transaction_view_amount ON transaction_view (amount DESC, id DESC);
      -- All payments to one person are found by these, however old they are.
      CREATE INDEX transaction_view_contact ON transaction_view (contact_id, created_at, id) WHERE contact_id IS NOT NULL;
      CREATE INDEX transaction_view_email ON transaction_view (email, created_at, id) WHERE email IS NOT NULL;
      CREATE INDEX transaction_view_phone ON transaction_view (phone, created_at, id) WHERE phone IS NOT NULL;
      CREATE INDEX transaction_view_address ON transaction_view (address, created_at, id) WHERE address IS NOT NULL;`,
  },
)

/** Sums of change by UTC day, which triggers keep. */
const balanceDay = table(
  'balance_day',
  { wallet_id: text(), day: integer(), change: integer() },
  {
    constraints: 'PRIMARY KEY (wallet_id, day)',
    isWithoutRowid: true,
    indexes: `
      CREATE TRIGGER balance_added AFTER INSERT ON transaction_view WHEN NEW.change <> 0 BEGIN
        INSERT INTO balance_day VALUES (NEW.wallet_id, NEW.created_at / ${dayMs}, NEW.change)
          ON CONFLICT DO UPDATE SET change = change + excluded.change;
      END;
      CREATE TRIGGER balance_removed AFTER DELETE ON transaction_view WHEN OLD.change <> 0 BEGIN
        UPDATE balance_day SET change = change - OLD.change WHERE wallet_id = OLD.wallet_id AND day = OLD.created_at / ${dayMs};
      END;`,
  },
)

/** The wallets of these sums. */
export const balanceWallet = table(
  'balance_wallet',
  { wallet_id: text('PRIMARY KEY'), address: text(), chain: text() },
  { isWithoutRowid: true },
)

export const payoutTable = table(
  'payout_view',
  {
    id: text('PRIMARY KEY'),
    seq: integer(),
    created_at: integer(),
    status: text(),
    amount: integer('CHECK (amount > 0)'),
    chain: text(),
    expires_at: integer('DEFAULT 0'),
    recipient: computed(`lower(
      coalesce(body->>'$.recipientEmail', '') || char(10) || coalesce(body->>'$.recipientPhone', ''))`),
    body: text(),
    recoverable: maybeText(),
  },
  {
    indexes: `
      CREATE INDEX payout_view_time ON payout_view (created_at DESC, id DESC);
      CREATE INDEX payout_view_amount ON payout_view (amount DESC, id DESC);
      CREATE INDEX payout_view_expiry ON payout_view (expires_at DESC, id DESC);
      -- Those that are still open expire in this order.
      CREATE INDEX payout_view_open ON payout_view (expires_at, id) WHERE status IN ('CREATING', 'CREATED');`,
  },
)

/** What figures count (Counted in api.ts). Each change of a payment deletes its row here and inserts the new one. */
export const counted = table(
  'counted',
  {
    id: text('PRIMARY KEY'),
    chain: text(),
    wallet_id: text(),
    at: integer(),
    amount: integer(),
    state: text(),
    method: text(),
    /** Null if it was not spent. */
    spent_at: maybeInteger(),
    /** Null if it moved nothing and will not. */
    recipient: maybeText(),
    contact_id: maybeText(),
    name: maybeText(),
    address: maybeText(),
  },
  {
    isWithoutRowid: true,
    indexes: `
      CREATE INDEX counted_recipient ON counted (chain, recipient, at, id) WHERE recipient IS NOT NULL;
      CREATE INDEX counted_failed ON counted (chain, at) WHERE state IN ('failed', 'refused');`,
  },
)

/** Sums of `counted`, which triggers keep. */
const total = table(
  'total',
  { chain: text(), wallet_id: text(), state: text(), method: text(), n: integer(), amount: integer() },
  { constraints: 'PRIMARY KEY (chain, wallet_id, state, method)', isWithoutRowid: true },
)

const recipientTotal = table(
  'recipient_total',
  {
    chain: text(),
    recipient: text(),
    n: integer(),
    amount: integer(),
    last_at: maybeInteger(),
    /** The newest payment to this recipient. */
    last_id: maybeText(),
    ...periodColumns,
  },
  {
    constraints: 'PRIMARY KEY (chain, recipient)',
    isWithoutRowid: true,
    indexes: `
      CREATE INDEX recipient_total_last ON recipient_total (chain, last_at);
      CREATE TRIGGER counted_insert AFTER INSERT ON counted BEGIN
        INSERT INTO total (chain, wallet_id, state, method, n, amount)
          VALUES (NEW.chain, NEW.wallet_id, NEW.state, NEW.method, 1, NEW.amount)
          ON CONFLICT DO UPDATE SET n = n + 1, amount = amount + excluded.amount;
        INSERT INTO recipient_total (chain, recipient, n, amount, last_at, last_id, ${periodNames})
          SELECT NEW.chain, NEW.recipient, 1, NEW.amount, NEW.at, NEW.id, ${periodValues('NEW')} WHERE NEW.recipient IS NOT NULL
          ON CONFLICT DO UPDATE SET ${periodAdded}, n = n + 1, amount = amount + excluded.amount, last_at = max(last_at, excluded.last_at),
            last_id = CASE WHEN (excluded.last_at, excluded.last_id) > (last_at, last_id) THEN excluded.last_id ELSE last_id END;
      END;
      CREATE TRIGGER counted_delete AFTER DELETE ON counted BEGIN
        UPDATE total SET n = n - 1, amount = amount - OLD.amount
          WHERE chain = OLD.chain AND wallet_id = OLD.wallet_id AND state = OLD.state AND method = OLD.method;
        DELETE FROM total
          WHERE chain = OLD.chain AND wallet_id = OLD.wallet_id AND state = OLD.state AND method = OLD.method AND n = 0;
        UPDATE recipient_total SET ${periodTaken('OLD')}, n = n - 1, amount = amount - OLD.amount
          WHERE chain = OLD.chain AND recipient = OLD.recipient;
        UPDATE recipient_total SET (last_at, last_id) = (SELECT at, id FROM counted
            WHERE chain = OLD.chain AND recipient = OLD.recipient ORDER BY at DESC, id DESC LIMIT 1)
          WHERE chain = OLD.chain AND recipient = OLD.recipient AND last_id = OLD.id;
        DELETE FROM recipient_total WHERE chain = OLD.chain AND recipient = OLD.recipient AND n = 0;
      END;`,
  },
)

/** Decisions about agents' payments (Decided in api.ts). A change of a payment writes its row only if the decision changed. */
export const decision = table(
  'decision',
  {
    id: text('PRIMARY KEY'),
    group_id: text(),
    agent_id: text(),
    at: integer(),
    /** Orders those of the same millisecond. */
    n: integer(),
    chain: text(),
    /** The key of `counted`. */
    recipient: maybeText(),
    answer: oneOf(answers),
    /** The names of the rules that refused, or that asked, separated by commas. */
    rules: text(),
    amount: integer(),
    /** The limit that would have let it pass (limitToPass). */
    needs: maybeInteger(),
    /** JSON. */
    body: text(),
  },
  { isWithoutRowid: true, indexes: 'CREATE INDEX decision_group ON decision (group_id, at, n);' },
)

const decisionDayKey = (row: string) =>
  `day = ${row}.at / ${dayMs} AND answer = ${row}.answer AND agent_id = ${row}.agent_id AND chain = ${row}.chain AND rules = ${row}.rules`
const addDecision = `
        INSERT INTO decision_day (day, answer, agent_id, chain, rules, n, amount, needs, last_id)
          VALUES (NEW.at / ${dayMs}, NEW.answer, NEW.agent_id, NEW.chain, NEW.rules, 1, NEW.amount, NEW.needs, NEW.id)
          ON CONFLICT DO UPDATE SET n = n + 1, amount = amount + excluded.amount, last_id = excluded.last_id,
            needs = max(coalesce(needs, excluded.needs), coalesce(excluded.needs, needs));`
const takeDecision = `
        UPDATE decision_day SET n = n - 1, amount = amount - OLD.amount WHERE ${decisionDayKey('OLD')};
        DELETE FROM decision_day WHERE ${decisionDayKey('OLD')} AND n = 0;`

/** Sums of `decision` by UTC day, which triggers keep. */
export const decisionDay = table(
  'decision_day',
  {
    day: integer(),
    answer: oneOf(answers),
    agent_id: text(),
    chain: text(),
    rules: text(),
    n: integer(),
    amount: integer(),
    /** The largest of these decisions, deleted ones included: they end with the day's others, after 30 days. */
    needs: maybeInteger(),
    /** The newest of them. */
    last_id: text(),
  },
  {
    constraints: 'PRIMARY KEY (day, answer, agent_id, chain, rules)',
    isWithoutRowid: true,
    indexes: `
      CREATE TRIGGER decision_added AFTER INSERT ON decision BEGIN${addDecision}
      END;
      CREATE TRIGGER decision_changed AFTER UPDATE ON decision
        WHEN (OLD.at / ${dayMs}, OLD.answer, OLD.rules, OLD.amount) <> (NEW.at / ${dayMs}, NEW.answer, NEW.rules, NEW.amount) BEGIN${takeDecision}${addDecision}
      END;
      CREATE TRIGGER decision_removed AFTER DELETE ON decision BEGIN${takeDecision}
      END;`,
  },
)

/**
 * What a Treasury is restored from besides payments: `salt`, that of its payouts' keys, sealed; `wallet:<id>`, a wallet without its
 * keys, as JSON.
 */
export const recoverableValue = table(
  'recoverable_value',
  { name: text('PRIMARY KEY'), value: text() },
  { isWithoutRowid: true },
)

export const historyTables = [
  position,
  transactionTable,
  balanceDay,
  balanceWallet,
  payoutTable,
  counted,
  total,
  recipientTotal,
  decision,
  decisionDay,
  recoverableValue,
]
