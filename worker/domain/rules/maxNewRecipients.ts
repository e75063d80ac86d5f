import { orOwner } from '../refusal.ts'
import { whenExceeded } from './inputs.ts'
import { defineRule } from './rule.ts'
import { askedText, waitText } from './texts.ts'

/** Counts first payments from the moment it is set: who was new before is not recorded. */
export const maxNewRecipients = defineRule({
  field: 'maxNewRecipients',
  names: { 'group.new_recipients': 'New recipients' },
  section: 'limits',
  title: 'Number of new recipients',
  hint: 'Anyone you haven’t paid before.',
  inputs: {
    count: {
      kind: 'whole',
      label: 'New recipients',
      hint: 'Resets at midnight UTC: weeks on Monday, months on the 1st.',
      least: 1,
      most: 10_000,
      unit: 'recipients',
      error: 'The number of new recipients must be',
    },
    per: { kind: 'choice', label: 'Per', options: { day: 'Day', week: 'Week', month: 'Month' } },
    whenExceeded,
  },
  off: null,
  proposed: { per: 'day', whenExceeded: 'refuse' },
  window: ({ per }) => ({ span: per }),
  counts: ({ recipient }) => recipient?.isNew() === true,
  judge({ per, count, whenExceeded: outcome }, { recipient }, counted) {
    if (!counted || counted.used < BigInt(count) || !recipient?.isNew()) return null
    return {
      above: null,
      outcome,
      rule: 'group.new_recipients',
      code: 'policy_refused',
      message: `The policy group may pay ${count} new ${count === 1 ? 'recipient' : 'recipients'} a ${per}, and has paid ${counted.used}.`,
      next: orOwner(`Pay a known recipient${waitText(counted.resetsAt)}`, 'raise the limit'),
      figures: { count: { limit: count, used: Number(counted.used) } },
      resetsAt: counted.resetsAt,
    }
  },
  words: ({ per, count, whenExceeded: outcome }, _say, used) =>
    `At most ${count === 1 ? '1 new recipient' : `${count.toLocaleString('en-US')} new recipients`} a ${per}${used ? `; ${used.used} paid` : ''}.${askedText(outcome)}`,
})
