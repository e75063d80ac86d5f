import { expect, test } from 'vitest'
import type { Overview } from '#schemas/overview.ts'
import type { Spending } from '#schemas/usage.ts'
import { balanceTrendOf, trendOf } from '#web/routes/dashboard/-overview/trend.ts'

const series = (name: string, amounts: string[]): Spending['series'][number] => ({
  ...{ kind: 'agent', id: name, name, order: 0, total: '0', count: 1 },
  amounts,
})
const spending = (now: string, before: string): Spending => ({
  days: ['2026-11-28', '2026-11-29'],
  previous: ['0', before],
  series: [series('Scout', [now, '0'])],
})

test.each([
  ['112.50', '100', '$112.50 in 2 days, 12% more than before'],
  ['0.009', '1', '$0.009 in 2 days, 99% less than before'],
  ['0', '3', '$0.00 in 2 days, 100% less than before'],
  ['100.10', '100', '$100.10 in 2 days, as much as before'],
  ['9.99', '1', '$9.99 in 2 days, 899% more than before'],
  ['25', '2', '$25.00 in 2 days, 12 times as much as before'],
  ['3', '0', '$3.00 in 2 days, nothing before'],
  ['0', '0', '$0.00 in 2 days, as before'],
])('%s spent after %s reads "%s" @overview-29', (now, before, text) =>
  expect(trendOf(spending(now, before)).text).toBe(text),
)

test('the days of all agents are added @overview-30', () => {
  const { days, before } = trendOf({
    ...spending('0.1', '7'),
    series: [series('Scout', ['0.1', '2']), series('Ad buyer', ['0.2', '0.000001'])],
  })
  expect([days, before]).toEqual([
    [300_000n, 2_000_001n],
    [0n, 7_000_000n],
  ])
})

const balances = (totalBalance: string, balanceChanges: string[]) =>
  balanceTrendOf({ totalBalance, balanceChanges } as Overview)

test.each([
  ['112', ['2', '10'], '12% more than 2 days ago'],
  ['1.5', ['-0.5', '-1'], '50% less than 2 days ago'],
  ['100', ['0', '0'], 'As much as 2 days ago'],
  ['25', ['24', '0'], '25 times as much as 2 days ago'],
  ['5', ['5', '0'], 'Nothing 2 days ago'],
  ['0', ['-5', '0'], '100% less than 2 days ago'],
  ['0', ['5', '-5'], 'Nothing 2 days ago'],
])('a balance of %s after changes of %j reads "%s" @overview-31', (now, changes, text) =>
  expect(balances(now, changes)?.text).toBe(text),
)

test('balances of days end at the current one, and are not below zero if a change is missing @overview-32', () => {
  expect(balances('10.000001', ['3', '-2.5', '0.000001'])?.days).toEqual([12_500_000n, 10_000_000n, 10_000_001n])
  expect(balances('1', ['4', '3'])?.days, 'a withdrawal that is not booked yet').toEqual([0n, 1_000_000n])
  expect(balances('0', ['0', '0'])).toBeNull()
})
