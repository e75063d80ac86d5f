/** Each figure, the list behind it, the list's sum, and its CSV file: over random months of an account. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FigureName } from '#domain/figures.ts'
import { formatUsdc, type MicroUsdc, parseUsdc } from '#domain/money.ts'
import { chainNameOf } from '#domain/networks.ts'
import { spans } from '#domain/statistics.ts'
import { dayMs } from '#domain/time.ts'
import { formatUtcDays } from '#domain/utcDays.ts'
import type { KeyBudget, MonthBudget } from '#schemas/usage.ts'
import { contactNames } from '../../worker/db/contacts.ts'
import { unwrap } from '../../worker/result.ts'
import { lastMonth } from '../../worker/treasury/payments/month.ts'
import { listGroups } from '../../worker/treasury/policies/views.ts'
import { budgetHistory } from '../../worker/treasury/reports/budgetHistory.ts'
import { spendingOf } from '../../worker/treasury/reports/spending.ts'
import { usageOf } from '../../worker/treasury/reports/usage.ts'
import { cases } from '../support/cases.ts'
import { expectEqual } from '../support/expectFigure.ts'
import { sumOf } from '../support/memoryAccount.ts'
import { ad, grace, type Month, monthSteps, monthWith, wallets } from '../support/randomMonth.ts'

type Search = Record<string, string>

async function expectOverview(month: Month) {
  const o = await month.lists.overview()
  const of = (figure: FigureName, more: Search = {}) => ({ search: { figure, ...more } })
  await expectEqual(month, { name: 'transactions', count: o.transactionCount, ...of('payments') })
  await expectEqual(month, { name: 'total spent', count: o.confirmed, sum: o.totalSpent, ...of('completed') })
  await expectEqual(month, { name: 'success rate', count: o.confirmed + o.failed, ...of('ended') })
  await expectEqual(month, { name: 'failed', count: o.failedToday, of: 'amount', ...of('failed_24h') })
  await expectEqual(month, { name: 'held', sum: o.held, of: 'amount', ...of('in_flight') })
  const unclaimed = { count: o.pendingPayouts.count, sum: o.pendingPayouts.amount }
  await expectEqual(month, { name: 'unclaimed', ...unclaimed, of: 'amount', ...of('unclaimed') })
  const payouts = { status: 'CREATING,CREATED', network: 'base' }
  const { rows, page } = await month.lists.payouts(payouts)
  const lines = await month.lists.payoutsCsv(payouts)
  expect([page.total, rows.length, lines.length]).toEqual(Array(3).fill(unclaimed.count))
  expect([page.amount!.base, formatUsdc(sumOf(lines, 'Amount (USDC)'))]).toEqual(Array(2).fill(unclaimed.sum))
  const held = month.store.first<{ sum: number }>('SELECT sum(held) AS sum FROM wallet WHERE chain_id = 8453')!.sum
  expect(o.held, 'the wallets’ own books').toBe(formatUsdc(BigInt(held)))
  const average = o.confirmed === 0 ? null : formatUsdc(parse(o.totalSpent) / BigInt(o.confirmed))
  expect(o.average).toBe(average)
  for (const { method, count, amount } of o.methods)
    await expectEqual(month, { name: method, count, sum: amount, of: 'amount', ...of(`by_${method}`) })
  for (const { id, count, spent } of o.topWallets) {
    await expectEqual(month, { name: 'wallet', count, sum: spent, ...of('accepted', { wallet: id }) })
    await expectEqual(month, { name: 'wallet spent', sum: spent, ...of('completed', { wallet: id }) })
  }
  for (const { lastPaymentId, count, amount } of o.recipients)
    await expectEqual(month, {
      name: 'recipient',
      count,
      sum: amount,
      of: 'amount',
      ...of('paid', { recipientOf: lastPaymentId }),
    })
  for (const { id, chain, spent, held: holds } of o.budgets) {
    await expectEqual(month, { name: 'budget', sum: spent, ...of('completed', { group: id }) }, chain)
    await expectEqual(month, { name: 'budget held', sum: holds, of: 'amount', ...of('holding', { group: id }) }, chain)
  }
}

const parse = (text: string): MicroUsdc => parseUsdc(text)!

function expectRing(month: MonthBudget, key: KeyBudget | null) {
  if (month.limit === null || month.remaining === null || key === null) throw new Error('a smart wallet has a limit')
  const [spent, limit] = [parse(month.currentSpent), parse(month.limit)]
  expect(month.remaining).toBe(formatUsdc(spent > limit ? 0n : limit - spent))
  expect(month.percentUsed).toBe(Math.min(999, Number((spent * 100n) / limit)))
  expect(parse(key.used) + parse(key.remaining)).toBe(parse(key.limit))
  expect(key.limit).toBe(month.limit)
  expect(key.percentUsed).toBe(Number((parse(key.used) * 100n) / parse(key.limit)))
}

async function expectUsage(month: Month) {
  const { context, clock } = month
  const usage = usageOf(context)
  const { globalBudget, sessionKeys } = usage
  const days = (from: string, to: string) => formatUtcDays({ from: Date.parse(from), to: Date.parse(to) })
  const thisMonth = days(globalBudget.periodStart, globalBudget.periodEnd)
  const before = days(globalBudget.previous.periodStart, globalBudget.periodStart)
  expectRing(globalBudget, sessionKeys)
  await expectEqual(month, { name: 'month', sum: globalBudget.currentSpent, search: { spent: thisMonth } })
  await expectEqual(month, { name: 'month before', sum: globalBudget.previous.spent, search: { spent: before } })
  const report = lastMonth(context, clock.now)
  const { payments: count, spent: sum } = report
  await expectEqual(month, { name: 'mail', count, sum, search: { spent: before } })
  for (const { id, chain, sessionKeyBudget, sessionKey, policyGroups } of usage.wallets) {
    expectRing(sessionKeyBudget, sessionKey)
    const ofMonth = { wallet: id, spent: thisMonth }
    await expectEqual(month, { name: 'wallet’s month', sum: sessionKeyBudget.currentSpent, search: ofMonth }, chain)
    for (const { id: group, budget, agents } of policyGroups) {
      const [spent, held, limit, remaining] = [budget.currentSpent, budget.held, budget.limit!, budget.remaining!].map(
        parse,
      )
      expect(remaining! + spent! + held!).toBe(limit)
      expect(budget.percentUsed).toBe(Number(((spent! + held!) * 100n) / limit!))
      await expectEqual(
        month,
        { name: 'group', sum: budget.currentSpent, search: { group, figure: 'completed' } },
        chain,
      )
      const holding = { group, figure: 'holding' }
      await expectEqual(month, { name: 'group held', sum: budget.held, of: 'amount', search: holding }, chain)
      for (const { id: sender, transactionCount, totalSpent } of agents) {
        const agent = { name: 'agent', count: transactionCount, sum: totalSpent }
        await expectEqual(month, { ...agent, search: { sender, figure: 'accepted' } }, chain)
        await expectEqual(
          month,
          { name: 'agent spent', sum: totalSpent, search: { sender, figure: 'completed' } },
          chain,
        )
      }
    }
  }
}

async function expectGroups(month: Month) {
  for (const { policyGroup: group, totalTransactions, agents } of await listGroups(month.context)) {
    const { chain } = group.wallet!
    const total = { name: 'group’s payments', count: totalTransactions, sum: group.currentSpent }
    await expectEqual(month, { ...total, search: { group: group.id, figure: 'accepted' } }, chain)
    for (const { id, held } of agents) {
      const search = { sender: id, figure: 'holding' }
      await expectEqual(month, { name: 'agent held', sum: held, of: 'amount', search }, chain)
    }
  }
}

/** Charts, and what the lines of the file of all movements add up to, by the days on which they were confirmed. */
async function expectSpending(month: Month, days: (typeof spans)[number]) {
  const { context, groups, lists } = month
  const all = await lists.transactionsCsv({})
  const spentOn = (day: string) =>
    sumOf(
      all.filter((line) => line['Confirmed (UTC)']!.startsWith(day)),
      'Spent (USDC)',
    )
  for (const by of ['agent', 'group'] as const)
    for (const walletId of [undefined, 'wal2', 'test']) {
      const spending = unwrap(spendingOf(context, { days, by, walletId }))
      const chain = walletId === 'test' ? 'base-sepolia' : 'base'
      const span = { spent: `${spending.days[0]}..${spending.days.at(-1)}`, ...(walletId && { wallet: walletId }) }
      for (const { kind, id, total, count, amounts } of spending.series) {
        const whose: Search = kind === 'user' ? { sender: 'user' } : kind === 'agent' ? { sender: id! } : { group: id! }
        await expectEqual(month, { name: 'series', count, sum: total, search: { ...span, ...whose } }, chain)
        expect(amounts.reduce((sum, amount) => sum + parse(amount), 0n)).toBe(parse(total))
      }
      if (walletId === undefined)
        for (const [i, day] of spending.days.entries())
          expect(
            spending.series.reduce((sum, { amounts }) => sum + parse(amounts[i]!), 0n),
            day,
          ).toBe(spentOn(day))
    }
  for (const [i, group] of groups.entries()) {
    const history = unwrap(budgetHistory(context, group, { days }))
    const chain = chainNameOf(wallets[i]!.chain)
    for (const { day, spent } of [history.days[0]!, history.days.at(-1)!]) {
      const until = formatUtcDays({ from: 0, to: Date.parse(day) + dayMs })
      await expectEqual(month, { name: 'budget history', sum: spent, search: { group, spent: until } }, chain)
    }
  }
  expect(formatUsdc(sumOf(all, 'Spent (USDC)')), 'of all lines').toBe((await lists.overview()).totalSpent)
}

