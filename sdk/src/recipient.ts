import type { PaymentRecipient, Recipient } from './types.ts'

/**
 * Tells the three kinds of text apart. Bursar itself reads it: as copied from a wallet (`base:0x…`), or as people write phone numbers
 * (`0044 …`). Throws TypeError if it is none of them.
 */
export function recipientOf(to: Recipient): PaymentRecipient {
  if (typeof to === 'object' && to !== null) return to
  const text = String(to)
    .replace(/\p{Cf}/gu, '')
    .trim()
  if (/^(?:[a-z0-9-]+:)*(?:pay-)?0x/i.test(text)) return { type: 'address', address: text }
  if (text.includes('@')) return { type: 'email', email: text }
  if (/^(?:tel:|\()?(?:[+＋]|00)/i.test(text)) return { type: 'phone', phone: text }
  throw new TypeError(`to: "${text}" is neither an address (0x…), an email address nor a phone number (+…)`)
}

/** A new key if there is none. Throws TypeError for one that a header cannot carry as it is. */
export function keyOf(idempotencyKey: string = crypto.randomUUID()): string {
  if (/^[\x21-\x7e]{1,255}$/.test(idempotencyKey) && !idempotencyKey.includes(',')) return idempotencyKey
  throw new TypeError('idempotencyKey: must be 1 to 255 visible ASCII characters without commas')
}

/** For callers without types: a number may not be the amount that was meant (0.1 + 0.2 is 0.30000000000000004). */
export function amountOf(amount: unknown, name = 'amount'): string {
  if (typeof amount === 'string') return amount
  throw new TypeError(`${name}: must be a string of decimal USDC such as '12.5', not a ${typeof amount}`)
}
