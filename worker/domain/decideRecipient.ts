import { decideActive, type GroupPolicy } from './policy.ts'
import { allow, both, type Decision, orOwner, refuse } from './refusal.ts'
import { recipientVerdict } from './rules/values.ts'
import { type RecipientType, scopeFor, scopeNames } from './scopes.ts'

/**
 * `email` and `phone` are where a payout's message goes, both null for a payment to an address. `host`: of a purchase's seller,
 * with its port.
 */
export type RecipientCheck = {
  address: string | null
  email: string | null
  phone: string | null
  host?: string | null
} & (
  | { type: Exclude<RecipientType, 'contact'> }
  | { type: 'contact'; whitelisted: boolean; stale: boolean; hasMethod: boolean }
)

/** Whether the group's agents may pay this recipient at all. Refused unless a scope allows it. */
export function decideRecipient(group: GroupPolicy, recipient: RecipientCheck): Decision {
  const active = decideActive(group)
  if (!active.ok) return active
  if (group.unknownRule !== undefined)
    return refuse(
      'policy_unknown',
      'group.unknown',
      `This version of the service does not know the rule "${group.unknownRule}" of the policy group "${group.name}".`,
      orOwner('', 'set the rules of the group again'),
    )
  const scope = scopeFor[recipient.type]
  if (!group.scopes.includes(scope))
    return refuse(
      'insufficient_scope',
      scope,
      `The policy group "${group.name}" does not allow ${recipient.type} payments.`,
      {
        agent: `Ask the owner for the permission ${scopeNames[scope]} (${scope}).`,
        owner: `Select ${scopeNames[scope]} in the policy group.`,
      },
    )
  if (recipient.type === 'contact') {
    const decision = decideContact(recipient)
    if (!decision.ok) return decision
  }
  const verdict = recipientVerdict(group.rules, recipient)
  return verdict ? refuse(verdict.code, verdict.rule, verdict.message, verdict.next) : allow
}

function decideContact(contact: { whitelisted: boolean; stale: boolean; hasMethod: boolean }): Decision {
  if (!contact.whitelisted)
    return refuse(
      'recipient_not_allowed',
      'whitelist',
      'This contact is not on the whitelist of the policy group.',
      orOwner('', 'whitelist the contact'),
    )
  if (contact.stale)
    return refuse(
      'contact_changed',
      'whitelist.snapshot',
      'This contact changed after it was whitelisted.',
      orOwner('', 'confirm the contact in the policy group'),
    )
  if (!contact.hasMethod)
    return refuse(
      'recipient_not_allowed',
      'whitelist.method',
      'This contact does not have this payment method.',
      both('Choose another method, or pay an address.'),
    )
  return allow
}
