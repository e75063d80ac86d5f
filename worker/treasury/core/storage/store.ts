import type { SecondPersonSetting } from '#domain/secondPerson.ts'
import { placesOf } from '../../../durable/table.ts'
import { type Refused, refuse } from '../../../result.ts'
import { type MetaName, type MetaValue, metaFormats, type SuspensionState } from './meta.ts'
import { type CachedRow, type CachedTable, RowCache } from './rowCache.ts'
import type { AgentRow, GroupRow, ImportedKeyRow, PaymentRow, SessionRow, WalletRow } from './rows.ts'
import type { NewRow, Rows } from './tableRows.ts'

/** New work is refused above 8 GB, so that settlement always has room; an object's SQLite holds 10 GB. */
const fullBytes = 8_000_000_000

export const accountFull: Refused = refuse('unavailable', 'This account is full. Please contact support.')

type Value = string | number | null

type Row = Record<string, Value>

const valuesOf = (columns: object) => Object.values(columns) as Value[]

type TableWithId = { [Table in keyof Rows]: Rows[Table] extends { id: string } ? Table : never }[keyof Rows]

/** Typed access to the object's SQLite. Queries are written where they are used, so that transactions stay visible. */
export class Store {
  readonly #storage: DurableObjectStorage
  readonly #onRollback: () => void
  readonly #check: () => void
  readonly #cache = new RowCache()
  #measureAt = 0
  #full = false
  /** Raised by every write, so that stale values derived from the tables can be detected. */
  version = 0
  /** Column names by query; the schema does not change while the object is loaded. */
  readonly #joins = new Map<string, string[]>()
  /** End of the audit chain, kept in memory; null if it has to be read. */
  auditHead: { seq: number; hash: string } | null = null

  /**
   * `onRollback` runs when a transaction is rolled back, which also undoes an alarm that was set in it. `check` throws
   * while `storage` refuses reads, so that reads from memory are refused as well.
   */
  constructor(storage: DurableObjectStorage, onRollback: () => void, check: () => void = () => {}) {
    this.#storage = storage
    this.#onRollback = onRollback
    this.#check = check
  }
  /** One synchronous transaction: all or nothing, no await inside. */
  transaction<T>(work: () => T): T {
    try {
      return this.#storage.transactionSync(work)
    } catch (error) {
      this.version += 1
      this.#cache.clear()
      this.auditHead = null
      this.#onRollback()
      throw error
    }
  }
  all<T>(query: string, ...values: Value[]): T[] {
    return this.#storage.sql.exec<Row>(query, ...values).toArray() as T[]
  }
  first<T>(query: string, ...values: Value[]): T | null {
    return (this.#storage.sql.exec<Row>(query, ...values).toArray()[0] as T | undefined) ?? null
  }
  /** Number of rows: `count("payment WHERE status = 'QUEUED'")`. */
  count(from: string, ...values: Value[]): number {
    return this.first<{ n: number }>(`SELECT count(*) AS n FROM ${from}`, ...values)!.n
  }
  /**
   * The first row of a join, as one object for each table. Columns named `|` separate the tables; a null in a table's
   * first column means that a LEFT JOIN found nothing.
   */
  joined<T extends (object | null)[]>(query: string, ...values: Value[]): T | null {
    const cursor = this.#storage.sql.exec<Row>(query, ...values)
    const row = [...cursor.raw<Value[]>()][0]
    if (!row) return null
    const names = this.#joins.get(query) ?? cursor.columnNames
    this.#joins.set(query, names)
    const tables: (Row | null)[] = []
    for (let i = 0; i < names.length; i++) {
      const table: Row | null = row[i] === null ? null : {}
      for (; i < names.length && names[i] !== '|'; i++) if (table) table[names[i]!] = row[i]!
      tables.push(table)
    }
    return tables as T
  }
  /** Returns the number of rows written. */
  run(query: string, ...values: Value[]): number {
    this.version += 1
    this.#cache.forgetWhatChanges(query)
    return this.#storage.sql.exec(query, ...values).rowsWritten
  }
  /** Returns the result of `read`, kept in memory until `table` is written; for `any`, until any table is. */
  cached<T>(table: CachedTable, key: string, read: () => T): T {
    this.#check()
    return this.#cache.get(table, key, read)
  }
  /** Like `transaction`, but rolls everything back unless the result is ok. */
  attempt<T extends { ok: boolean } | { need: string }>(work: () => T): T {
    let refused: T | null = null
    try {
      return this.transaction(() => {
        const result = work()
        if ('ok' in result && result.ok) return result
        refused = result
        throw new RolledBack()
      })
    } catch (error) {
      if (!(error instanceof RolledBack) || refused === null) throw error
      return refused
    }
  }
  /** Runs a write that changes only these cached rows of `table`, and updates them. */
  runCached(table: CachedTable, rows: readonly CachedRow[], query: string, ...values: Value[]): void {
    this.version += 1
    this.#cache.forgetWhatChanges(query, table)
    this.#storage.sql.exec(query, ...values)
    for (const [key, value] of rows) this.#cache.set(table, key, value)
  }
  /** `cached` is the one cached row of a payment that this changes, with the payment counted. */
  insertPayment(row: PaymentRow, cached: CachedRow | null): void {
    const [places, values] = placesOf(row)
    if (cached) this.runCached('payment', [cached], `INSERT INTO payment ${places}`, ...values)
    else this.run(`INSERT INTO payment ${places}`, ...values)
  }
  /** `onConflict`: for example `ON CONFLICT DO NOTHING`. */
  insert<Table extends keyof Rows>(table: Table, row: NewRow<Table>, onConflict = ''): void {
    const [places, values] = placesOf(row)
    this.run(`INSERT INTO ${table} ${places} ${onConflict}`, ...values)
  }
  /** Inserts the row in place of the one with its key. */
  replace<Table extends keyof Rows>(table: Table, row: NewRow<Table>): void {
    const [places, values] = placesOf(row)
    this.run(`REPLACE INTO ${table} ${places}`, ...values)
  }
  /** Changes the row with this id, if its columns still equal `guard`. Returns false if there is no such row. */
  update<Table extends TableWithId>(
    table: Table,
    id: string,
    changes: Partial<Rows[Table]>,
    guard: Partial<Rows[Table]> = {},
  ): boolean {
    const names = Object.keys(changes).map((name) => `${name} = ?`)
    const conditions = Object.keys(guard).map((name) => ` AND ${name} IS ?`)
    const query = `UPDATE ${table} SET ${names} WHERE id = ?${conditions.join('')}`
    return this.run(query, ...valuesOf(changes), id, ...valuesOf(guard)) > 0
  }
  /** A single value of the account, kept in memory; null if it was never set. Callers must not change it. */
  meta<Name extends MetaName>(name: Name): MetaValue<Name> | null {
    return this.cached('meta', name, () => {
      const row = this.first<{ value: string }>('SELECT value FROM meta WHERE key = ?', name)
      return row && (metaFormats[name].read(row.value) as MetaValue<Name>)
    })
  }
  /** Null deletes the value. */
  setMeta<Name extends MetaName>(name: Name, value: MetaValue<Name> | null): void {
    const { write } = metaFormats[name] as { write: (value: MetaValue<Name>) => string }
    const set = 'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value'
    if (value === null) this.runCached('meta', [[name, null]], 'DELETE FROM meta WHERE key = ?', name)
    else this.runCached('meta', [[name, value]], set, name, write(value))
  }
  /** True if all agents of the account are paused. */
  get accountPaused(): boolean {
    return this.meta('account_paused') ?? false
  }
  pauseAccount(paused: boolean): void {
    this.setMeta('account_paused', paused)
  }
  /** Whether an operator has suspended the account. */
  get suspension(): SuspensionState {
    return this.meta('suspension') ?? { since: null, version: 0 }
  }
  set suspension(state: SuspensionState) {
    this.setMeta('suspension', state)
  }
  /** Above how much a second person is needed. */
  get secondPerson(): SecondPersonSetting {
    return this.meta('second_person') ?? { above: null, next: null }
  }
  set secondPerson(setting: SecondPersonSetting) {
    this.setMeta('second_person', setting)
  }
  get isSuspended(): boolean {
    return this.suspension.since !== null
  }
  /** In bytes. */
  get databaseSize(): number {
    return this.#storage.sql.databaseSize
  }
  /** True if the database is above `fullBytes`. Measured again after every hundred writes. */
  get isFull(): boolean {
    if (this.version >= this.#measureAt) {
      this.#measureAt = this.version + 100
      this.#full = this.#storage.sql.databaseSize > fullBytes
    }
    return this.#full
  }

  #byId<Table extends TableWithId>(table: Table) {
    return (id: string) => this.first<Rows[Table]>(`SELECT * FROM ${table} WHERE id = ?`, id)
  }

