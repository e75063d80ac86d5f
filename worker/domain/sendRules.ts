import { plainAmount } from './amountText.ts'
import { emailProblem } from './email.ts'
import { parseUsdc } from './money.ts'
import { minPayout, minPayoutText } from './payment.ts'
import { addressProblem } from './validators.ts'

/** Validation of the send form. The specification fixes the texts and the order of the checks. */

export const memoMax = 100
/** A repeat of the same amount to the same recipient within this time needs a confirmation. */
export const repeatMs = 10 * 60_000 // 10 minutes

export type ContactMethod = 'address' | 'email' | 'phone'
export type SendValues = {
  to: 'address' | 'email' | 'contact'
  address: string
  email: string
  contactId: string
  method: ContactMethod | ''
  amount: string
  memo: string
}
type Problems = { [K in keyof SendValues]?: string | null }

/** Null if the amount is valid. `available` in decimal USDC; null if unknown, then the server decides. */
export function amountProblem(text: string, available: string | null): string | null {
  if (!text.trim()) return 'Please enter an amount'
  const amount = parseUsdc(plainAmount(text))
  if (amount === null || amount === 0n) return 'Amount must be greater than 0'
  if (available !== null && amount > (parseUsdc(available) ?? 0n)) return 'Insufficient balance'
  return null
}

export function memoProblem(text: string): string | null {
  return text.trim().length > memoMax ? `Memo must be at most ${memoMax} characters` : null
}

/** Problems of the fields of the chosen tab. */
export function sendProblems(values: SendValues, available: string | null): Problems {
  const { to, address, email, contactId, method } = values
  return {
    address:
      to !== 'address' ? null : address.trim() ? addressProblem(address.trim()) : 'Please enter a recipient address',
    email: to !== 'email' ? null : email.trim() ? emailProblem(email) : 'Please enter an email address',
    contactId: to === 'contact' && !contactId ? 'Please select a contact' : null,
    method: to === 'contact' && contactId && !method ? 'Please select a contact method' : null,
    amount: amountProblem(values.amount, available) ?? minPayoutProblem(values),
    memo: memoProblem(values.memo),
  }
}

function minPayoutProblem({ to, method, amount }: SendValues): string | null {
  const byMessage = to === 'email' || (to === 'contact' && (method === 'email' || method === 'phone'))
  const sum = parseUsdc(plainAmount(amount))
  return byMessage && sum !== null && sum < minPayout ? minPayoutText : null
}

const sameEnds = 3 // digits at each end: fewer coincide by chance, more are costly to forge

/** Whether two different addresses look the same when shortened, which address poisoning exploits. */
export function looksLike(a: string, b: string): boolean {
  const [x, y] = [a.toLowerCase(), b.toLowerCase()]
  return x !== y && x.slice(0, 2 + sameEnds) === y.slice(0, 2 + sameEnds) && x.slice(-sameEnds) === y.slice(-sameEnds)
}
