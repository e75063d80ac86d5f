import { formatUsdcText } from '../money.ts'
import { both } from '../refusal.ts'
import { defineRule } from './rule.ts'

export const approveAbove = defineRule({
  field: 'approveAbove',
  names: { above_limit: 'Payments above an amount' },
  section: 'approvals',
  title: 'Ask me about payments above an amount',
  inputs: { kind: 'amount', label: 'Payments above', hint: '0 asks about every payment.', zero: true },
  off: null,
  proposed: null,
  isGrantable: true,
  judge: (limit) => ({
    above: limit,
    outcome: 'ask',
    rule: 'above_limit',
    code: 'policy_limit_exceeded',
    message: `It is above ${formatUsdcText(limit)} USDC, the most that the policy group pays without asking.`,
    next: both('Wait for the approval.'),
  }),
  words: (limit, say) => `Payments above ${say.money(limit)} need approval.`,
})
