import { formatUsdcText } from '../money.ts'
import { orOwner } from '../refusal.ts'
import { defineRule } from './rule.ts'

export const maxPayment = defineRule({
  field: 'maxPayment',
  names: { 'group.max_payment': 'Maximum per payment' },
  section: 'limits',
  title: 'Maximum per payment',
  inputs: { kind: 'amount', label: 'Maximum per payment' },
  off: null,
  proposed: null,
  judge: (limit) => ({
    above: limit,
    outcome: 'refuse',
    rule: 'group.max_payment',
    code: 'payment_limit_exceeded',
    message: `One payment may be at most ${formatUsdcText(limit)} USDC.`,
    next: orOwner('Send less', 'raise the limit'),
  }),
  words: (limit, say) => `At most ${say.money(limit)} per payment.`,
})
