/** The part of tables.ts that says what the account has used of rates, gas and messages (treasury/limits/). */
export const limitTables = `
  -- Limits (domain/limits.ts). A principal is an agent's id, 'owner', or 'account' for all of them together. Days are kept
  -- for two days.

  -- Token buckets.
  CREATE TABLE rate (
    principal TEXT NOT NULL, name TEXT NOT NULL, tokens REAL NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (principal, name)
  ) WITHOUT ROWID;
  -- Gas units reserved or used; 'exit' is the pool of owner exits, and 'granted …' what a new account has left of grants.
  CREATE TABLE gas_use (
    day INTEGER NOT NULL, principal TEXT NOT NULL, gas INTEGER NOT NULL, PRIMARY KEY (day, principal)
  ) WITHOUT ROWID;
  -- Today's allowance and outcomes. While the account is new, payments and sent count what was confirmed on the primary
  -- network, sent in micro-USDC.
  CREATE TABLE gas_level (
    one INTEGER PRIMARY KEY CHECK (one = 1), allowance INTEGER NOT NULL, day INTEGER NOT NULL,
    confirmed INTEGER NOT NULL, failed INTEGER NOT NULL, payments INTEGER NOT NULL, sent INTEGER NOT NULL
  );
  -- Messages to recipients: to each one ('' as principal) and by each principal ('' as recipient); both '' for all of them.
  -- Principal 'recipient' are renewals that recipients requested, which are in no other count.
  CREATE TABLE sent_message (
    day INTEGER NOT NULL, channel TEXT NOT NULL, recipient TEXT NOT NULL, principal TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (day, channel, recipient, principal)
  ) WITHOUT ROWID;
  -- What changes of the owner without the password added to what may leave, by quarter of an hour, in micro-USDC.
  CREATE TABLE owner_increase (period INTEGER PRIMARY KEY, amount INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE refusal_rate (minute INTEGER PRIMARY KEY, written INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE refusal_count (day INTEGER PRIMARY KEY, written INTEGER NOT NULL);
`
