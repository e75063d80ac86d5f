/** Rules for the recipients of payout messages: email domains and country calling codes. */

/** 'Ada@Example.COM' → 'example.com'. Empty if there is no @. */
export const emailDomain = (email: string): string => {
  const at = email.lastIndexOf('@')
  return at < 0 ? '' : email.slice(at + 1).toLowerCase()
}

// ITU-T E.164: 1 and 7 have one digit, these have two, all others three. No code is a prefix of another (record 025).
const twoDigits = new Set(
  '20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98'.split(
    ' ',
  ),
)

/** '+4915112345678' → '+49'. Also accepts a bare code. */
export function callingCode(phone: string): string {
  const digits = phone.slice(1)
  const length = digits.startsWith('1') || digits.startsWith('7') ? 1 : twoDigits.has(digits.slice(0, 2)) ? 2 : 3
  return `+${digits.slice(0, length)}`
}

/** Normalises a domain for comparison: lower case, without a leading @. Null if it is not a domain. */
export function normalDomain(text: string): string | null {
  const domain = text.trim().replace(/^@/, '').toLowerCase()
  const isDomain =
    domain.length <= 253 &&
    /^(?=.{1,253}$)([\p{L}\p{N}]([\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{2,63}$/u.test(domain)
  return isDomain ? domain : null
}

/** '+49', '49' or '0049' → '+49'. Null if it is not a country calling code. */
export function normalCallingCode(text: string): string | null {
  const digits = text.trim().replace(/^(\+|00)/, '')
  if (!/^[1-9][0-9]{0,2}$/.test(digits)) return null
  const code = `+${digits}`
  // Padded, so that a prefix of a longer code is not accepted.
  return callingCode(`${code}000`) === code ? code : null
}
