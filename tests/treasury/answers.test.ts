/** Who was paid, and what agents asked for: kept sums against the lists, against their CSV files, and against a plan. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Answer } from '#domain/answers.ts'
import { formatUsdc, microUsdc, parseUsdc } from '#domain/money.ts'
import { type Period, periodAt, periodNumber, periods } from '#domain/periods.ts'
import { dayMs, hourMs } from '#domain/time.ts'
import type { Address } from '../../worker/chain/types.ts'
import { agentRequests, refusals } from '../../worker/history/answers.ts'
import { sumOfPeriod } from '../../worker/history/periodSums.ts'
import { paidTo } from '../../worker/services/answers.ts'
import { recordChange } from '../../worker/treasury/outbox/changes.ts'
import { createApprovalBook } from '../support/approvalBook.ts'
import { owner, payoutDraft, toAddress, toEmail } from '../support/build.ts'
import { cases } from '../support/cases.ts'
import { expectEqual } from '../support/expectFigure.ts'
import { createMemoryAccount, sumOf } from '../support/memoryAccount.ts'
import { createMemoryHistory } from '../support/memoryHistory.ts'
import { type Month, monthSteps, monthWith } from '../support/randomMonth.ts'

const micro = (text: string): bigint => parseUsdc(text)!
const total = (texts: string[]) => texts.reduce((sum, text) => sum + micro(text), 0n)

async function expectPaidTo(month: Month, period: Period) {
  for (const by of ['recipient', 'seller'] as const) {
    const paid = await paidTo(month.person, { period, by, limit: 100 })
    const { rows, others, days, daysBefore } = paid
    for (const { lastPaymentId, seller, spent, earlier } of rows) {
      const whose: Record<string, string> = by === 'seller' ? { seller: seller! } : { recipientOf: lastPaymentId }
      await expectEqual(month, { name: by, sum: spent, search: { ...whose, spent: days } })
      await expectEqual(month, { name: `${by} before`, sum: earlier, search: { ...whose, spent: daysBefore } })
    }
    expect(others).toEqual({ count: 0, spent: '0', earlier: '0' })
    expect([paid.spent, paid.earlier].map(micro)).toEqual([
      total(rows.map(({ spent }) => spent)),
      total(rows.map(({ earlier }) => earlier)),
    ])
    const lines = await month.lists.transactionsCsv({ spent: days, ...(by === 'seller' && { type: 'x402' }) })
    expect(paid.spent, by).toBe(formatUsdc(sumOf(lines, 'Spent (USDC)')))
    const first = await paidTo(month.person, { period, by, limit: 1 })
    expect(first.rows).toEqual(rows.slice(0, 1))
    expect(total([first.others.spent, ...first.rows.map(({ spent }) => spent)])).toBe(micro(paid.spent))
    expect(first.others.count).toBe(Math.max(0, rows.length - 1))
  }
}

test('what each recipient and seller got, this week and month and the last, is the sum of its list and of its CSV @answers-1', async () => {
  await fc.assert(
    fc.asyncProperty(monthSteps, async (steps) => {
      const month = await monthWith(steps)
      for (const period of periods) await expectPaidTo(month, period)
      month.close()
    }),
    { numRuns: cases(6) },
  )
})

test('a month in which more comes back than is spent shows what was spent @answers-42', async () => {
  const account = createMemoryAccount()
  const { clock, store, pay, confirm, endPayout, history, person, lists } = account
  const payer = store.wallet('wal')!.address as Address
  const payNow = (...args: Parameters<typeof pay>) => {
    const result = pay(...args)
    if ('need' in result || !result.ok) throw new Error('not accepted')
    confirm(result.value.payment.id)
    return result.value.payment.id
  }
  clock.now = Date.UTC(2026, 9, 20)
  const draft = payoutDraft({ amount: 50_000_000, payer })
  const payout = payNow({ principal: owner, to: toEmail(), amount: microUsdc(50_000_000n) }, { draft })
  clock.now = Date.UTC(2026, 10, 20)
  payNow({ principal: owner, amount: microUsdc(1_000_000n) })
  endPayout(payout, payer)
  history.follow()
  expect(await paidTo(person, { period: 'month', by: 'recipient', limit: 10 })).toMatchObject({
    ...{ spent: '1', earlier: '0', rows: [{ spent: '1', earlier: '0' }] },
  })
  expect(await lists.overview()).toMatchObject({ totalSpent: '1' })
  account.close()
})

test('what an agent asked for is, by answer and rule, the number and sum of its list and of its CSV @answers-2', async () => {
  await fc.assert(
    fc.asyncProperty(monthSteps, async (steps) => {
      const month = await monthWith(steps)
      const now = month.clock.now
      for (const period of periods)
        for (const { agentId: sender } of month.agents) {
          const { sums, earlier, days, daysBefore } = agentRequests(month.history.rows.all, sender, { period, now })
          for (const { answer, chain, rules, count, amount } of sums) {
            const search = { sender, requested: days, answer, ...(rules.length > 0 && { rules: rules.join() }) }
            await expectEqual(month, { name: answer, count, sum: amount, of: 'amount', search }, chain)
          }
          for (const { answer, chain } of earlier) {
            const same = earlier.filter((one) => one.answer === answer && one.chain === chain)
            const [count, sum] = [
              same.reduce((n, one) => n + one.count, 0),
              formatUsdc(microUsdc(total(same.map(({ amount }) => amount)))),
            ]
            const search = { sender, requested: daysBefore, answer }
            await expectEqual(month, { name: `${answer} before`, count, sum, of: 'amount', search }, chain)
          }
        }
      const all = refusals(month.history.rows.all, { period: 'month', now })
      for (const { agentId: sender, chain, rules, count, amount } of all.rows) {
        const search = { sender, requested: all.days, answer: 'refused', rules: rules.join() }
        await expectEqual(month, { name: 'refused', count, sum: amount, of: 'amount', search }, chain)
      }
      month.close()
    }),
    { numRuns: cases(6) },
  )
})

/** A request whose answer follows from the group's rules: ask above 500, refuse above 700. */
const planned = fc.record({
  amount: fc.integer({ min: 1, max: 900 }),
  isApproved: fc.boolean(),
  waitMs: fc.constantFrom(0, hourMs, dayMs, 3 * dayMs),
  agent: fc.constantFrom(0, 1),
})
const answerOf = (amount: number, isApproved: boolean): Answer =>
  amount > 700 ? 'refused' : amount <= 500 ? 'allowed' : isApproved ? 'approved' : 'denied'