  wallet = this.#byId('wallet')
  /** Null for deleted wallets too. */
  liveWallet = (id: string) => this.first<WalletRow>("SELECT * FROM wallet WHERE id = ? AND status <> 'deleted'", id)
  /** Name and address of the live wallet with an address; null if there is none. */
  walletAt = (chainId: WalletRow['chain_id'], address: string | null) =>
    this.first<Pick<WalletRow, 'name' | 'address'>>(
      "SELECT name, address FROM wallet WHERE chain_id = ? AND address = ? AND status <> 'deleted'",
      chainId,
      address,
    )
  importedKey = (walletId: string) =>
    this.first<ImportedKeyRow>('SELECT * FROM imported_key WHERE wallet_id = ?', walletId)
  session = (walletId: string) =>
    this.first<SessionRow>('SELECT * FROM session WHERE wallet_id = ? AND current = 1', walletId)
  /** The last one that was adopted, in force or not. */
  lastSession = (walletId: string) =>
    this.first<SessionRow>('SELECT * FROM session WHERE wallet_id = ? ORDER BY epoch DESC LIMIT 1', walletId)
  group = (id: string) => this.first<GroupRow>('SELECT * FROM policy_group WHERE id = ? AND deleted_at IS NULL', id)
  agent = (id: string) => this.first<AgentRow>('SELECT * FROM agent WHERE id = ? AND deleted_at IS NULL', id)
  /** Also a group that was deleted. */
  anyGroup = this.#byId('policy_group')
  /** For history: deleted agents and groups keep their names. */
  agentName = (id: string | null): string | null =>
    id === null ? null : (this.first<AgentRow>('SELECT name FROM agent WHERE id = ?', id)?.name ?? null)
  groupName = (id: string): string => this.first<GroupRow>('SELECT name FROM policy_group WHERE id = ?', id)?.name ?? ''
  payment = this.#byId('payment')
  payout = this.#byId('payout')
  approval = this.#byId('approval')
  grant = this.#byId('approval_grant')
  connection = this.#byId('connection')
  walletAction = this.#byId('wallet_action')
  payoutRun = this.#byId('run')
  webhook = this.#byId('webhook')
}

class RolledBack extends Error {}
