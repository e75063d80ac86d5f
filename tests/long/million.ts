/**
 * An account with a million payments, in memory: how long the overview takes, and whether accepting a payment is as fast as with
 * a thousand. `npm run test:long million`; PAYMENTS sets their number.
 */

import type { RuleEdits } from '#domain/rules/values.ts'
import { figures } from '../../worker/treasury/reports/overview.ts'
import { usageOf } from '../../worker/treasury/reports/usage.ts'
import { createBook, paid } from '../support/book.ts'
import { toAddress, usdc } from '../support/build.ts'
import { createMemoryHistory } from '../support/memoryHistory.ts'

const payments = Number(process.env.PAYMENTS ?? 1_000_000)
const few = 1_000
const rounds = 40
const perRound = 100
const secondMs = 1_000

/** SQL: n(i) has the numbers from 1. */
const numbers = (count: number) => `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`

/** Each of 500 recipients was paid every 500 seconds until now. */
function createTreasury(count: number) {
  const book = createBook({ funds: '100000000' })
  const { store, clock } = book
  const limits: RuleEdits = { maxPayment: usdc('10'), periodBudget: { period: 'day', limit: usdc('1000000') } }
  const group = book.addGroup({ spendLimit: usdc('100000000'), limits })
  const principal = book.addAgent(group)
  const at = `${clock.now} - i * ${secondMs}`
  const rows = numbers(count)
  store.transaction(() => {
    store.run(
      `INSERT INTO payment (id, kind, wallet_id, group_id, agent_id, to_type, to_address, amount, status, created_at, accepted_at,
         confirmed_at, give_up_at, epoch, sequence, tx_hash)
       ${rows} SELECT 'pay_seed' || i, 'send', 'wal', ?, ?, 'address', printf('0x%040x', i % 500), 1000000, 'CONFIRMED', ${at}, ${at},
         ${at}, 0, 1, 4000000000 - i, '0x' || i FROM n`,
      group,
      principal.agentId,
    )
    store.run(
      `INSERT INTO idempotency (key, fingerprint, kind, ref, created_at)
       ${rows} SELECT 'agent|seed-' || i, '', 'payment', 'pay_seed' || i, 0 FROM n`,
    )
    store.run(
      `INSERT INTO audit (seq, at, event, ref, data, previous, hash)
       ${rows} SELECT 1000 + i, ${at}, 'payment.accepted', 'pay_seed' || i, '{}', hex(zeroblob(32)), hex(zeroblob(32)) FROM n`,
    )
    store.auditHead = null
    store.run(`INSERT INTO change (seq, ref) ${rows} SELECT 1000000 + i, 'pay_seed' || i FROM n`)
  })
  let made = 0
  /** ms for each of some payments. */
  const time = () => {
    const startedAt = performance.now()
    for (let i = 0; i < perRound; i++) {
      clock.now += secondMs
      paid(book.pay({ principal, key: `order-${made++}`, to: toAddress(i % 500) }))
    }
    return (performance.now() - startedAt) / perRound
  }
  return { ...book, time }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
function msOf(work: () => unknown) {
  const times = Array.from({ length: 20 }, () => {
    const startedAt = performance.now()
    work()
    return performance.now() - startedAt
  })
  return median(times)
}

const [small, large] = [createTreasury(few), createTreasury(payments)]
console.log(`${payments} payments are there`)
// In turns, because the machine is not equally fast all the time.
const times = Array.from({ length: rounds }, () => [small.time(), large.time()] as const)
const [atFew, atMany] = [median(times.map(([a]) => a)), median(times.map(([, b]) => b))]
const slower = atMany / atFew - 1
console.log(
  `accepting: ${(atFew * 1000).toFixed(0)} µs at ${few}, ${(atMany * 1000).toFixed(0)} µs at ${payments}: ${(slower * 100).toFixed(1)} % slower`,
)
const usage = msOf(() => usageOf(large.context))
const accountFigures = msOf(() => figures(large.context))
const history = createMemoryHistory(large)
const account = `'base', 'wal', ${large.clock.now} - i * ${secondMs}, 1000000`
history.all(
  `INSERT INTO counted (id, chain, wallet_id, at, amount, state, method, recipient, address)
   ${numbers(payments)} SELECT 'pay_seed' || i, ${account}, iif(i % 100, 'confirmed', 'failed'), 'address',
     iif(i % 100, i % 20000, NULL), iif(i % 100, i % 20000, NULL) FROM n`,
)
const paidFigures = msOf(() => history.rows.figures('base', large.clock.now))
const overview = accountFigures + paidFigures
console.log(`overview: ${overview.toFixed(2)} ms (History ${paidFigures.toFixed(2)}), usage: ${usage.toFixed(2)} ms`)
if (overview > 20 || usage > 20 || slower > 0.1) {
  console.error('slower than an account with few payments')
  process.exitCode = 1
}
