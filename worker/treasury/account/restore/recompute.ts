import { rulesOf } from '../../core/storage/groupPolicy.ts'
import { isFunding } from '../../core/storage/kindSql.ts'
import type { GroupRow } from '../../core/storage/rows.ts'
import { statusIn } from '../../core/storage/statuses.ts'
import type { Store } from '../../core/storage/store.ts'
import { recountWindows } from '../../ledger/windows.ts'

const isReturning = 'payment.id IN (SELECT id FROM payout WHERE returned_block IS NOT NULL)'
const isHeld = `(payment.status IN ${statusIn.held} OR ${isReturning})`
const isSpent = "payment.status = 'CONFIRMED'"
const isUnsettled = `payment.status IN ${statusIn.unsettled}`
/** The money left the wallet, even if it came back since. */
const hasLeft = "(payment.status IN ('CONFIRMED','PENDING') OR payment.id IN (SELECT id FROM payout WHERE funded = 1))"

/** `columns`: the conditions of the payments that each sums. */
type Sums = { table: string; id: string; of: string; columns: Record<string, string> }

const ledgers: Sums[] = [
  { table: 'wallet', id: 'id', of: 'payment.wallet_id', columns: { held: isUnsettled, out: hasLeft } },
  {
    table: 'session',
    id: "wallet_id || ':' || epoch",
    of: "payment.wallet_id || ':' || payment.epoch",
    columns: { held: isUnsettled, used: hasLeft },
  },
  { table: 'agent', id: 'id', of: 'payment.agent_id', columns: { held: isHeld, spent: isSpent } },
  {
    table: 'policy_group',
    id: 'id',
    of: 'payment.group_id',
    columns: {
      held: isHeld,
      spent: isSpent,
      unclaimed: `${isFunding('payment.kind')} AND ${isHeld}`,
    },
  },
]

/**
 * Sets every sum that is kept of payments to what their rows say, one pass for each ledger. Deposits, returns and withdrawals
 * of wallets are sums of logs and stay. Call inside a transaction.
 */
export function recompute(store: Store, now: number): void {
  for (const group of store.all<GroupRow>('SELECT * FROM policy_group WHERE deleted_at IS NULL'))
    recountWindows(store, group.id, rulesOf(group), now)
  for (const { table, id, of, columns } of ledgers) {
    const names = Object.keys(columns)
    const sums = names.map((name) => `sum(payment.amount) FILTER (WHERE ${columns[name]}) AS ${name}`)
    store.run(
      `WITH sums AS MATERIALIZED (
         SELECT ${of} AS of, ${sums} FROM payment LEFT JOIN policy_group ON policy_group.id = payment.group_id
         WHERE payment.accepted_at IS NOT NULL GROUP BY 1)
       UPDATE ${table} SET (${names}) = (SELECT ${names.map((name) => `coalesce(max(sums.${name}), 0)`)} FROM sums WHERE sums.of = ${id})`,
    )
  }
  for (const [table, of] of [
    ['agent', 'agent_id'],
    ['policy_group', 'group_id'],
  ] as const)
    store.run(
      `WITH sums AS MATERIALIZED (
         SELECT ${of} AS of, count(*) AS payments, max(accepted_at) AS at FROM payment WHERE accepted_at IS NOT NULL GROUP BY 1)
       UPDATE ${table} SET payments = sums.payments, last_activity_at = max(coalesce(last_activity_at, 0), sums.at)
       FROM sums WHERE sums.of = ${table}.id`,
    )
  store.run(
    `UPDATE session SET next_sequence = max(next_sequence, coalesce((SELECT max(sequence) + 1 FROM payment
       WHERE payment.wallet_id = session.wallet_id AND payment.epoch = session.epoch AND sequence IS NOT NULL), 0))`,
  )
}
