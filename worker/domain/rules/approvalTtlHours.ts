import { defineRule } from './rule.ts'

/** How long an approval stays open. Refuses nothing. */
export const approvalTtlHours = defineRule({
  field: 'approvalTtlHours',
  names: {},
  section: 'approvals',
  title: 'Hours to respond',
  inputs: {
    kind: 'whole',
    label: 'Hours to respond',
    hint: 'After that the payment is not made. The agent may ask again.',
    least: 1,
    most: 24 * 7,
    unit: 'hours',
    error: 'An approval must wait',
    looser: 'never',
  },
  off: 24,
  proposed: 24,
  words: (hours) => `An approval waits ${hours} hours.`,
})
