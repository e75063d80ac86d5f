import { orOwner } from '../refusal.ts'
import { hourMs } from '../time.ts'
import { whenExceeded } from './inputs.ts'
import { defineRule } from './rule.ts'
import { askedText } from './texts.ts'

const spans = { hour: hourMs, day: 'day', week: 'week', month: 'month' } as const

export const maxPayments = defineRule({
  field: 'maxPayments',
  names: { 'group.max_payments': 'Number of payments' },
  section: 'limits',
  title: 'Number of payments',
  inputs: {
    count: {
      kind: 'whole',
      label: 'Number of payments',
      hint: 'An hour is the last 60 minutes. The others start at midnight UTC: weeks on Monday, months on the 1st.',
      least: 1,
      most: 100_000,
      unit: 'payments',
      error: 'The number of payments must be',
    },
    per: {
      kind: 'choice',
      label: 'Per',
      options: { hour: 'Hour', day: 'Day', week: 'Week', month: 'Month' },
    },
    whenExceeded,
  },
  off: null,
  proposed: { per: 'day', whenExceeded: 'refuse' },
  window: ({ per }) => ({ span: spans[per] }),
  counts: 'all',
  judge({ per, count, whenExceeded: outcome }, _facts, counted) {
    if (!counted || counted.used < BigInt(count)) return null
    return {
      above: null,
      outcome,
      rule: 'group.max_payments',
      code: 'policy_refused',
      message: `The policy group may make ${paymentsText(count)} ${per === 'hour' ? 'an' : 'a'} ${per}, and has made ${counted.used}.`,
      next: orOwner(`Wait until ${new Date(counted.resetsAt!).toISOString()}`, 'raise the limit'),
      figures: { count: { limit: count, used: Number(counted.used) } },
      resetsAt: counted.resetsAt,
    }
  },
  words: ({ per, count, whenExceeded: outcome }, _say, used) =>
    `At most ${paymentsText(count)} ${per === 'hour' ? 'an hour' : `a ${per}`}${used ? `; ${used.used} made` : ''}.${askedText(outcome)}`,
})

const paymentsText = (count: number) => (count === 1 ? '1 payment' : `${count.toLocaleString('en-US')} payments`)
