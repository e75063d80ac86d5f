import type { Address, ChainId, Hex } from '../chain/types.ts'
import type { MicroUsdc } from '../domain/money.ts'
import type { PaymentStatus, PayoutStatus } from '../domain/payment.ts'
import type { Period } from '../domain/policyPeriod.ts'
import type { RecipientType } from '../domain/scopes.ts'
import type { Refused } from '../errors.ts'

/** Rows of the Treasury's SQLite. Amounts are micro-USDC as integers; `usd` turns one into money. */
export type WalletRow = {
  id: string
  chain_id: ChainId
  kind: 'smart' | 'imported'
  address: Address
  owner: Address
  name: string | null
  /** Deleted ones stay for history; they hold no key and nothing is read for them. */
  status: 'deploying' | 'active' | 'failed' | 'deleted'
  factory: Address
  salt: Hex
  session_key: Address
  sealed_key: string
  session_limit: number
  valid_until: number
  deploy_tx: Hex | null
  error: string | null
  deposits: number
  returns: number
  out: number
  withdrawn: number
  held: number
  scanned_block: number
  paused: number
  halted: string | null
  created_at: number
}
export type SessionRow = {
  wallet_id: string
  epoch: number
  key_address: Address
  sealed_key: string
  spend_limit: number
  used: number
  held: number
  valid_until: number
  next_sequence: number
  current: number
}
export type GroupRow = {
  id: string
  wallet_id: string
  name: string
  spend_limit: number | null
  spent: number
  held: number
  scopes: string
  version: number
  paused: number
  payments: number
  last_activity_at: number | null
  created_at: number
  deleted_at: number | null
  max_payment: number | null
  period: Period | null
  period_limit: number | null
  period_start: number
  period_used: number
  max_unclaimed: number | null
  unclaimed: number
  email_domains: string | null
  phone_codes: string | null
  /** Per cent, of `noticed_limit`. */
  noticed: number
  noticed_limit: number | null
}
export type WhitelistRow = {
  group_id: string
  contact_id: string
  name: string
  address: Address | null
  email: string | null
  phone: string | null
  stale: number
}
export type AgentRow = {
  id: string
  group_id: string
  name: string
  memo: string | null
  client_id: string
  payments: number
  spent: number
  held: number
  last_activity_at: number | null
  paused: number
  created_at: number
  deleted_at: number | null
}
export type CredentialRow = { hash: string; agent_id: string; kind: 'secret' | 'api_key'; expires_at: number | null }
export type PaymentRow = {
  id: string
  kind: 'send' | 'payout'
  wallet_id: string
  group_id: string | null
  agent_id: string | null
  policy_version: number | null
  to_type: RecipientType
  to_address: Address | null
  contact_id: string | null
  contact_name: string | null
  recipient_email: string | null
  recipient_phone: string | null
  amount: number
  memo: string | null
  status: PaymentStatus
  error_code: string | null
  error_message: string | null
  refusal: string | null
  created_at: number
  signed_at: number | null
  broadcast_at: number | null
  confirmed_at: number | null
  tx_hash: Hex | null
  give_up_at: number
  epoch: number | null
  sequence: number | null
  deadline: number | null
  max_deadline: number | null
  sig_version: number
  r: Hex | null
  vs: Hex | null
  first_block: number | null
  /** EIP-3009 nonce; null for smart wallets, whose nonce is epoch and sequence. */
  authorization: Hex | null
}
export type ImportedKeyRow = {
  wallet_id: string
  sealed_view: string
  domain_separator: Hex
  /** Wrong master passwords since the last right one or lock. */
  tries: number
  locked_until: number
}
export type PayoutRow = {
  id: string
  wallet_id: string
  address: Address
  claim_key: Address
  reclaim_key: Address
  payer: Address
  amount: number
  expiry: number
  payout_hash: Hex
  expires_at: number
  sender_name: string | null
  status: PayoutStatus
  funded: number
  announced: number
  sealed_token: string
  token_hash: string
  code_hmac: string | null
  code_version: number
  sealed_code: string | null
  code_until: number
  tries_version: number
  code_at: number
  sender_resends: number
  recipient_resends: number
  action: 'claim' | 'reclaim' | null
  action_to: Address | null
  action_deadline: number | null
  action_r: Hex | null
  action_vs: Hex | null
  action_version: number
  action_block: number | null
  action_delivered_at: number | null
  action_tx: Hex | null
  action_by: 'recipient' | 'sender' | 'expiry' | null
  done_tx: Hex | null
  done_at: number | null
  withdrawn_to: Address | null
  created_at: number
  updated_at: number
  announce_delivered_at: number | null
  reclaim_asked_at: number | null
  reminded: number
}