test('each figure of overview, usage, groups and agents is the number and sum of its list and of its CSV @figures-7', async () => {
  await fc.assert(
    fc.asyncProperty(monthSteps, fc.constantFrom(...spans), async (steps, days) => {
      const made = await monthWith(steps)
      await expectOverview(made)
      await expectUsage(made)
      await expectGroups(made)
      await expectSpending(made, days)
      made.close()
    }),
    { numRuns: cases(8) },
  )
})

type Line = Record<string, string>
const isPaidOrClaimable = (status: string, payout: string | undefined) =>
  status === 'CONFIRMED' || payout === 'CREATING' || payout === 'CREATED'
/** For each figure, whether it counts a payment of which the files of transactions and of payouts say this. */
const countedWhen = {
  payments: () => true,
  accepted: ({ status }) => status !== 'POLICY_REJECTED',
  completed: ({ status }) => status === 'CONFIRMED',
  ended: ({ status, payout }) =>
    ['CONFIRMED', 'FAILED', 'POLICY_REJECTED'].includes(status) || (status === 'CANCELLED' && payout !== 'RECLAIMED'),
  paid: ({ status }) => ['QUEUED', 'PROCESSING', 'PENDING', 'CONFIRMED'].includes(status),
  in_flight: ({ status }) => ['QUEUED', 'PROCESSING'].includes(status),
  unclaimed: ({ payout }) => payout === 'CREATING' || payout === 'CREATED',
  by_address: ({ method, status, payout }) => method === 'address' && isPaidOrClaimable(status, payout),
  by_contact: ({ method, status, payout }) => method === 'contact' && isPaidOrClaimable(status, payout),
  by_x402: ({ method, status, payout }) => method === 'x402' && isPaidOrClaimable(status, payout),
  by_email: ({ method, status, payout }) => method === 'email' && isPaidOrClaimable(status, payout),
  by_phone: ({ method, status, payout }) => method === 'phone' && isPaidOrClaimable(status, payout),
} satisfies Partial<Record<FigureName, (of: { method: string; status: string; payout: string | undefined }) => boolean>>