test('what agents asked for, and what rules refused, are the counts of a plan @answers-3', () => {
  fc.assert(
    fc.property(fc.array(planned, { minLength: 1, maxLength: 20 }), (plan) => {
      const limits = { maxPayment: microUsdc(700n), approveAbove: microUsdc(500n) }
      const book = createApprovalBook(limits)
      const history = createMemoryHistory(book)
      const agents = [book.addAgent(), book.addAgent()]
      const done = plan.map(({ amount, isApproved, waitMs, agent }, i) => {
        book.clock.now += waitMs
        // Each to its own recipient: what was denied is not asked about again for a day.
        const result = book.ask(agents[agent]!, toAddress(2 + i), microUsdc(BigInt(amount)))
        const approval = result.ok ? result.value.payment.approval_id : null
        if (approval) isApproved ? book.approve(approval) : book.refuse(approval)
        history.follow()
        return { amount, agent: agents[agent]!, answer: answerOf(amount, isApproved), at: book.clock.now }
      })
      book.asked(agents[0]!, toAddress(1), microUsdc(600n))
      done.push({ amount: 600, agent: agents[0]!, answer: 'waiting', at: book.clock.now })
      const { all } = history.follow()
      for (const period of periods) {
        const { days } = periodAt(period, book.clock.now)
        const within = done.filter(({ at }) => at >= days.from && at < days.to)
        const found = refusals(all, { period, now: book.clock.now })
        for (const agent of agents) {
          const own = within.filter((each) => each.agent === agent)
          const sums = agentRequests(all, agent.agentId, { period, now: book.clock.now }).sums
          const told = sums.map(({ answer, count, amount }) => [answer, count, Number(micro(amount))])
          const tally = [...new Set(own.map(({ answer }) => answer))].map((answer) => {
            const same = own.filter((each) => each.answer === answer)
            return [answer, same.length, same.reduce((sum, { amount }) => sum + amount, 0)]
          })
          expect(told.sort()).toEqual(tally.sort())
          const refused = own.filter(({ answer }) => answer === 'refused').map(({ amount }) => amount)
          expect(found.rows.filter(({ agentId }) => agentId === agent.agentId)).toMatchObject(
            refused.length === 0
              ? []
              : [
                  {
                    ...{ rules: ['group.max_payment'], count: refused.length },
                    limitToPass: formatUsdc(microUsdc(BigInt(Math.max(...refused)))),
                    next: expect.stringContaining('raise the limit'),
                  },
                ],
          )
        }
      }
      history.close()
      book.close()
    }),
    { numRuns: cases(20) },
  )
})

test('a refusal by a budget says the limit that would have let it pass, whatever was spent and held @answers-4', () => {
  const book = createApprovalBook({ periodBudget: { period: 'day', limit: microUsdc(1_000n) } })
  const history = createMemoryHistory(book)
  const agent = book.addAgent()
  expect(book.ask(agent, toAddress(1), microUsdc(900n)).ok).toBe(true)
  for (const amount of [200n, 150n]) expect(book.ask(agent, toAddress(1), microUsdc(amount)).ok).toBe(false)
  const { rows } = refusals(history.follow().all, { period: 'week', now: book.clock.now })
  expect(rows).toMatchObject([{ rules: ['group.budget_per_day'], count: 2, amount: '0.00035', limitToPass: '0.0011' }])
  expect(book.ask(agent, { type: 'email', email: 'a@example.com' }, microUsdc(1n)).ok).toBe(false)
  history.close()
  book.close()
})

