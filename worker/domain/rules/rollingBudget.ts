import { formatUsdcText, microUsdc, saturatingSub, zeroUsdc } from '../money.ts'
import { orOwner } from '../refusal.ts'
import { hourMs } from '../time.ts'
import { defineRule } from './rule.ts'
import { hoursText, waitText } from './texts.ts'

export const rollingBudget = defineRule({
  field: 'rollingBudget',
  names: { 'group.rolling_budget': 'Rolling budget' },
  section: 'limits',
  title: 'Rolling budget',
  hint: 'Counts the last hours at every moment, so there is no midnight at which it starts again.',
  inputs: {
    limit: { kind: 'amount', label: 'Rolling budget' },
    hours: {
      kind: 'whole',
      label: 'Within hours',
      hint: '1 to 720.',
      least: 1,
      most: 720,
      unit: 'hours',
      error: 'A rolling budget must cover',
      looser: 'less',
    },
  },
  off: null,
  proposed: { hours: 24 },
  window: ({ hours }) => ({ span: hours * hourMs }),
  judge({ hours, limit }, _facts, counted) {
    if (!counted) return null
    const used = microUsdc(counted.used)
    const left = saturatingSub(limit, used)
    return {
      above: left,
      outcome: 'refuse',
      rule: 'group.rolling_budget',
      code: 'budget_exceeded',
      message: `The group's budget for ${hoursText(hours)} has ${formatUsdcText(left)} USDC left.`,
      next: orOwner(`Send less${waitText(counted.resetsAt)}`, 'raise the budget'),
      figures: { limit, spent: used, held: zeroUsdc, remaining: left },
      resetsAt: counted.resetsAt,
    }
  },
  words: ({ hours, limit }, say, used) =>
    `At most ${say.money(limit)} within ${hoursText(hours)}${used ? `; ${say.money(saturatingSub(limit, used.used))} is left now` : ''}.`,
})
