import type { Hex } from '../chain/types.ts'
import type { Lane, WaitingItem } from '../domain/batch.ts'
import { leastLifeSeconds } from '../domain/intent.ts'
import type { RelayItem, RelayReport, SubmitResult } from './types.ts'

/** Failures on chain within an hour after which a user's items rest: we pay for them. */
const failureQuota = 10
const quotaMs = 3_600_000 // 1 hour
/** On-chain failures of one item after which it is given up. */
const maxFailures = 3
const firstParkMs = 2_000 // 2 seconds, doubling
const longestParkMs = 600_000 // 10 minutes
const firstTellMs = 1_000 // 1 second, doubling
const maxTells = 10
const keepMs = 7 * 86_400_000 // 7 days

export type LoadedItem = {
  id: string
  userId: string
  target: Hex
  data: Hex
  packed?: NonNullable<RelayItem['packed']>
}

type ItemRow = {
  id: string
  user_id: string
  target: Hex
  data: Hex
  packed: string | null
  scope: string | null
  state: 'waiting' | 'parked' | 'carried' | 'mined' | 'failed' | 'dropped'
  nonce: number | null
  tx_hash: Hex | null
  reason: string | null
  parks: number
  failures: number
  version: number
  tell_attempts: number
}

const reportColumns = 'id, user_id, state, tx_hash, reason, version, tell_attempts'

export type Telling = { userId: string; reports: RelayReport[]; rows: { id: string; version: number }[] }

/** The queue of one Relayer: what waits, what rests, what became of it. Synchronous; callers open the transaction. */
export class Items {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  submit(items: readonly RelayItem[], now: number): SubmitResult {
    const result: SubmitResult = { accepted: [], refused: [] }
    const known = this.#known(items.map((item) => item.id))
    const contents = this.#contents(items.flatMap((item) => item.guard?.scope ?? []))
    const frozen = new Set(
      this.#sql
        .exec<{ user_id: string }>('SELECT user_id FROM frozen')
        .toArray()
        .map((row) => row.user_id),
    )
    let fresh: RelayItem[] = []
    for (const item of items) {
      const reason = known.has(item.id) ? null : refusal(item, frozen, contents)
      if (reason !== null) {
        result.refused.push({ id: item.id, reason })
        continue
      }
      result.accepted.push(item.id)
      if (known.has(item.id)) continue
      known.add(item.id)
      if (fresh.some(({ guard }) => guard !== undefined && guard.scope === item.guard?.scope)) {
        // Two signatures of the same in one call: the older one has to be there to be superseded.
        this.#insert(fresh, now)
        fresh = []
      }
      if (item.guard) contents.set(item.guard.scope, item.guard.content)
      fresh.push(item)
    }
    this.#insert(fresh, now)
    return result
  }