test('each figure counts the payments whose statuses in the files say so @figures-8', async () => {
  await fc.assert(
    fc.asyncProperty(monthSteps, async (steps) => {
      const { lists, store, close } = await monthWith(steps)
      const named = store.all<{ id: string; to_type: string }>('SELECT id, to_type FROM payment')
      const methods = new Map(named.map(({ id, to_type }) => [id, to_type]))
      const payouts = new Map((await lists.payoutsCsv({})).map((line) => [line.ID, line.Status]))
      const isCounted = ({ Type, Chain, Status, Error: reason, 'Payout ID': payout }: Line) => {
        // The owner has not approved it, or did not.
        const isDecided = (Status !== 'PENDING' || payout !== '') && !reason!.startsWith('The owner ')
        return Chain === 'base' && ['address', 'contact', 'escrow', 'x402'].includes(Type!) && isDecided
      }
      const lines = (await lists.transactionsCsv({})).filter(isCounted)
      for (const [figure, counts] of Object.entries(countedWhen)) {
        const expected = lines.filter((line) =>
          counts({
            method: methods.get(line.ID!)!,
            status: line.Status!,
            payout: payouts.get(line['Payout ID']!),
          }),
        )
        const listed = await lists.transactionsCsv({ figure })
        const ids = (of: Line[]) => of.map(({ ID }) => ID!).sort()
        expect([figure, ids(listed)]).toEqual([figure, ids(expected)])
      }
      close()
    }),
    { numRuns: cases(4) },
  )
})

