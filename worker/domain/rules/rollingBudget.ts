import { saturatingSub } from '../money.ts'
import { hourMs } from '../time.ts'
import { overBudget } from './overBudget.ts'
import { defineRule } from './rule.ts'
import { hoursText } from './texts.ts'

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
  judge: ({ hours, limit }, _facts, counted) =>
    counted ? overBudget(limit, counted, 'group.rolling_budget', hoursText(hours)) : null,
  words: ({ hours, limit }, say, used) =>
    `At most ${say.money(limit)} within ${hoursText(hours)}${used ? `; ${say.money(saturatingSub(limit, used.used))} is left now` : ''}.`,
})
