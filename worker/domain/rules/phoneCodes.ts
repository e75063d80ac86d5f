import { orOwner } from '../refusal.ts'
import { defineRule } from './rule.ts'
import { anyOf } from './texts.ts'

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

/** '+49', '49' or '0049' → '+49'. Null if it is not a country calling code. */
export function normalCallingCode(text: string): string | null {
  const digits = text.trim().replace(/^(\+|00)/, '')
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
