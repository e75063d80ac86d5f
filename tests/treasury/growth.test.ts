/** Payments do not get slower as a Treasury's tables grow. `npm run test:long treasury-growth` runs this at full size. */
import { expect, test } from 'vitest'
import type { RuleEdits } from '#domain/rules/values.ts'
import { settleSend } from '../../worker/treasury/ledger/ledger.ts'
import { createBook, paid } from '../support/book.ts'
import { toAddress, usdc } from '../support/build.ts'
import { within } from '../support/patience.ts'

const payments = Number(process.env.GROWTH_PAYMENTS ?? 3_000)
const few = Math.min(1_000, payments / 6)
const sample = few / 2
const paymentMs = 600_000 // ten minutes between two payments: 200,000 take almost four years

function createPaidTreasury() {
  const book = createBook({ funds: '100000000' })
  const { store, clock } = book
  const limits: RuleEdits = { maxPayment: usdc('10'), periodBudget: { period: 'day', limit: usdc('1000') } }
  const principal = book.addAgent(book.addGroup({ spendLimit: usdc('10000000'), limits }))

  /** Pays one of 500 recipients. Returns the payment's id. */
  const pay = (i: number): string =>
    paid(book.pay({ principal, key: `order-${i}`, to: toAddress(i % 500), memo: `Order ${i}` })).id
  /** Settles the payment as if its log were booked and the outbox delivered. */
  const confirm = (id: string) => {
    clock.now += paymentMs
    store.transaction(() => {
      settleSend(store, store.payment(id)!, clock.now)
      const hash = `0x${clock.now.toString(16).padStart(64, '0')}`
      const signed = [hash, clock.now, 1_800_000_000, hash, hash, id]
      store.run(
        `UPDATE payment SET status = 'CONFIRMED', tx_hash = ?, confirmed_at = ?, signed_at = created_at, sequence = rowid,
           deadline = ?, max_deadline = deadline, sig_version = 1, r = ?, vs = ? WHERE id = ?`,
        ...signed,
      )
      store.run('DELETE FROM outbox')
    })
  }
  /** Size of each table including its indexes, largest first. */
  const bytes = () =>
    store.all<{ name: string; n: number }>(
      `SELECT tbl_name AS name, sum(pgsize) AS n FROM dbstat JOIN sqlite_schema USING (name)
       GROUP BY 1 HAVING n > 100000 ORDER BY n DESC`,
    )
  return { ...book, pay, confirm, bytes }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

test('payments stay fast after many thousands, and the first idempotency key still returns the first payment @retention-9', {
  ...within(600_000),
}, () => {
  const [small, large] = [createPaidTreasury(), createPaidTreasury()]
  const { pay, bytes, store } = large
  const first = pay(0)
  large.confirm(first)
  for (let i = 0; i < few; i++) small.confirm(small.pay(i))
  for (let i = 1; i < payments; i++) large.confirm(pay(i))
  // In turns, so that a busy machine slows down both.
  const times = { small: [] as number[], large: [] as number[] }
  for (let i = 0; i < sample; i++)
    for (const [name, treasury, n] of [
      ['small', small, few],
      ['large', large, payments],
    ] as const) {
      const startedAt = performance.now()
      const id = treasury.pay(n + i)
      times[name].push(performance.now() - startedAt)
      treasury.confirm(id)
    }
  const [early, late] = [median(times.small), median(times.large)]
  console.log(
    `${payments} payments: ${(early * 1000).toFixed(0)} µs at ${few}, ${(late * 1000).toFixed(0)} µs at the end; ` +
      `bytes per payment: ${bytes()
        .map(({ name, n }) => `${name} ${Math.round(n / (payments + sample))}`)
        .join(', ')}`,
  )
  expect(pay(0)).toBe(first)
  expect(store.first('SELECT count(*) AS n FROM payment')).toEqual({ n: payments + sample })
  expect(late, 'not slower with the number of payments').toBeLessThan(early * 2)
  small.close()
  large.close()
})
