import { formatUsdcText, microUsdc, saturatingSub, zeroUsdc } from '../money.ts'
import { orOwner } from '../refusal.ts'
import { whenExceeded } from './inputs.ts'
import { defineRule } from './rule.ts'
import { askedText, waitText } from './texts.ts'

export const perRecipient = defineRule({
  field: 'perRecipient',
  names: { 'group.per_recipient': 'Limit per recipient' },
  section: 'limits',
  title: 'Limit per recipient',
  hint: 'An address, a mailbox, a phone number, or a seller’s host with its address. Mailboxes count with all their tags and dots.',
  inputs: {
    limit: { kind: 'amount', label: 'Limit per recipient' },
    period: {
      kind: 'choice',
      label: 'Per',
      hint: 'Resets at midnight UTC: weeks on Monday, months on the 1st.',
      options: { day: 'Day', week: 'Week', month: 'Month' },
    },
    whenExceeded,
  },
  off: null,
  proposed: { period: 'day', whenExceeded: 'refuse' },
  window: ({ period }) => ({ span: period, perRecipient: true }),
  judge({ period, limit, whenExceeded: outcome }, _facts, counted) {
    if (!counted) return null
    const used = microUsdc(counted.used)
    const left = saturatingSub(limit, used)
    return {
      above: left,
      outcome,
      rule: 'group.per_recipient',
      code: 'policy_limit_exceeded',
      message: `This recipient may get ${formatUsdcText(left)} USDC more this ${period}.`,
      next: orOwner(`Send less${waitText(counted.resetsAt)}`, 'raise the limit'),
      figures: { limit, spent: used, held: zeroUsdc, remaining: left },
      resetsAt: counted.resetsAt,
    }
  },
  words: ({ period, limit, whenExceeded: outcome }, say) =>
    `At most ${say.money(limit)} a ${period} to each recipient.${askedText(outcome)}`,
})
