import { formatUsdc } from '#domain/money.ts'
import { balanceChange } from '#domain/movements.ts'
import type { ChainName } from '#domain/networks.ts'
import type { PastDecision } from '#domain/replay.ts'
import { dayMs, isoOf } from '#domain/time.ts'
import type { Escrow } from '#schemas/escrow.ts'
import { balanceDays } from '#schemas/overview.ts'
import type { Transaction } from '#schemas/transaction.ts'
import { insert, replace } from '../durable/table.ts'
import type {
  BalanceChange,
  Change,
  ChangePage,
  Counted,
  Decided,
  DecisionCursor,
  Figures,
  ListRow,
  Names,
  Position,
  RecoverableCursor,
  RecoverableRow,
  RecoverableValue,
  Total,
  WalletBalance,
} from './api.ts'
import { countedSql } from './figures.ts'
import { readNames } from './names.ts'
import {
  balanceWallet,
  counted,
  decision as decisionTable,
  type PositionRow,
  payoutTable,
  position as positionTable,
  recoverableValue,
  transactionTable,
} from './tables.ts'

/** Writes of History, and reads for a restore. All are synchronous. */
export class Rows {
  readonly #storage: DurableObjectStorage

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  get position(): Position {
    const row = this.all<PositionRow>('SELECT * FROM position')[0]
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
      const row = {
        one: 1,
        incarnation: incarnation!,
        seq,
        audit_seq: audit?.seq ?? null,
        audit_hash: audit?.hash ?? null,
      }
      insert(this.#sql, positionTable, row)
    })
    return to
  }

  #put({ seq, ref, rows, value }: Change): void {
    if (value !== null) {
      replace(this.#sql, recoverableValue, { name: ref, value })
      return
    }
    // The payment's own row and those of its payout's end, `<id>:withdraw` or `<id>:reclaim`.
    this.#run("DELETE FROM transaction_view WHERE id = ?1 OR (id > ?1 || ':' AND id < ?1 || ';')", ref)
    this.#run('DELETE FROM payout_view WHERE id = ?', ref)
    this.#run('DELETE FROM counted WHERE id = ?', ref)
    for (const row of rows.transactions) this.#putTransaction(seq, row)
    if (rows.payout) this.#putPayout(seq, rows.payout)
    if (rows.counted) this.#putCounted(ref, rows.counted)
    if (rows.decision) this.#putDecision(ref, rows.decision)
    else this.#run('DELETE FROM decision WHERE id = ?', ref)
  }

  #putTransaction(seq: number, { row, amount, recoverable }: ListRow<Transaction>): void {
    const change = Number(balanceChange(row))
    if (change !== 0)
      replace(this.#sql, balanceWallet, {
        wallet_id: row.fromWalletId!,
        address: row.fromWallet?.address ?? '',
        chain: row.fromWalletChain!,
      })
    insert(this.#sql, transactionTable, {
      id: row.id,
      seq,
      created_at: Date.parse(row.createdAt),
      status: row.status,
      category: row.category,
      amount,
      change,
      wallet_id: row.fromWalletId!,
      chain: row.fromWalletChain!,
      agent_id: row.agentId,
      group_id: row.policyGroupId,
      contact_id: row.contactId,
      body: JSON.stringify(row),
      recoverable,
    })
  }

  #putPayout(seq: number, { row, amount, recoverable }: ListRow<Escrow>): void {
    const [created_at, expires_at] = [Date.parse(row.createdAt), Date.parse(row.expiresAt)]
    const body = JSON.stringify(row)
    const { id, status, sourceWallet } = row
    insert(this.#sql, payoutTable, {
      id,
      seq,
      created_at,
      status,
      amount,
      chain: sourceWallet!.chain,
      expires_at,
      body,
      recoverable,
    })
  }

  #putCounted(id: string, { walletId, spentAt, recipient, ...same }: Counted): void {
    const { key, contactId, name, address } = recipient ?? { key: null, contactId: null, name: null, address: null }
    insert(this.#sql, counted, {
      id,
      ...same,
      wallet_id: walletId,
      spent_at: spentAt,
      recipient: key,
      contact_id: contactId,
      name,
      address,
    })
  }

  #putDecision(id: string, { groupId, agentId, answer, needs, chain, recipient, ...decision }: Decided): void {
    const { at, n, amount } = decision
    const row = {
      ...{ id, group_id: groupId, agent_id: agentId, at, n, chain, recipient, answer, amount, needs },
      rules: decision.rules.join(),
      body: JSON.stringify(decision),
    }
    const changes = ['at', 'n', 'recipient', 'answer', 'rules', 'amount', 'needs', 'body']
    const excluded = changes.map((name) => `excluded.${name}`)
    insert(
      this.#sql,
      decisionTable,
      row,
      `ON CONFLICT DO UPDATE SET ${changes.map((name, i) => `${name} = ${excluded[i]}`)}
       WHERE (decision.answer, decision.body) <> (excluded.answer, excluded.body) OR decision.recipient IS NOT excluded.recipient`,
    )
  }

  /** The group's newest decisions before this one, newest first. */
  decisions(groupId: string, since: number, before: DecisionCursor | null, limit: number): PastDecision[] {
    type Row = { id: string; body: string; known: number }
    return this.all<Row>(
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

  /** `now` in ms. */
  figures(chain: ChainName, now: number): Figures {
    const totals = this.all<Total>(
      'SELECT wallet_id AS walletId, state, method, n, amount FROM total WHERE chain = ?',
      chain,
    )
    type Recipient = Pick<RecoverableCursor, 'id'> & { contactId: string | null; name: string | null; address: string }
    const recipients = this.all<Recipient & { n: number; amount: number; at: number }>(
      `SELECT counted.id, contact_id AS contactId, name, address, n, paid.amount, last_at AS at
       FROM recipient_total AS paid JOIN counted ON counted.id = last_id
       WHERE paid.chain = ? ORDER BY last_at DESC LIMIT 5`,
      chain,
    )
    const failed = `SELECT count(*) AS n FROM counted WHERE chain = ? AND ${countedSql('failed_24h', now)}`
    return {
      totals,
      failed: this.all<{ n: number }>(failed, chain)[0]!.n,
      recipients: recipients.map(({ id, contactId, name, address, n, amount, at }) => ({
        lastPaymentId: id,
        contactId,
        name,
        recipient: address,
        count: n,
        amount: formatUsdc(BigInt(amount)),
        lastPaidAt: isoOf(at),
      })),
      balanceChanges: this.#balanceChanges(chain, Math.floor(now / dayMs)),
    }
  }

  /** `today`: the number of the UTC day. The chain's clock may be ahead of ours. */
  #balanceChanges(chain: ChainName, today: number): BalanceChange[] {
    return this.all<BalanceChange>(
      `SELECT wallet_id AS walletId, max(0, ? - day) AS daysAgo, change
       FROM balance_wallet JOIN balance_day USING (wallet_id) WHERE chain = ? AND day > ? ORDER BY walletId, day`,
      today,
      chain,
      today - balanceDays,
    )
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
    return this.all<Sums>(
      `SELECT wallet_id AS walletId, address, chain, ${before(from)} AS opening, ${before(to)} AS closing
       FROM balance_wallet AS wallet ORDER BY chain, wallet_id`,
    ).map(({ opening, closing, ...wallet }) => ({
      ...wallet,
      name: names[wallet.walletId] ?? null,
      opening: formatUsdc(BigInt(opening)),
      closing: formatUsdc(BigInt(closing)),
    }))
  }

  recoverableRows({ createdAt, id }: RecoverableCursor, limit: number): RecoverableRow[] {
    return this.all<RecoverableRow>(
      `SELECT paid.id, paid.created_at AS createdAt, paid.recoverable, payout_view.recoverable AS payout
       FROM transaction_view AS paid LEFT JOIN payout_view ON payout_view.id = paid.id
       WHERE paid.recoverable IS NOT NULL AND (paid.created_at, paid.id) > (?, ?) ORDER BY paid.created_at, paid.id LIMIT ?`,
      createdAt,
      id,
      limit,
    )
  }

  recoverableDeadlines(): { walletId: string; deadline: number | null }[] {
    return this.all(
      `SELECT wallet_id AS walletId, max(recoverable->>'$.row.max_deadline') AS deadline FROM transaction_view GROUP BY wallet_id`,
    )
  }

  names(): Names {
    return readNames(this.#storage)
  }

  recoverableValues(): RecoverableValue[] {
    return this.all<RecoverableValue>('SELECT name, value FROM recoverable_value ORDER BY name')
  }

  get #sql(): SqlStorage {
    return this.#storage.sql
  }
  readonly all = <Row>(query: string, ...values: SqlStorageValue[]): Row[] =>
    this.#sql.exec(query, ...values).toArray() as Row[]
  #run(query: string, ...values: SqlStorageValue[]): void {
    this.#sql.exec(query, ...values)
  }
}
