import { both } from '../refusal.ts'
import { defineRule } from './rule.ts'
import { hoursText } from './texts.ts'

export const maxDuplicateMinutes = 60 * 24 * 7

export const duplicateMinutes = defineRule({
  field: 'duplicateMinutes',
  names: { duplicate: 'Repeated payments' },
  section: 'approvals',
  title: 'Ask me about repeats of a payment',
  inputs: {
    kind: 'whole',
    label: 'Repeats within minutes',
    hint: 'The same amount to the same recipient again. Catches accidental repeats; it won’t stop deliberate ones. Purchases are never repeats: sellers charge the same for every request. Leave empty to turn it off.',
    least: 0,
    most: maxDuplicateMinutes,
    unit: 'minutes',
    error: 'The time between equal payments must be',
    looser: 'less',
  },
  off: 0,
  proposed: 60,
  judge: (minutes, { recipient }) =>
    recipient?.isDuplicate(minutes)
      ? {
          above: null,
          outcome: 'ask',
          rule: 'duplicate',
          code: 'policy_refused',
          message: `The policy group has paid, or asked for, the same amount to the same recipient within ${minutesText(minutes)}.`,
          next: both('Wait for the approval.'),
        }
      : null,
  words: (minutes) => `Repeats of a payment within ${minutesText(minutes)} need approval.`,
})

const minutesText = (minutes: number) =>
  minutes % 60 === 0 && minutes > 0 ? hoursText(minutes / 60) : `${minutes} minutes`
