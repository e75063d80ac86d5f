import { asciiDigits } from '../readers/digits.ts'
import { callingCode } from '../readers/phone.ts'
import { orOwner } from '../refusal.ts'
import { defineRule } from './rule.ts'
import { anyOf } from './texts.ts'

/** '+49', '49' or '0049' → '+49'. Null if it is not a country calling code. */
export function normalCallingCode(text: string): string | null {
  const digits = asciiDigits(text)
    .trim()
    .replace(/^([+＋]|00)/, '')
  if (!/^[1-9][0-9]{0,2}$/.test(digits)) return null
  const code = `+${digits}`
  // Padded, so that a prefix of a longer code is not accepted.
  return callingCode(`${code}000`) === code ? code : null
}

/** Applies to every payout by SMS, including those to whitelisted contacts (record 021). */
export const phoneCodes = defineRule({
  field: 'phoneCodes',
  names: { 'group.phone_codes': 'Phone country codes' },
  section: 'limits',
  title: 'Allowed phone country codes',
  inputs: {
    kind: 'list',
    label: 'Allowed phone country codes',
    hint: 'Applies to payouts by SMS, including those to contacts.',
    normal: normalCallingCode,
    what: 'country code',
    example: '+49',
    placeholder: '+1, +49',
  },
  off: null,
  proposed: null,
  isAboutRecipient: true,
  judge(codes, { recipient }) {
    if (!recipient || (recipient.phone === null && recipient.type !== 'phone')) return null
    if (codes.includes(callingCode(recipient.phone ?? ''))) return null
    return {
      above: null,
      outcome: 'refuse',
      rule: 'group.phone_codes',
      code: 'recipient_not_allowed',
      message: 'The policy group does not allow payouts to this country code.',
      next: orOwner(`Use a number that begins with ${anyOf(codes)}`, 'allow the country'),
    }
  },
  words: (codes) => `Payouts by SMS only to numbers with ${codes.join(', ')}.`,
})
