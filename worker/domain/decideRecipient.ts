import { allow, type Decision, decideActive, type GroupPolicy, refuse } from './policy.ts'
import { callingCode, emailDomain } from './policyRecipient.ts'
import { type RecipientType, scopeFor } from './scopes.ts'

/** `email` and `phone` are where a payout's message goes, both null for a payment to an address. */
export type RecipientCheck = { email: string | null; phone: string | null } & (
  | { type: Exclude<RecipientType, 'contact'> }
  | { type: 'contact'; whitelisted: boolean; stale: boolean; hasMethod: boolean }
)

/** Whether the group's agents may pay this recipient at all. Refused unless a scope allows it. */
export function decideRecipient(group: GroupPolicy, recipient: RecipientCheck): Decision {
  const active = decideActive(group)
  if (!active.ok) return active
  const scope = scopeFor[recipient.type]
  if (!group.scopes.includes(scope))
    return refuse(
      'insufficient_scope',
      scope,
      `The policy group "${group.name}" does not allow ${recipient.type} payments.`,
      `Ask the owner for the scope ${scope}.`,
    )
  if (recipient.type === 'contact') {
    const decision = decideContact(recipient)
    if (!decision.ok) return decision
  }
  return decideMessage(group, recipient)
}

function decideContact(contact: { whitelisted: boolean; stale: boolean; hasMethod: boolean }): Decision {
  if (!contact.whitelisted)
    return refuse(
      'recipient_not_allowed',
      'whitelist',
      'This contact is not on the whitelist of the policy group.',
      'Ask the owner to whitelist the contact.',
    )
  if (contact.stale)
    return refuse(
      'contact_changed',
      'whitelist.snapshot',
      'This contact changed after it was whitelisted.',
      'Ask the owner to confirm the contact in the policy group.',
    )
  if (!contact.hasMethod)
    return refuse(
      'recipient_not_allowed',
      'whitelist.method',
      'This contact does not have this payment method.',
      'Choose another method, or pay an address.',
    )
  return allow
}

/** Domains and country codes apply to every payout by email or SMS, including those to whitelisted contacts (record 021). */
function decideMessage(group: GroupPolicy, to: { type: RecipientType; email: string | null; phone: string | null }) {
  const { emailDomains, phoneCodes } = group
  const byEmail = to.email !== null || to.type === 'email'
  if (byEmail && emailDomains !== null && !emailDomains.includes(emailDomain(to.email ?? '')))
    return refuse(
      'recipient_not_allowed',
      'group.email_domains',
      'The policy group does not allow payouts to this email domain.',
      `Use an address at ${listed(emailDomains)}, or ask the owner to allow the domain.`,
    )
  const byPhone = to.phone !== null || to.type === 'phone'
  if (byPhone && phoneCodes !== null && !phoneCodes.includes(callingCode(to.phone ?? '')))
    return refuse(
      'recipient_not_allowed',
      'group.phone_codes',
      'The policy group does not allow payouts to this country code.',
      `Use a number that begins with ${listed(phoneCodes)}, or ask the owner to allow the country.`,
    )
  return allow
}

const listed = (names: readonly string[]) =>
  names.length > 5 ? `one of ${names.length} allowed values` : names.join(' or ')
