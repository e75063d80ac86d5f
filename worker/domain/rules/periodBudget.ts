import { formatUsdcText, microUsdc, saturatingSub, zeroUsdc } from '../money.ts'
import { orOwner } from '../refusal.ts'
import { defineRule } from './rule.ts'
import { waitText } from './texts.ts'

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
  judge({ period, limit }, _facts, counted) {
    if (!counted) return null
    const used = microUsdc(counted.used)
    const left = saturatingSub(limit, used)
    return {
      above: left,
      outcome: 'refuse',
      rule: `group.budget_per_${period}`,
      code: 'budget_exceeded',
      message: `The group's budget for this ${period} has ${formatUsdcText(left)} USDC left.`,
      next: orOwner(`Send less${waitText(counted.resetsAt)}`, 'raise the budget'),
      // A period counts what was reserved in it, confirmed or not.
      figures: { limit, spent: used, held: zeroUsdc, remaining: left },
      resetsAt: counted.resetsAt,
    }
  },
  words: ({ period, limit }, say, used) =>
    `At most ${say.money(limit)} a ${period}${
      used?.resetsAt ? `; ${say.money(saturatingSub(limit, used.used))} is left until ${say.moment(used.resetsAt)}` : ''
    }.`,
})
