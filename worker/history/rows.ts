import { formatUsdc } from '#domain/money.ts'
import { balanceChange } from '#domain/movements.ts'
import type { ChainName } from '#domain/networks.ts'
import type { PastDecision } from '#domain/replay.ts'
import { dayMs, isoOf } from '#domain/time.ts'
import type { Escrow } from '#schemas/escrow.ts'
import type { Transaction } from '#schemas/transaction.ts'
import type {
  Change,
  ChangePage,
  Counted,
  Decided,
  DecisionCursor,
  Figures,
  KeptCursor,
  KeptRow,
  KeptValue,
  ListRow,
  Names,
  PaymentMethod,
  Position,
  Total,
  WalletBalance,
} from './api.ts'
import { readNames } from './names.ts'

/** Writes of History, and reads for a restore. All are synchronous. */
export class Rows {
  readonly #storage: DurableObjectStorage

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  get position(): Position {
    type Row = { incarnation: string; seq: number; audit_seq: number | null; audit_hash: string | null }
    const row = this.#all<Row>('SELECT incarnation, seq, audit_seq, audit_hash FROM position')[0]
    if (!row) return { incarnation: null, seq: 0, audit: null }
    const { incarnation, seq, audit_seq, audit_hash } = row
    return { incarnation, seq, audit: audit_seq === null ? null : { seq: audit_seq, hash: audit_hash! } }
  }