  #known(ids: string[]): Set<string> {
    const rows = this.#sql.exec<{ id: string }>(
      'SELECT id FROM item WHERE id IN (SELECT value FROM json_each(?))',
      JSON.stringify(ids),
    )
    return new Set(rows.toArray().map((row) => row.id))
  }

  #contents(scopes: string[]): Map<string, string> {
    const rows = this.#sql.exec<{ scope: string; content: string }>(
      'SELECT scope, content FROM guard WHERE scope IN (SELECT value FROM json_each(?))',
      JSON.stringify(scopes),
    )
    return new Map(rows.toArray().map((row) => [row.scope, row.content]))
  }

  #insert(items: RelayItem[], now: number): void {
    const guards = items.flatMap((item) => item.guard ?? [])
    for (const { scope, content } of guards)
      this.#sql.exec('INSERT OR IGNORE INTO guard (scope, content) VALUES (?, ?)', scope, content)
    // What waits under the same scope is an older signature of the same.
    this.#finish(
      `state IN ('waiting','parked') AND scope IN (SELECT value FROM json_each(?))`,
      [JSON.stringify(guards.map((guard) => guard.scope))],
      'dropped',
      'superseded',
      now,
    )
    for (const item of items)
      this.#sql.exec(
        `INSERT INTO item (id, user_id, kind, lane, target, data, packed, scope, deadline, queued_at, due_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10)`,
        item.id,
        item.userId,
        item.kind,
        (item.packed ? 'send' : 'call') satisfies Lane,
        item.target,
        item.data,
        item.packed ? JSON.stringify(item.packed) : null,
        item.guard?.scope ?? null,
        item.deadline,
        now,
      )
  }

  /** Oldest first; at most 50 of one user and lane, so that a long queue hides nobody. */
  ready(now: number): WaitingItem[] {
    return this.#sql
      .exec<{ id: string; user_id: string; lane: Lane; alone: number; queued_at: number }>(
        `SELECT id, user_id, lane, alone, queued_at FROM (
           SELECT *, row_number() OVER (PARTITION BY user_id, lane ORDER BY seq) AS place FROM item
           WHERE state IN ('waiting','parked') AND due_at <= ?
             -- A fresh signature of something that is under way waits for its fate.
             AND NOT EXISTS (SELECT 1 FROM item c WHERE c.scope = item.scope AND c.state = 'carried')
         ) WHERE place <= 50 ORDER BY place, seq LIMIT 500`,
        now,
      )
      .toArray()
      .map((row) => ({
        id: row.id,
        userId: row.user_id,
        lane: row.lane,
        alone: row.alone === 1,
        queuedAt: row.queued_at,
      }))
      .sort((a, b) => a.queuedAt - b.queuedAt)
  }

  /** When the next resting item may try again (ms). */
  nextDueAt(now: number): number | null {
    return this.#sql
      .exec<{ due: number | null }>(
        `SELECT min(due_at) AS due FROM item WHERE state IN ('waiting','parked') AND due_at > ?`,
        now,
      )
      .one().due
  }

  /** In the order of `ids`, sends of one wallet by rising nonce; without those that no longer wait. */
  load(ids: readonly string[]): LoadedItem[] {
    const rows = this.#sql.exec<Pick<ItemRow, 'id' | 'user_id' | 'target' | 'data' | 'packed'>>(
      `SELECT id, user_id, target, data, packed FROM item
       WHERE id IN (SELECT value FROM json_each(?)) AND state IN ('waiting','parked')`,
      JSON.stringify(ids),
    )
    const found = new Map(rows.toArray().map((row) => [row.id, row]))
    const items = ids.flatMap((id): LoadedItem[] => {
      const row = found.get(id)
      if (!row) return []
      const item = { id, userId: row.user_id, target: row.target, data: row.data }
      return [row.packed ? { ...item, packed: JSON.parse(row.packed) } : item]
    })
    return items.sort((a, b) =>
      a.packed && b.packed && a.packed.wallet === b.packed.wallet
        ? Number(BigInt(a.packed.nonce) - BigInt(b.packed.nonce))
        : 0,
    )
  }

  /** Nothing with under 60 s of chain time left is sent: its signer signs afresh. */
  dropExpired(timestamp: number, now: number): void {
    const waits = `state IN ('waiting','parked') AND deadline < ?`
    this.#finish(waits, [timestamp + leastLifeSeconds], 'dropped', 'too little time left', now)
  }

  /** It fails in simulation: not broadcast, tried again by itself later. */
  park(id: string, reason: string, now: number): void {
    const { parks } = this.#sql.exec<{ parks: number }>('SELECT parks FROM item WHERE id = ?', id).one()
    const restMs = Math.min(firstParkMs * 2 ** parks, longestParkMs)
    this.#sql.exec(
      `UPDATE item SET state = 'parked', alone = 1, reason = ?, parks = parks + 1, due_at = ?,
         version = version + 1, tell_at = ?, tell_attempts = 0
       WHERE id = ? AND state IN ('waiting','parked')`,
      reason,
      now + restMs,
      now,
      id,
    )
  }

  setAlone(id: string): void {
    this.#sql.exec('UPDATE item SET alone = 1 WHERE id = ?', id)
  }

  /** Users whose deliveries failed too often this hour rest for a minute at a time. */
  restOverQuota(now: number): void {
    this.#sql.exec(
      `UPDATE item SET state = 'parked', due_at = ?, reason = 'too many failed deliveries this hour',
         version = version + 1, tell_at = ?, tell_attempts = 0
       WHERE state IN ('waiting','parked') AND due_at <= ? AND user_id IN (
         SELECT user_id FROM failure WHERE at > ? GROUP BY user_id HAVING count(*) >= ?)`,
      now + 60_000,
      now,
      now,
      now - quotaMs,
      failureQuota,
    )
  }

  carry(ids: readonly string[], nonce: number): void {
    this.#sql.exec(
      `UPDATE item SET state = 'carried', nonce = ?, tx_hash = NULL, reason = NULL
       WHERE id IN (SELECT value FROM json_each(?))`,
      nonce,
      JSON.stringify(ids),
    )
  }

  /** A node took the transaction: from here on the hash is worth showing. */
  broadcast(nonce: number, hash: Hex, now: number): void {
    this.#sql.exec(
      `UPDATE item SET tx_hash = ?, version = version + 1, tell_at = ?, tell_attempts = 0
       WHERE nonce = ? AND state = 'carried' AND tx_hash IS NOT ?`,
      hash,
      now,
      nonce,
      hash,
    )
  }

  mined(id: string, hash: Hex, now: number): void {
    this.#finish(`id = ? AND state <> 'mined'`, [id], 'mined', null, now, hash)
    this.#finish(
      `state IN ('waiting','parked') AND scope = (SELECT scope FROM item WHERE id = ?)`,
      [id],
      'mined',
      null,
      now,
      hash,
    )
  }

  /** It failed inside the mined transaction `nonce`: once more alone, or given up. */
  failed(id: string, nonce: number, hash: Hex, now: number): void {
    const row = this.#sql
      .exec<ItemRow>(`SELECT * FROM item WHERE id = ? AND state = 'carried' AND nonce = ?`, id, nonce)
      .toArray()[0]
    if (!row) return
    this.#sql.exec('INSERT INTO failure (user_id, at) VALUES (?, ?)', row.user_id, now)
    this.#sql.exec('UPDATE item SET failures = failures + 1 WHERE id = ?', id)
    if (row.failures + 1 < maxFailures) this.requeue(id, nonce, true, now)
    else this.#finish('id = ?', [id], 'failed', 'failed on chain', now, hash)
  }

  /** The transaction that carried it did not decide its fate. */
  requeue(id: string, nonce: number, alone: boolean, now: number): void {
    this.#sql.exec(
      `UPDATE item SET state = 'waiting', nonce = NULL, alone = max(alone, ?), due_at = ?
       WHERE id = ? AND state = 'carried' AND nonce = ?`,
      alone ? 1 : 0,
      now,
      id,
      nonce,
    )
  }

  /** The transaction that settled it is gone from the chain (a reorganisation): it is under way again. */
  unsettle(nonce: number): void {
    this.#sql.exec(
      `UPDATE item SET state = 'carried', finished_at = NULL
       WHERE nonce = ? AND state = 'mined' AND tx_hash IN (SELECT hash FROM attempt WHERE attempt.nonce = item.nonce)`,
      nonce,
    )
  }

  freeze(userId: string, now: number): void {
    this.#sql.exec('INSERT OR IGNORE INTO frozen (user_id) VALUES (?)', userId)
    this.#finish(`user_id = ? AND state IN ('waiting','parked')`, [userId], 'dropped', 'frozen', now)
  }

  unfreeze(userId: string): void {
    this.#sql.exec('DELETE FROM frozen WHERE user_id = ?', userId)
    // Forgotten, so that the same ids may be submitted again.
    this.#sql.exec(`DELETE FROM item WHERE user_id = ? AND state = 'dropped' AND reason = 'frozen'`, userId)
  }

  #finish(
    where: string,
    bindings: (string | number | null)[],
    state: 'mined' | 'failed' | 'dropped',
    reason: string | null,
    now: number,
    hash: Hex | null = null,
  ): void {
    this.#sql.exec(
      `UPDATE item SET state = ?, reason = ?, tx_hash = coalesce(?, tx_hash), finished_at = ?,
         version = version + 1, tell_at = ?, tell_attempts = 0
       WHERE ${where}`,
      state,
      reason,
      hash,
      now,
      now,
      ...bindings,
    )
  }

  report(id: string): RelayReport | null {
    const row = this.#sql.exec<ItemRow>(`SELECT ${reportColumns} FROM item WHERE id = ?`, id).toArray()[0]
    return row ? reportOf(row) : null
  }

  /** What Treasuries do not know yet, one entry per user. */
  untold(now: number): Telling[] {
    const rows = this.#sql
      .exec<ItemRow>(`SELECT ${reportColumns} FROM item WHERE tell_at <= ? ORDER BY tell_at LIMIT 200`, now)
      .toArray()
    return [...Map.groupBy(rows, (row) => row.user_id)].map(([userId, list]) => ({
      userId,
      reports: list.map(reportOf),
      rows: list.map(({ id, version }) => ({ id, version })),
    }))
  }

  told(rows: Telling['rows']): void {
    this.#sql.exec(
      `UPDATE item SET tell_at = NULL FROM json_each(?) AS row
       WHERE item.id = row.value->>'id' AND item.version = row.value->>'version'`,
      JSON.stringify(rows),
    )
  }

  /** The Treasury did not answer. It asks by itself too, so after ten tries we stop. */
  tellLater(rows: Telling['rows'], now: number): void {
    for (const { id, version } of rows) {
      this.#sql.exec(
        `UPDATE item SET tell_attempts = tell_attempts + 1,
           tell_at = CASE WHEN tell_attempts + 1 >= ? THEN NULL ELSE ? + (? << tell_attempts) END
         WHERE id = ? AND version = ?`,
        maxTells,
        now,
        firstTellMs,
        id,
        version,
      )
    }
  }

  nextTellAt(): number | null {
    return this.#sql.exec<{ due: number | null }>('SELECT min(tell_at) AS due FROM item').one().due
  }

  prune(now: number): void {
    this.#sql.exec('DELETE FROM item WHERE finished_at < ?', now - keepMs)
    this.#sql.exec('DELETE FROM failure WHERE at < ?', now - quotaMs)
  }
}

