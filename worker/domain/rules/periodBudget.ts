import { saturatingSub } from '../money.ts'
import { overBudget } from './overBudget.ts'
import { defineRule } from './rule.ts'

export const periodBudget = defineRule({
  field: 'periodBudget',
  names: {
    'group.budget_per_day': 'Daily budget',
    'group.budget_per_week': 'Weekly budget',
    'group.budget_per_month': 'Monthly budget',
  },
  section: 'limits',
  title: 'Budget per period',
  inputs: {
    period: { kind: 'choice', label: 'Period', options: { day: 'Day', week: 'Week', month: 'Month' } },
    limit: {
      kind: 'amount',
      label: 'Budget per period',
      hint: 'Resets at midnight UTC: weeks on Monday, months on the 1st.',
    },
  },
  off: null,
  proposed: { period: 'day' },
  window: ({ period }) => ({ span: period }),
  judge: ({ period, limit }, _facts, counted) =>
    counted ? overBudget(limit, counted, `group.budget_per_${period}`, `this ${period}`) : null,
  words: ({ period, limit }, say, used) =>
    `At most ${say.money(limit)} a ${period}${
      used?.resetsAt ? `; ${say.money(saturatingSub(limit, used.used))} is left until ${say.moment(used.resetsAt)}` : ''
    }.`,
})
