import { both, orOwner } from '../refusal.ts'
import { purchaseScope } from '../scopes.ts'
import { defineRule } from './rule.ts'

/**
 * The agent names both the host and the address that is paid, so only the host's own reply to Bursar shows that the money
 * goes to the seller. Also judged in groups that do not set it, which ask.
 */
export const unverifiedSellers = defineRule({
  field: 'unverifiedSellers',
  names: { 'group.unverified_sellers': 'Unverified sellers' },
  section: 'limits',
  title: 'Unverified sellers',
  hint: 'Before the first purchase, Bursar asks the host where it is paid. If the host does not confirm the address, the purchase needs your approval, unless you refuse it here.',
  inputs: { kind: 'choice', label: 'Purchases from unverified sellers', options: { refuse: 'Refuse', ask: 'Ask me' } },
  off: 'ask',
  proposed: 'refuse',
  appliesWhenOff: purchaseScope,
  judge(outcome, { recipient }) {
    const seller = recipient?.seller
    if (!seller || seller.isConfirmed()) return null
    return {
      above: null,
      outcome,
      rule: 'group.unverified_sellers',
      code: 'recipient_not_allowed',
      message: `${seller.host} has not confirmed to Bursar that this address is its own.`,
      next:
        outcome === 'ask'
          ? both('Wait for the approval.')
          : orOwner('Buy from a seller that answers unpaid requests with its price', 'allow unverified sellers'),
    }
  },
  words: (outcome) =>
    outcome === 'ask'
      ? 'Purchases from sellers that Bursar could not verify need approval.'
      : 'No purchases from sellers that Bursar could not verify.',
})
