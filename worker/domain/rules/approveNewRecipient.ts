import { both } from '../refusal.ts'
import { defineRule } from './rule.ts'

export const approveNewRecipient = defineRule({
  field: 'approveNewRecipient',
  names: { new_recipient: 'First payments to a recipient' },
  section: 'approvals',
  title: 'Ask me about first payments to a recipient',
  inputs: {
    kind: 'switch',
    label: 'First payments to a recipient',
    hint: 'Anyone you haven’t paid before',
  },
  off: false,
  proposed: true,
  isGrantable: true,
  judge: (_on, { recipient }) =>
    recipient?.isNew()
      ? {
          above: null,
          outcome: 'ask',
          rule: 'new_recipient',
          code: 'policy_refused',
          message: 'This account has not paid the recipient before.',
          next: both('Wait for the approval.'),
        }
      : null,
  words: () => 'First payments to a recipient need approval.',
})
