import { asciiDigits } from './digits.ts'
import type { Read } from './read.ts'

/** Reads the six-digit codes of our messages, in the digits of any script. */

const codeLength = 6
const alone = /(?<!\d)\d{3}[ -]?\d{3}(?!\d)/g

/** The code in a text that has nothing else: '٧١٧ ١٧١' → '717171'. `name` begins the problem. */
export function readCode(text: string, name: 'Code' | 'Passcode'): Read<string> {
  const digits = asciiDigits(text.slice(0, 100)).replace(/[\p{Zs}\p{Pd}\p{Cf}]/gu, '')
  return /^\d{6}$/.test(digits) ? { value: digits } : { problem: `${name} must be 6 digits` }
}

/**
 * What a code field shows for its new text: the digits so far, or the one code in a pasted sentence. A text with more
 * digits leaves the field as it was, because a wrong code costs an attempt. (iOS may fill in a code twice.)
 */
export function codeInField(text: string, previous: string): string {
  const plain = asciiDigits(text)
  const digits = plain.replace(/\D/g, '')
  if (digits.length <= codeLength) return digits
  const found = new Set((plain.match(alone) ?? []).map((code) => code.replace(/\D/g, '')))
  const twice = digits.length === 2 * codeLength && digits.slice(0, codeLength) === digits.slice(codeLength)
  if (twice) return digits.slice(0, codeLength)
  const [only, other] = found
  return only !== undefined && other === undefined ? only : previous
}
