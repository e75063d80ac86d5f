import type { PaymentRecipient, Recipient } from './types.ts'

/** Throws TypeError if the text is none of the three kinds. Bursar itself checks the rest. */
export function recipientOf(to: Recipient): PaymentRecipient {
  if (typeof to === 'object' && to !== null) return to
  const text = String(to).trim()
  if (/^0x/i.test(text)) return { type: 'address', address: text }
  if (text.includes('@')) return { type: 'email', email: text }
  if (text.startsWith('+')) return { type: 'phone', phone: text }
  throw new TypeError(`to: "${text}" is neither an address (0x…), an email address nor a phone number (+…)`)
}

/** For callers without types: a number may not be the amount that was meant (0.1 + 0.2 is 0.30000000000000004). */
export function amountOf(amount: unknown, name = 'amount'): string {
  if (typeof amount === 'string') return amount
  throw new TypeError(`${name}: must be a string of decimal USDC such as '12.5', not a ${typeof amount}`)
}
