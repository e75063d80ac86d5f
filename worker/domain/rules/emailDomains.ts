import { asciiDomain } from '../email.ts'
import { orOwner } from '../refusal.ts'
import { defineRule } from './rule.ts'
import { anyOf } from './texts.ts'

/** A domain as payments are compared with it; a leading @ is ignored. Null if it is not a domain. */
export const normalDomain = (text: string): string | null => asciiDomain(text.trim().replace(/^@/, ''))

/** Applies to every payout by email, including those to whitelisted contacts (record 021). */
export const emailDomains = defineRule({
  field: 'emailDomains',
  names: { 'group.email_domains': 'Email domains' },
  section: 'limits',
  title: 'Allowed email domains',
  inputs: {
    kind: 'list',
    label: 'Allowed email domains',
    hint: 'Applies to payouts by email, including those to contacts.',
    normal: normalDomain,
    what: 'email domain',
    example: 'example.com',
    placeholder: 'example.com, example.org',
  },
  off: null,
  proposed: null,
  isAboutRecipient: true,
  judge(domains, { recipient }) {
    if (!recipient || (recipient.email === null && recipient.type !== 'email')) return null
    if (domains.includes(domainOf(recipient.email ?? ''))) return null
    return {
      above: null,
      outcome: 'refuse',
      rule: 'group.email_domains',
      code: 'recipient_not_allowed',
      message: 'The policy group does not allow payouts to this email domain.',
      next: orOwner(`Use an address at ${anyOf(domains)}`, 'allow the domain'),
    }
  },
  words: (domains) => `Payouts by email only to ${domains.join(', ')}.`,
})

/** 'Ada@Example.COM' → 'example.com'. Empty if there is no @. */
const domainOf = (email: string): string => email.split('@')[1]?.toLowerCase() ?? ''
