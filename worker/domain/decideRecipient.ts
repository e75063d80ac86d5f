import { asciiDomain } from './email.ts'
import { allow, type Decision, decideActive, type GroupPolicy, refuse } from './policy.ts'
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

/** 'Ada@Example.COM' → 'example.com'. Empty if there is no @. */
const emailDomain = (email: string): string => email.split('@')[1]?.toLowerCase() ?? ''

// ITU-T E.164: 1 and 7 have one digit, these have two, all others three. No code is a prefix of another (record 025).
const twoDigits = new Set(
  '20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98'.split(
    ' ',
  ),
)

/** '+4915112345678' → '+49'. Also accepts a bare code. */
function callingCode(phone: string): string {
  const digits = phone.slice(1)
  const length = digits.startsWith('1') || digits.startsWith('7') ? 1 : twoDigits.has(digits.slice(0, 2)) ? 2 : 3
  return `+${digits.slice(0, length)}`
}

/** A domain as `emailDomain` returns it; a leading @ is ignored. Null if it is not a domain. */
export const normalDomain = (text: string): string | null => asciiDomain(text.trim().replace(/^@/, ''))

/** '+49', '49' or '0049' → '+49'. Null if it is not a country calling code. */
export function normalCallingCode(text: string): string | null {
  const digits = text.trim().replace(/^(\+|00)/, '')
  if (!/^[1-9][0-9]{0,2}$/.test(digits)) return null
  const code = `+${digits}`
  // Padded, so that a prefix of a longer code is not accepted.
  return callingCode(`${code}000`) === code ? code : null
}
