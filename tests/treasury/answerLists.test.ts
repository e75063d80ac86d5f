/** Lists that answer a question, their sums and their files: payouts that expire soon, payments by wallet, group and person. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatUsdc } from '#domain/money.ts'
import { dayMs } from '#domain/time.ts'
import { recordChange } from '../../worker/treasury/outbox/changes.ts'
import { cases } from '../support/cases.ts'
import { sumOf } from '../support/memoryAccount.ts'
import { ad, grace, type Month, monthSteps, monthWith } from '../support/randomMonth.ts'

type Line = Record<string, string>
const idsOf = (lines: Line[]) => lines.map(({ ID }) => ID!)

/** Lets the payouts expire at various times before and after now. */
function spreadExpiry({ store, context, clock, history }: Month) {
  const ids = store.all<{ id: string }>('SELECT id FROM payout ORDER BY id')
  for (const [i, { id }] of ids.entries()) {
    store.run('UPDATE payout SET expires_at = ? WHERE id = ?', clock.now + ((i % 11) - 2) * 4 * dayMs, id)
    recordChange(context, id)
  }
  history.follow()
}

test('payouts that expire soon are those of the file that do, and sort by it in both @answers-28', async () => {
  await fc.assert(
    fc.asyncProperty(monthSteps, async (steps) => {
      const month = await monthWith(steps)
      spreadExpiry(month)
      const { lists, clock } = month
      const all = await lists.payoutsCsv({})
      for (const days of ['1', '7', '30']) {
        const soon = all.filter(
          (line) =>
            ['CREATING', 'CREATED'].includes(line.Status!) &&
            Date.parse(line['Expires (UTC)']!) < clock.now + Number(days) * dayMs,
        )
        for (const network of ['base', 'base-sepolia']) {
          const expected = soon.filter(({ Chain }) => Chain === network)
          const search = { expiresWithinDays: days, network, sort: 'soonest' }
          const { rows, page } = await lists.payouts(search)
          const lines = await lists.payoutsCsv(search)
          expect(rows.map(({ id }) => id)).toEqual(idsOf(lines))
          expect(idsOf(lines).sort()).toEqual(idsOf(expected).sort())
          expect([page.total, page.amount![network as 'base']]).toEqual([
            expected.length,
            formatUsdc(sumOf(expected, 'Amount (USDC)')),
          ])
        }
      }
      const at = (line: Line) => Date.parse(line['Expires (UTC)']!)
      const soonest = all.toSorted((a, b) => at(a) - at(b) || (a.ID! < b.ID! ? -1 : 1))
      for (const [sort, sorted] of [
        ['soonest', soonest],
        ['latest', soonest.toReversed()],
      ] as const) {
        expect((await lists.payouts({ sort })).rows.map(({ id }) => id)).toEqual(idsOf(sorted))
        expect(idsOf(await lists.payoutsCsv({ sort }))).toEqual(idsOf(sorted))
      }
      month.close()
    }),
    { numRuns: cases(2, 15) },
  )
})

test('transactions by wallet and group, and all payments to one person, equal their files @answers-29', async () => {
  await fc.assert(
    fc.asyncProperty(monthSteps, async (steps) => {
      const month = await monthWith(steps)
      const { lists, store, groups } = month
      const all = await lists.transactionsCsv({})
      const movements = new Map((await lists.transactions({})).rows.map((row) => [row.id, row]))
      for (const wallet of ['wal', 'wal2', 'test'])
        for (const group of [undefined, ...groups]) {
          const search = { wallet, ...(group && { group }) }
          const { rows, page } = await lists.transactions(search)
          const lines = (await lists.transactionsCsv(search)).filter(({ ID }) => ID !== '')
          const expected = all.filter(({ ID }) => {
            const row = movements.get(ID!)
            return row?.fromWalletId === wallet && (!group || row.policyGroupId === group)
          })
          expect(idsOf(lines), JSON.stringify(search)).toEqual(idsOf(expected))
          expect([rows.map(({ id }) => id), page.total]).toEqual([idsOf(lines), lines.length])
          expect(page.spent!.base).toBe(formatUsdc(sumOf(lines, 'Spent (USDC)')))
        }
      // The Treasury's own rows say whom a payment was for.
      for (const { id: contact, address, email } of [grace, ad]) {
        const paid = store.all<{ id: string; amount: number }>(
          `SELECT payment.id, payment.amount FROM payment JOIN wallet ON wallet.id = wallet_id
           WHERE chain_id = 8453 AND payment.accepted_at IS NOT NULL
             AND payment.status IN ('QUEUED', 'PROCESSING', 'PENDING', 'CONFIRMED')
             AND (payment.contact_id = ? OR lower(payment.recipient_email) = ?
               OR (lower(payment.to_address) = ? AND payment.kind <> 'payout'))`,
          contact,
          email ?? '-',
          address.toLowerCase(),
        )
        const search = { figure: 'paid', contact }
        const { rows, page } = await lists.transactions(search)
        const lines = await lists.transactionsCsv(search)
        expect(idsOf(lines).sort()).toEqual(paid.map(({ id }) => id).sort())
        expect(rows.map(({ id }) => id)).toEqual(idsOf(lines))
        const sum = formatUsdc(paid.reduce((total, { amount }) => total + BigInt(amount), 0n))
        expect([page.total, page.amount!.base, formatUsdc(sumOf(lines, 'Amount (USDC)'))]).toEqual([
          paid.length,
          sum,
          sum,
        ])
      }
      month.close()
    }),
    { numRuns: cases(2, 15) },
  )
})
