import { formatUsdcText, type MicroUsdc } from '../money.ts'
import { orOwner } from '../refusal.ts'
import { defineRule } from './rule.ts'

export const maxPaymentText = (limit: MicroUsdc): string => `One payment may be at most ${formatUsdcText(limit)} USDC.`

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
    message: maxPaymentText(limit),
    next: orOwner('Send less', 'raise the limit'),
  }),
  words: (limit, say) => `At most ${say.money(limit)} per payment.`,
})