function reportOf(row: ItemRow): RelayReport {
  const state = row.state === 'carried' ? (row.tx_hash ? 'broadcast' : 'waiting') : row.state
  return {
    id: row.id,
    state,
    ...(row.tx_hash ? { txHash: row.tx_hash } : {}),
    ...(row.reason ? { reason: row.reason } : {}),
  }
}

const address = /^0x[0-9a-fA-F]{40}$/
const bytes = /^0x(?:[0-9a-fA-F]{2})*$/

/** One that cannot be encoded must not get into a batch. */
const word = /^0x[0-9a-fA-F]{64}$/
const isUint64 = (text: string) => /^[0-9]{1,20}$/.test(text) && BigInt(text) < 2n ** 64n

/** What packing.ts can pack without a surprise. */
function isWellFormedSend({ wallet, to, amount, nonce, deadline, r, vs }: NonNullable<RelayItem['packed']>): boolean {
  return (
    address.test(wallet) &&
    address.test(to) &&
    isUint64(amount) &&
    isUint64(nonce) &&
    Number.isSafeInteger(deadline) &&
    deadline >= 0 &&
    deadline < 2 ** 48 &&
    word.test(r) &&
    word.test(vs)
  )
}

/** Why an item is not taken, null when it is. `contents`: what the Relayer ever took, by scope. */
function refusal(item: RelayItem, frozen: Set<string>, contents: Map<string, string>): string | null {
  if (frozen.has(item.userId)) return 'frozen'
  if (!isWellFormed(item)) return 'malformed'
  const content = item.guard && contents.get(item.guard.scope)
  return content === undefined || content === item.guard?.content
    ? null
    : 'guard: another content is known under this scope'
}

function isWellFormed(item: RelayItem): boolean {
  if (!address.test(item.target) || !bytes.test(item.data) || !Number.isSafeInteger(item.deadline)) return false
  return !item.packed || isWellFormedSend(item.packed)
}
