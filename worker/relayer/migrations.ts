/** SQLite of one Relayer. Append-only: a change is a new entry. `…_at` is ms, `deadline` unix seconds, fees wei. */
const migrations: string[] = [
  `
  -- Which account this object drives, and its next number; null until the chain was asked.
  CREATE TABLE account (
    one INTEGER PRIMARY KEY CHECK (one = 1), chain_id INTEGER NOT NULL, shard INTEGER NOT NULL, next_nonce INTEGER
  );

  CREATE TABLE item (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE, user_id TEXT NOT NULL, kind TEXT NOT NULL,
    lane TEXT NOT NULL CHECK (lane IN ('send','call')),
    target TEXT NOT NULL, data TEXT NOT NULL, packed TEXT, scope TEXT, deadline INTEGER NOT NULL,
    -- carried: in a signed transaction that is not settled yet.
    state TEXT NOT NULL DEFAULT 'waiting'
      CHECK (state IN ('waiting','parked','carried','mined','failed','dropped')),
    alone INTEGER NOT NULL DEFAULT 0,
    queued_at INTEGER NOT NULL, due_at INTEGER NOT NULL,
    parks INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0,
    nonce INTEGER, tx_hash TEXT, reason TEXT, finished_at INTEGER,
    -- Counts changes worth telling the user's Treasury; tell_at is null once told.
    version INTEGER NOT NULL DEFAULT 0, tell_at INTEGER, tell_attempts INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX item_waiting ON item (due_at) WHERE state IN ('waiting','parked');
  CREATE INDEX item_carried ON item (scope) WHERE state = 'carried';
  CREATE INDEX item_scope ON item (scope) WHERE scope IS NOT NULL;
  CREATE INDEX item_tell ON item (tell_at) WHERE tell_at IS NOT NULL;
  CREATE INDEX item_finished ON item (finished_at) WHERE finished_at IS NOT NULL;

  -- Kept for ever: under one scope there is one content.
  CREATE TABLE guard (scope TEXT PRIMARY KEY, content TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE failure (user_id TEXT NOT NULL, at INTEGER NOT NULL);
  CREATE INDEX failure_user ON failure (user_id, at);
  CREATE TABLE frozen (user_id TEXT PRIMARY KEY) WITHOUT ROWID;

  -- One row per account number we used: what it carries never changes.
  CREATE TABLE account_tx (
    nonce INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('direct','sends','calls','fill')),
    target TEXT NOT NULL, data TEXT NOT NULL, gas INTEGER NOT NULL,
    -- lost: the number was consumed by a transaction that is none of ours.
    state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open','mined','lost')),
    -- A node has taken the newest attempt.
    accepted INTEGER NOT NULL DEFAULT 0, sent_block INTEGER, missing_at INTEGER,
    created_at INTEGER NOT NULL, closed_at INTEGER
  );
  CREATE INDEX account_tx_open ON account_tx (nonce) WHERE state = 'open';
  CREATE INDEX account_tx_closed ON account_tx (closed_at) WHERE closed_at IS NOT NULL;
  CREATE TABLE cargo (
    nonce INTEGER NOT NULL, position INTEGER NOT NULL, item_id TEXT NOT NULL, PRIMARY KEY (nonce, position)
  ) WITHOUT ROWID;
  -- Every hash ever signed for a number: the original and its replacements. An empty one moves nothing, for a number
  -- whose content became useless.
  CREATE TABLE attempt (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, hash TEXT NOT NULL UNIQUE, nonce INTEGER NOT NULL, raw TEXT NOT NULL,
    empty INTEGER NOT NULL, max_fee TEXT NOT NULL, max_priority_fee TEXT NOT NULL, created_at INTEGER NOT NULL
  );
  CREATE INDEX attempt_nonce ON attempt (nonce);

  CREATE TABLE timer (kind TEXT PRIMARY KEY, due_at INTEGER NOT NULL) WITHOUT ROWID;
  `,
]

export function migrate(storage: DurableObjectStorage): void {
  storage.sql.exec('CREATE TABLE IF NOT EXISTS migration (version INTEGER PRIMARY KEY)')
  const done = storage.sql.exec<{ n: number }>('SELECT count(*) AS n FROM migration').one().n
  for (let version = done; version < migrations.length; version++) {
    storage.transactionSync(() => {
      storage.sql.exec(migrations[version]!)
      storage.sql.exec('INSERT INTO migration (version) VALUES (?)', version)
    })
  }
}