/** New work is refused above 8 GB, so that settling always has room (an object's SQLite holds 10). */
const fullBytes = 8_000_000_000

export const accountFull: Refused = {
  ok: false,
  code: 'unavailable',
  message: 'This account is full. Please contact support.',
}

type Value = string | number | null
type Row = Record<string, Value>

/** A column of micro-USDC as money. */
export const usd = (column: number): MicroUsdc => BigInt(column) as MicroUsdc
/** Money as a column; throws RangeError where SQLite's number would lose a digit. */
export function column(amount: bigint): number {
  const value = Number(amount)
  if (!Number.isSafeInteger(value)) throw new RangeError(`amount ${amount}`)
  return value
}

/** Thin typed access to the object's SQLite. Every query is written where it is used; boundaries stay visible. */
export class Store {
  readonly #storage: DurableObjectStorage
  readonly #onRollback: () => void
  #measureAt = 0
  #full = false
  /** Raised by every write: what was derived from these tables at another version is stale. */
  version = 0
  #accountPaused: boolean | null = null
  /** Column names by query: they stay as they are while the object lives. */
  readonly #joins = new Map<string, string[]>()
  #paymentColumns: (keyof PaymentRow)[] | null = null
  #paymentInsert: string | null = null
  /** End of the audit chain, known without reading; null when it has to be read. */
  auditHead: { seq: number; hash: string } | null = null

  /** `onRollback`: what was set beside the tables (the alarm) is gone as well. */
  constructor(storage: DurableObjectStorage, onRollback: () => void) {
    this.#storage = storage
    this.#onRollback = onRollback
  }
  /** One synchronous transaction: all or nothing, no await inside. */
  transaction<T>(work: () => T): T {
    try {
      return this.#storage.transactionSync(work)
    } catch (error) {
      this.auditHead = null
      this.#accountPaused = null
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
  /**
   * The first row of a join, as one object for each of its tables. Columns named `|` stand between them; a null in a
   * table's first column says that a LEFT JOIN found nothing.
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
  /** Rows written. */
  run(query: string, ...values: Value[]): number {
    this.version += 1
    return this.#storage.sql.exec(query, ...values).rowsWritten
  }
  /** Every column, so that the row need not be read back. */
  insertPayment(row: PaymentRow): void {
    this.#paymentColumns ??= Object.keys(row) as (keyof PaymentRow)[]
    const columns = this.#paymentColumns
    this.#paymentInsert ??= `INSERT INTO payment (${columns}) VALUES (${columns.map(() => '?')})`
    this.run(this.#paymentInsert, ...columns.map((name) => row[name]))
  }
  meta(key: string): string | null {
    return this.first<{ value: string }>('SELECT value FROM meta WHERE key = ?', key)?.value ?? null
  }
  setMeta(key: string, value: string): void {
    this.run(
      'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
      key,
      value,
    )
  }
  /** All agents of the account are paused. Known without reading. */
  get accountPaused(): boolean {
    this.#accountPaused ??= this.meta('account_paused') === '1'
    return this.#accountPaused
  }
  pauseAccount(paused: boolean): void {
    this.setMeta('account_paused', paused ? '1' : '0')
    this.#accountPaused = paused
  }
  /** Measured again after every hundred writes. */
  get isFull(): boolean {
    if (this.version >= this.#measureAt) {
      this.#measureAt = this.version + 100
      this.#full = this.#storage.sql.databaseSize > fullBytes
    }
    return this.#full
  }

  wallet = (id: string) => this.first<WalletRow>('SELECT * FROM wallet WHERE id = ?', id)
  /** Null for deleted ones too: what people can name. */
  liveWallet = (id: string) => this.first<WalletRow>("SELECT * FROM wallet WHERE id = ? AND status <> 'deleted'", id)
  importedKey = (walletId: string) =>
    this.first<ImportedKeyRow>('SELECT * FROM imported_key WHERE wallet_id = ?', walletId)
  session = (walletId: string) =>
    this.first<SessionRow>('SELECT * FROM session WHERE wallet_id = ? AND current = 1', walletId)
  group = (id: string) => this.first<GroupRow>('SELECT * FROM policy_group WHERE id = ? AND deleted_at IS NULL', id)
  agent = (id: string) => this.first<AgentRow>('SELECT * FROM agent WHERE id = ? AND deleted_at IS NULL', id)
  payment = (id: string) => this.first<PaymentRow>('SELECT * FROM payment WHERE id = ?', id)
  payout = (id: string) => this.first<PayoutRow>('SELECT * FROM payout WHERE id = ?', id)
}