/** Payments that come, change and go in any order, and what a sum over all of them says. */
const change = fc.record({
  id: fc.nat({ max: 30 }),
  recipient: fc.constantFrom('a', 'b', 'api.example.com 0x5'),
  amount: fc.constantFrom(1, 250_000, 9_999_999_999_999),
  spentAt: fc.option(fc.integer({ min: Date.UTC(2026, 0, 20), max: Date.UTC(2026, 4, 2) })),
  isGone: fc.boolean(),
})
test('kept sums of weeks and months do not depend on the order in which payments arrive, change and end @answers-5', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 80 }), (changes) => {
      const { storage, all, close } = createMemoryHistory({ context: null as never })
      const alive = new Map<number, (typeof changes)[number]>()
      const newest = new Map<string, number>()
      for (const each of changes) {
        const { id, recipient, amount, spentAt, isGone } = each
        storage.sql.exec('DELETE FROM counted WHERE id = ?', `pay_${id}`)
        alive.delete(id)
        // Nothing of the recipient is left, so that its row begins anew.
        if (isGone) continue
        alive.set(id, each)
        storage.sql.exec(
          `INSERT INTO counted (id, chain, wallet_id, at, amount, state, method, spent_at, recipient)
           VALUES (?, 'base', 'wal', 1, ?, 'confirmed', 'address', ?, ?)`,
          ...[`pay_${id}`, amount, spentAt, recipient],
        )
        if (spentAt !== null) newest.set(recipient, Math.max(spentAt, newest.get(recipient) ?? 0))
      }
      for (const [recipient, latest] of newest)
        for (const period of periods)
          for (const back of [0, 1]) {
            let at = latest
            for (let i = 0; i < back; i++) at = periodAt(period, at).before.from
            const { number, days } = periodAt(period, at)
            const [row] = all(
              `SELECT ${sumOfPeriod(period, number)} AS sum FROM recipient_total WHERE recipient = '${recipient}'`,
            ) as { sum: number }[]
            const right = [...alive.values()]
              .filter(({ recipient: to, spentAt }) => to === recipient && spentAt !== null)
              .filter(({ spentAt }) => spentAt! >= days.from && spentAt! < days.to)
              .reduce((sum, { amount }) => sum + amount, 0)
            expect([recipient, period, back, row?.sum ?? 0]).toEqual([recipient, period, back, right])
          }
      close()
    }),
    { numRuns: cases(60) },
  )
})

test('weeks begin on Monday and months on the first, in UTC, in code as in SQL, also where clocks change @answers-6', () => {
  expect(periodAt('week', Date.parse('2026-11-29T23:59:59Z')).days).toEqual({
    from: Date.parse('2026-11-23'),
    to: Date.parse('2026-11-30'),
  })
  expect(periodAt('month', Date.parse('2026-03-31T12:00:00Z'))).toMatchObject({
    days: { from: Date.parse('2026-03-01'), to: Date.parse('2026-04-01') },
    before: { from: Date.parse('2026-02-01') },
  })
  // Clocks change in New York on March 8, 2026, and in Berlin on October 25.
  for (const day of ['2026-03-08', '2026-10-25']) {
    const { days } = periodAt('week', Date.parse(day))
    expect(days.to - days.from, day).toBe(7 * dayMs)
  }
  const { all, close } = createMemoryHistory({ context: null as never })
  fc.assert(
    fc.property(fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) }), (at) => {
      for (const period of periods) {
        const [row] = all(`SELECT ${periodNumber(period, String(at))} AS number`) as { number: number }[]
        const { number, days, before } = periodAt(period, at)
        expect(row!.number).toBe(number)
        expect(at >= days.from && at < days.to && before.to === days.from).toBe(true)
        expect(periodAt(period, days.from - 1)).toMatchObject({ number: number - 1, days: before })
      }
    }),
  )
  close()
})

test('what answers keep costs one written row for each request of an agent, and fewer than it saves when its payment changes @answers-13', () => {
  const book = createApprovalBook()
  const history = createMemoryHistory(book)
  const agent = book.addAgent()
  history.follow()
  const written = () => (history.all('SELECT total_changes() AS n')[0] as { n: number }).n
  const before = written()
  const made = book.ask(agent, toAddress(1), microUsdc(1_000n))
  if (!made.ok) throw new Error('refused')
  history.follow()
  const accepted = written()
  book.store.update('payment', made.value.payment.id, { status: 'CONFIRMED', confirmed_at: book.clock.now })
  recordChange(book.context, made.value.payment.id)
  history.follow()
  const confirmed = written()
  const decisions = history.all('SELECT n, amount FROM decision_day')
  expect(decisions).toMatchObject([{ n: 1, amount: 1_000 }])
  // Without the sums, 7, and 17 with a decision that was written again.
  expect({ accepted: accepted - before, confirmed: confirmed - accepted }).toEqual({ accepted: 8, confirmed: 15 })
  history.close()
  book.close()
})