test('the sum of a list counts all its pages @figures-9', async () => {
  const deposits = Array.from({ length: 130 }, (_, i) => ({ do: 'deposit' as const, which: 1, amount: 10_000 + i }))
  const month = await monthWith(deposits)
  const { page, rows } = await month.lists.transactions({ type: 'deposit' })
  expect([page.total, rows.length]).toEqual([130, 100])
  expect(page.amount!.base).toBe('1.308385')
  month.close()
})

type Row = Awaited<ReturnType<Month['lists']['transactions']>>['rows'][number]

/** What a row of the list says, and the filters by which it must be found. */
function filtersFor(row: Row, names: Record<string, string>): Search[] {
  const { category, contact, contactId, recipientEmail, recipientPhone, fromAddress, toAddress, toWallet, resource } =
    row
  const other = recipientEmail ?? recipientPhone ?? (category === 'deposit' ? fromAddress : toAddress)
  // A contact that was chosen keeps its name, another one is known by what it is paid at, or by its id.
  const name = contact?.name ?? (resource ? null : names[(other ?? contactId ?? '').toLowerCase()])
  const called = [grace, ad].find((each) => each.name === name)
  const own = category === 'deposit' ? row.fromWallet!.name : toWallet && !name ? toWallet.name : null
  const sender = row.origin === 'transfer' ? 'outside' : (row.agentId ?? 'user')
  const type = category.startsWith('escrow') ? 'payout' : /^(contact|address)$/.test(category) ? 'transfer' : category
  const isIn = (...statuses: string[]) => statuses.includes(row.status)
  const status = isIn('CONFIRMED') ? 'completed' : isIn('PENDING', 'QUEUED', 'PROCESSING') ? 'pending' : 'failed'
  const texts = [
    recipientEmail,
    recipientPhone,
    category === 'deposit' ? null : toAddress,
    resource,
    own,
    name,
    fromAddress,
  ]
  return [
    { type },
    { status },
    { wallet: row.fromWalletId! },
    { network: row.fromWalletChain },
    ...(row.policyGroupId ? [{ group: row.policyGroupId }] : []),
    ...(category === 'deposit' ? [] : [{ sender }]),
    ...(called ? [{ contact: called.id }] : []),
    ...texts.flatMap((text) => (text ? [{ recipient: text.slice(0, 30) }] : [])),
    { search: row.id },
  ]
}

test('each row of the list is found by each name that it shows @lists-61', async () => {
  await fc.assert(
    fc.asyncProperty(monthSteps, async (steps) => {
      const made = await monthWith(steps)
      const { lists, person } = made
      const found = new Map<string, Set<string>>()
      const { rows } = await lists.transactions({})
      const values = rows.flatMap(({ recipientEmail, toAddress, fromAddress, contactId }) =>
        [recipientEmail, toAddress, fromAddress, contactId].filter((value) => value !== null),
      )
      const names = await contactNames(person.deps.db, person.accountId, values)
      for (const row of rows)
        for (const search of filtersFor(row, names)) {
          const key = JSON.stringify(search)
          if (!found.has(key)) found.set(key, new Set((await lists.transactions(search)).rows.map(({ id }) => id)))
          expect([key, found.get(key)!.has(row.id)]).toEqual([key, true])
        }
      const payouts = (await lists.payouts({})).rows
      for (const { id, recipientEmail, recipientPhone, status, sourceWallet } of payouts)
        for (const search of [
          { recipient: (recipientEmail ?? recipientPhone)! },
          { status },
          { wallets: sourceWallet!.address },
          { network: sourceWallet!.chain },
        ])
          expect((await lists.payouts(search)).rows.map((row) => row.id)).toContain(id)
      made.close()
    }),
    { numRuns: cases(4) },
  )
})
