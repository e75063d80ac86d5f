import { asciiDigits } from './digits.ts'
import type { Read } from './read.ts'

/**
 * Reads phone numbers in international form, as people write and copy them, so that one number is one recipient. The result
 * is E.164. A number that could mean two is refused.
 */

export const phoneText = 'Phone number must be in international form, for example +14155550123'

// ITU-T E.164: 1 and 7 have one digit, these have two, all others three. No code is a prefix of another (record 007).
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

/**
 * The digits that are dialled before a number within the country and left out from abroad, by calling code. Where they are
 * '0', no mobile number begins with 0. Compared with libphonenumber's data in tests.
 */
const trunkPrefixes = new Map(
  Object.entries({
    '0': '20 27 31 32 33 40 41 43 44 46 49 51 53 54 55 57 58 60 61 62 63 64 66 81 82 84 86 90 91 92 93 94 95 98 211 212 213 218 231 232 233 234 243 249 250 251 252 254 255 256 260 261 262 263 264 265 291 353 355 358 359 370 373 374 377 380 381 382 383 385 386 387 389 421 423 508 590 591 593 594 595 596 598 686 850 855 856 880 886 961 962 963 964 966 967 970 971 972 976 977 994 995 996',
    '06': '36',
    '8': '7 375 993',
    '1': '1 692',
  }).flatMap(([prefix, codes]) => codes.split(' ').map((code): [string, string] => [`+${code}`, prefix])),
)

/** E.164, or why the text is not a phone number. */
export function readPhone(text: string): Read<string> {
  if (text.length > 100) return { problem: phoneText }
  const plain = asciiDigits(text)
    .replace(/\p{Cf}/gu, '')
    .replace(/[＋﹢]/g, '+')
    .replace(/[（［[]/g, '(')
    .replace(/[）］\]]/g, ')')
    .replace(/[\p{Zs}\t.．\p{Pd}−]/gu, '')
    .replace(/^tel:/i, '')
    .replace(/^\((?:\+|00)(\d+)\)|^\+\((\d+)\)/, '+$1$2') // (0044), (+44) and +(44)
    .replace(/^00/, '+')
  const code = callingCode(plain)
  if (!/^\+[\d()]+$/.test(plain) || !/^\+\d+$/.test(code)) return { problem: phoneText }
  const trunk = trunkPrefixes.get(code) ?? null
  const rest = plain.slice(code.length)
  const [, inBrackets = ''] = /^\((\d{1,2})\)/.exec(rest) ?? []
  if (/^0+$/.test(inBrackets) && inBrackets !== trunk)
    return { problem: `Leave out “(${inBrackets})”, or enter its 0 without brackets if it is dialled from abroad` }
  const national = (inBrackets === trunk ? rest.slice(inBrackets.length + 2) : rest).replace(/[()]/g, '')
  const dialled = withoutTrunk(national, trunk, lengths.get(code))
  const value = `${code}${dialled}`
  return /^\+[1-9]\d{6,14}$/.test(value) && isPossible(code, dialled, trunk) ? { value } : { problem: phoneText }
}

/** How many digits follow the code, where all numbers have equally many. */
const lengths = new Map([
  ['+1', 10],
  ['+7', 10],
  ['+375', 9],
  ['+692', 7],
  ['+993', 8],
])

/** A trunk prefix without brackets: a 0 is always one; an 8 or 1 is one if there is a digit too many. */
function withoutTrunk(national: string, trunk: string | null, length: number | undefined): string {
  const isOne = trunk?.startsWith('0') || (length !== undefined && national.length > length)
  return trunk !== null && isOne && national.startsWith(trunk) ? national.slice(trunk.length) : national
}

/** A second 0 after a dropped one is a mistake, and so is an area code of North America that begins with 0 or 1. */
function isPossible(code: string, national: string, trunk: string | null): boolean {
  const length = lengths.get(code)
  if (!/^\d+$/.test(national) || (length !== undefined && national.length !== length)) return false
  if (trunk?.startsWith('0') && national.startsWith('0')) return false
  return code !== '+1' || /^[2-9]/.test(national)
}
