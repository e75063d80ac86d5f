import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { BudgetChart } from '#web/components/charts/BudgetChart.tsx'

const shown = (days: string[]) =>
  renderToString(createElement(BudgetChart, { days: days.map((day) => ({ day, limit: '50', spent: '41.5' })) }))

test('a budget of one day shows figures and a table, but no line with one point @usage-4', () => {
  const first = shown(['2026-11-24'])
  for (const text of ['41.50', '50.00', '<table']) expect(first).toContain(text)
  expect(first).not.toContain('<svg')
  expect(shown(['2026-11-24', '2026-11-25'])).toContain('<svg')
})
