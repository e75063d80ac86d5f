/** The Treasury's tables and rules in plain Node: SQLite in memory behind the object's storage, no chain, no network. */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Limits } from '../../worker/domain/limits.ts'
import { migrate } from '../../worker/durable/migrations.ts'
import type { Env } from '../../worker/env.ts'
import { StopReader } from '../../worker/stops/reader.ts'
import { treasuryMigrations } from '../../worker/treasury/core/storage/migrations.ts'
import { Store } from '../../worker/treasury/core/storage/store.ts'
import { createContext } from '../../worker/treasury/createContext.ts'
import { noLimits } from './limits.ts'

type Value = string | number | null
type Prepared = { statement: StatementSync; rawStatement: StatementSync; columnNames: string[] }

/** The part of DurableObjectStorage that Store uses. A nested transaction is a savepoint, as in workerd. */
export function storageOf(db: DatabaseSync): DurableObjectStorage {
  let depth = 0
  const statements = new Map<string, Prepared>()
  /** Prepares each query once, because preparing costs several times as much as running. */
  const prepared = (query: string): Prepared => {
    const known = statements.get(query)
    if (known) return known
    const [statement, rawStatement] = [db.prepare(query), db.prepare(query)]
    rawStatement.setReturnArrays(true)
    const made = { statement, rawStatement, columnNames: statement.columns().map(({ name }) => name) }
    statements.set(query, made)
    return made
  }
  const storage = {
    sql: {
      exec(query: string, ...values: Value[]) {
        if (values.length === 0 && /;\s+\S/.test(query)) {
          db.exec(query)
          return { toArray: () => [], one: () => null, rowsWritten: 0 }
        }
        const { statement, rawStatement, columnNames } = prepared(query)
        const raw = () => {
          const arrays = rawStatement.all(...values)
          return Object.assign(arrays, { toArray: () => arrays })
        }
        let known: unknown[] | undefined
        const rows = () => {
          known ??= statement.all(...values)
          return known
        }
        if (columnNames.length === 0) {
          const rowsWritten = Number(statement.run(...values).changes)
          return { toArray: () => [], one: () => null, rowsWritten }
        }
        // What only reads is run once, by whoever wants its rows.
        if (!/^\s*select\b/i.test(query)) rows()
        return { toArray: rows, one: () => rows()[0] ?? null, raw, columnNames, rowsWritten: 0 }
      },
      databaseSize: 0,
    },
    transactionSync<T>(work: () => T): T {
      const name = `s${depth}`
      db.exec(`SAVEPOINT ${name}`)
      depth += 1
      try {
        const result = work()
        db.exec(`RELEASE ${name}`)
        return result
      } catch (error) {
        db.exec(`ROLLBACK TO ${name}; RELEASE ${name}`)
        throw error
      } finally {
        depth -= 1
      }
    },
  }
  return storage as unknown as DurableObjectStorage
}

const address = (digit: string) => `0x${digit.repeat(40)}`
const contracts = JSON.stringify({
  usdc: address('1'),
  factory: address('2'),
  provider: address('3'),
  escrow: address('4'),
  relay: address('5'),
  walletImplementation: address('6'),
  vaultImplementation: address('7'),
})

/** The active wallet `wal` has `funds` micro-USDC and a session of `sessionLimit`. Only the test moves the clock. */
export function createMemoryTreasury(funds: bigint, sessionLimit: bigint, limits: Limits = noLimits) {
  const clock = { now: Date.UTC(2026, 10, 20, 12) }
  const db = new DatabaseSync(':memory:')
  const storage = storageOf(db)
  migrate(storage, treasuryMigrations)
  const store = new Store(storage, () => {})
  const env = {
    CONTRACTS_8453: contracts,
    CONTRACTS_84532: contracts,
    RPC_URLS_8453: 'http://none.invalid',
    RPC_URLS_84532: 'http://none.invalid',
    SMS_COUNTRIES: '*',
    PASSKEY_DOMAIN: 'localhost',
  } as unknown as Env
  let random = 0
  const context = createContext(env, store, 'usr_test', () => {}, {
    now: () => clock.now,
    random: (bytes) => new Uint8Array(bytes).map((_, i) => (i < 4 ? (++random >> (i * 8)) & 255 : i)),
    limits,
    // There is no stop object, so it counts as just read.
    stop: {
      reader: Object.assign(new StopReader(() => Promise.reject(new Error('no stop object'))), {
        clock: { now: () => 0 },
      }),
      after: 0,
      mode: 'none',
      readAt: 0,
      reading: null,
      freeze: () => false,
    },
  })
  store.run(
    `INSERT INTO wallet (id, chain_id, kind, address, owner, status, factory, salt, session_key, sealed_key, session_limit, valid_until, deposits, scanned_block, created_at)
     VALUES ('wal', 8453, 'smart', ?, ?, 'active', ?, '0x', ?, '', ?, ?, ?, 1, 0)`,
    address('a'),
    address('b'),
    address('2'),
    address('c'),
    Number(sessionLimit),
    4_000_000_000,
    Number(funds),
  )
  store.run(
    "INSERT INTO session (wallet_id, epoch, key_address, sealed_key, spend_limit, valid_until, current) VALUES ('wal', 1, ?, '', ?, ?, 1)",
    address('c'),
    Number(sessionLimit),
    4_000_000_000,
  )
  /** All rows of all tables, to check that nothing changed. */
  const dump = () =>
    store
      .all<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
      )
      .map(({ name }) => JSON.stringify([name, store.all(`SELECT * FROM ${name}`)]))
      .join('\n')
  /** Sets the reported size of the object's database, and makes the Store measure it. */
  const size = (bytes: number) => {
    ;(storage.sql as { databaseSize: number }).databaseSize = bytes
    store.version += 100
  }
  return { context, storage, store, clock, dump, size, close: () => db.close() }
}
export type MemoryTreasury = ReturnType<typeof createMemoryTreasury>