  /**
   * Applies the changes that are new here, in one transaction with the position. Another incarnation begins with a page of
   * its first changes: what it still has is replaced, and the rest stays. A page that does not follow the position does
   * nothing.
   */
  apply({ from, to, changes }: ChangePage): Position {
    const position = this.position
    const isKnown = to.incarnation === position.incarnation
    if (isKnown ? from > position.seq : from !== 0) return position
    const known = isKnown ? position.seq : 0
    const moves = !isKnown || to.seq > known || (to.seq === known && to.audit?.seq !== position.audit?.seq)
    if (!moves) return position
    this.#storage.transactionSync(() => {
      for (const change of changes) if (change.seq > known) this.#put(change)
      this.#run('DELETE FROM position')
      const { incarnation, seq, audit } = to
      const columns = 'one, incarnation, seq, audit_seq, audit_hash'
      const values = [incarnation, seq, audit?.seq ?? null, audit?.hash ?? null] as const
      this.#run(`INSERT INTO position (${columns}) VALUES (1, ?, ?, ?, ?)`, ...values)
    })
    return to
  }

  #put({ seq, ref, rows, value }: Change): void {
    if (value !== null) {
      this.#run('INSERT OR REPLACE INTO kept_value (name, value) VALUES (?, ?)', ref, value)
      return
    }
    // The payment's own row and those of its payout's end, `<id>:withdraw` or `<id>:reclaim`.
    this.#run("DELETE FROM transaction_view WHERE id = ?1 OR (id > ?1 || ':' AND id < ?1 || ';')", ref)
    this.#run('DELETE FROM payout_view WHERE id = ?', ref)
    this.#run('DELETE FROM counted WHERE id = ?', ref)
    this.#run('DELETE FROM decision WHERE id = ?', ref)
    for (const row of rows.transactions) this.#putTransaction(seq, row)
    if (rows.payout) this.#putPayout(seq, rows.payout)
    if (rows.counted) this.#putCounted(ref, rows.counted)
    if (rows.decision) this.#putDecision(ref, rows.decision)
  }

  #putTransaction(seq: number, { row, amount, kept }: ListRow<Transaction>): void {
    const change = Number(balanceChange(row))
    if (change !== 0)
      this.#run(
        'INSERT OR REPLACE INTO balance_wallet (wallet_id, address, chain) VALUES (?, ?, ?)',
        row.fromWalletId,
        row.fromWallet?.address ?? '',
        row.fromWalletChain,
      )
    this.#insert('transaction_view', {
      id: row.id,
      seq,
      created_at: Date.parse(row.createdAt),
      status: row.status,
      category: row.category,
      amount,
      change,
      wallet_id: row.fromWalletId,
      chain: row.fromWalletChain,
      agent_id: row.agentId,
      contact_id: row.contactId,
      body: JSON.stringify(row),
      kept,
    })
  }

  #putPayout(seq: number, { row, amount, kept }: ListRow<Escrow>): void {
    const created_at = Date.parse(row.createdAt)
    const body = JSON.stringify(row)
    this.#insert('payout_view', { id: row.id, seq, created_at, status: row.status, amount, body, kept })
  }

  #putCounted(id: string, { walletId, method, isUnclaimed, recipient, ...same }: Counted): void {
    const { key, contactId, name, address } = recipient ?? { key: null, contactId: null, name: null, address: null }
    this.#insert('counted', {
      id,
      ...same,
      wallet_id: walletId,
      method: method ?? '',
      is_unclaimed: isUnclaimed ? 1 : 0,
      recipient: key,
      contact_id: contactId,
      name,
      address,
    })
  }

  #putDecision(id: string, { groupId, chain, recipient, ...decision }: Decided): void {
    const { at, n } = decision
    this.#insert('decision', { id, group_id: groupId, at, n, chain, recipient, body: JSON.stringify(decision) })
  }

  /** The group's newest decisions before this one, newest first. */
  decisions(groupId: string, since: number, before: DecisionCursor | null, limit: number): PastDecision[] {
    type Row = { id: string; body: string; known: number }
    return this.#all<Row>(
      `SELECT id, body, EXISTS (SELECT 1 FROM counted WHERE counted.chain = decision.chain
         AND counted.recipient = decision.recipient AND counted.at < decision.at) AS known
       FROM decision WHERE group_id = ? AND at >= ? AND (at, n) < (?, ?) ORDER BY at DESC, n DESC LIMIT ?`,
      groupId,
      since,
      before?.at ?? Number.MAX_SAFE_INTEGER,
      before?.n ?? 0,
      limit,
    ).map(({ id, body, known }) => ({ id, ...JSON.parse(body), isNew: known === 0 }))
  }

  figures(chain: ChainName, failedSince: number): Figures {
    type TotalRow = Omit<Total, 'method' | 'isUnclaimed'> & { method: PaymentMethod | ''; isUnclaimed: number }
    const totals = this.#all<TotalRow>(
      `SELECT wallet_id AS walletId, outcome, method, is_unclaimed AS isUnclaimed, n, amount FROM total WHERE chain = ?`,
      chain,
    )
    type Recipient = Pick<KeptCursor, 'id'> & { contactId: string | null; name: string | null; address: string }
    const recipients = this.#all<Recipient & { n: number; amount: number; at: number }>(
      `SELECT counted.id, contact_id AS contactId, name, address, n, paid.amount, last_at AS at
       FROM recipient_total AS paid JOIN counted ON counted.id = last_id
       WHERE paid.chain = ? ORDER BY last_at DESC LIMIT 5`,
      chain,
    )
    const failed = "SELECT count(*) AS n FROM counted WHERE outcome = 'failed' AND chain = ? AND at > ?"
    return {
      totals: totals.map(({ method, isUnclaimed, ...same }) => ({
        ...same,
        method: method || null,
        isUnclaimed: isUnclaimed === 1,
      })),
      failed: this.#all<{ n: number }>(failed, chain, failedSince)[0]!.n,
      recipients: recipients.map(({ id, contactId, name, address, n, amount, at }) => ({
        lastPaymentId: id,
        contactId,
        name,
        recipient: address,
        count: n,
        amount: formatUsdc(BigInt(amount)),
        lastPaidAt: isoOf(at),
      })),
    }
  }

  balances(from: number, to: number): WalletBalance[] {
    // Days before the time, and the rows of its own day.
    const before = (time: number) => {
      const day = Math.floor(time / dayMs)
      return `coalesce((SELECT sum(change) FROM balance_day AS sums WHERE sums.wallet_id = wallet.wallet_id AND day < ${day}), 0)
        + coalesce((SELECT sum(change) FROM transaction_view AS row WHERE row.created_at >= ${day * dayMs}
            AND row.created_at < ${time} AND row.wallet_id = wallet.wallet_id), 0)`
    }
    type Sums = Omit<WalletBalance, 'name' | 'opening' | 'closing'> & { opening: number; closing: number }
    const names = this.names()
    return this.#all<Sums>(
      `SELECT wallet_id AS walletId, address, chain, ${before(from)} AS opening, ${before(to)} AS closing
       FROM balance_wallet AS wallet ORDER BY chain, wallet_id`,
    ).map(({ opening, closing, ...wallet }) => ({
      ...wallet,
      name: names[wallet.walletId] ?? null,
      opening: formatUsdc(BigInt(opening)),
      closing: formatUsdc(BigInt(closing)),
    }))
  }

  keptRows({ createdAt, id }: KeptCursor, limit: number): KeptRow[] {
    return this.#all<KeptRow>(
      `SELECT paid.id, paid.created_at AS createdAt, paid.kept, payout_view.kept AS payout
       FROM transaction_view AS paid LEFT JOIN payout_view ON payout_view.id = paid.id
       WHERE paid.kept IS NOT NULL AND (paid.created_at, paid.id) > (?, ?) ORDER BY paid.created_at, paid.id LIMIT ?`,
      createdAt,
      id,
      limit,
    )
  }

  keptDeadlines(): { walletId: string; deadline: number | null }[] {
    return this.#all(
      `SELECT wallet_id AS walletId, max(kept->>'$.row.max_deadline') AS deadline FROM transaction_view GROUP BY wallet_id`,
    )
  }

  names(): Names {
    return readNames(this.#storage)
  }

  keptValues(): KeptValue[] {
    return this.#all<KeptValue>('SELECT name, value FROM kept_value ORDER BY name')
  }

  #insert(table: string, row: Record<string, SqlStorageValue>): void {
    const names = Object.keys(row)
    this.#run(`INSERT INTO ${table} (${names}) VALUES (${names.map(() => '?')})`, ...Object.values(row))
  }
  #all<Row>(query: string, ...values: SqlStorageValue[]): Row[] {
    return this.#storage.sql.exec(query, ...values).toArray() as Row[]
  }
  #run(query: string, ...values: SqlStorageValue[]): void {
    this.#storage.sql.exec(query, ...values)
  }
}
