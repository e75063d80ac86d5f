/** The sums of what was spent and of what is in escrow: they are those of the payments and payouts themselves. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dayMs } from '#domain/time.ts'
import { isOpenPayout } from '../../worker/treasury/core/storage/statuses.ts'
import { addressOf } from '../support/build.ts'
import { cases } from '../support/cases.ts'
import { createMemoryTreasury } from '../support/memoryTreasury.ts'
import { paymentRow, payoutRow } from '../support/rows.ts'

const kinds = ['send', 'payout', 'x402'] as const
const statuses = ['QUEUED', 'PROCESSING', 'PENDING', 'CONFIRMED', 'FAILED'] as const
const payoutStatuses = ['CREATING', 'CREATED', 'CLAIMING', 'WITHDRAWN', 'RECLAIMED', 'FAILED'] as const
const other = { id: 'other', address: addressOf(0x99) } as const
const step = fc.record({
  n: fc.nat(5),
  status: fc.constantFrom(...statuses),
  payout: fc.constantFrom(...payoutStatuses),
  funded: fc.constantFrom(0, 1),
  at: fc.nat(3 * dayMs),
  wallet_id: fc.constantFrom('wal', other.id),
  agent_id: fc.constantFrom('scout', 'buyer', null),
  amount: fc.integer({ min: 1, max: 9_000_000 }),
})

const walletSums = `SELECT id AS wallet_id,
    (SELECT coalesce(sum(amount), 0) FROM payment WHERE wallet_id = wallet.id AND status = 'CONFIRMED') AS spent,
    (SELECT coalesce(sum(amount), 0) FROM payout WHERE wallet_id = wallet.id AND funded = 1 AND ${isOpenPayout}) AS escrowed
  FROM wallet`
type Of = { day: number; wallet_id: string; group_id: string; agent_id: string }
/** Number and sum by day, wallet, group and agent, in this order. */
function sumsOf(spent: { amount: number; of: Of }[]) {
  const parts = Map.groupBy(spent, ({ of }) => JSON.stringify(of))
  return [...parts.values()]
    .map((part) => ({ ...part[0]!.of, n: part.length, amount: part.reduce((sum, { amount }) => sum + amount, 0) }))
    .sort((a, b) => compare(keyOf(a), keyOf(b)))
}
const keyOf = ({ day, wallet_id, group_id, agent_id }: Of) => `${day} ${wallet_id} ${group_id} ${agent_id}`
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const nonZero = (sums: string) => `SELECT * FROM (${sums}) WHERE spent <> 0 OR escrowed <> 0 ORDER BY wallet_id`

test('the sums are those of the payments and payouts, after any sequence of inserts, confirmations and undone ones @queries-2', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const { store, close } = createMemoryTreasury(1n, 1n)
      store.insert('wallet', { ...store.wallet('wal')!, ...other })
      /** What was spent, as it was booked: by payment, its day and whose it is. */
      const booked = new Map<string, { amount: number; of: Of }>()
      for (const { n, status, payout, funded, at, wallet_id, agent_id, amount } of steps) {
        const id = `pay_${n}`
        const known = store.payment(id)
        const kind = kinds[n % 3]!
        const group_id = agent_id && 'g'
        const owner = known ?? { wallet_id, group_id, agent_id, amount }
        const of = {
          day: Math.floor(at / dayMs),
          wallet_id: owner.wallet_id,
          group_id: owner.group_id ?? '',
          agent_id: owner.agent_id ?? '',
        }
        if (!known) {
          const row = { id, kind, wallet_id, agent_id, group_id, amount } as const
          // Only a payment without a payout is confirmed as soon as it is there: a restored one.
          const first = kind === 'payout' ? 'QUEUED' : status
          store.insert('payment', paymentRow({ ...row, status: first, confirmed_at: at }))
          if (first === 'CONFIRMED') booked.set(id, { amount, of })
          if (kind === 'payout') store.insert('payout', payoutRow({ id, wallet_id, amount, funded, status: payout }))
          continue
        }
        // In the order in which they are booked and undone: a payment has its day while it is confirmed.
        const isBooked = status === 'CONFIRMED'
        if (known.status === 'CONFIRMED' && isBooked) continue
        if (!isBooked) {
          store.update('payment', id, { status })
          booked.delete(id)
        }
        if (kind === 'payout') store.update('payout', id, { status: payout, funded, done_at: isBooked ? at : null })
        if (!isBooked) continue
        store.update('payment', id, { status, ...(kind !== 'payout' && { confirmed_at: at }) })
        booked.set(id, { amount: known.amount, of })
      }
      const wallets = store.all(nonZero(walletSums))
      const kept = store.all('SELECT * FROM spent_day WHERE n <> 0 ORDER BY day, wallet_id, group_id, agent_id')
      const keptWallets = store.all(nonZero('SELECT * FROM wallet_sum'))
      close()
      expect(kept).toEqual(sumsOf([...booked.values()]))
      expect(keptWallets).toEqual(wallets)
    }),
    { numRuns: cases(100) },
  )
})
