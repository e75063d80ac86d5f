import { plainAmount } from './amountText.ts'
import { emailProblem } from './email.ts'
import { parseUsdc } from './money.ts'
import { leastPayout, leastPayoutText } from './payment.ts'
import { addressProblem } from './validators.ts'

/** What a person who sends by hand is told, in the order of part 2 section 5. Texts are the specification's where it has one. */

export const memoMax = 100
/** The same sum to the same recipient within this time is asked about once more. */
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

/** Empty, zero, more than there is. `available` in decimal USDC; null = not known here, the server decides. */
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

/** Only the fields of the chosen tab count. */
export function sendProblems(values: SendValues, available: string | null): Problems {
  const { to, address, email, contactId, method } = values
  return {
    address:
      to !== 'address' ? null : address.trim() ? addressProblem(address.trim()) : 'Please enter a recipient address',
    email: to !== 'email' ? null : email.trim() ? emailProblem(email) : 'Please enter an email address',
    contactId: to === 'contact' && !contactId ? 'Please select a contact' : null,
    method: to === 'contact' && contactId && !method ? 'Please select a contact method' : null,
    amount: amountProblem(values.amount, available) ?? leastPayoutProblem(values),
    memo: memoProblem(values.memo),
  }
}

function leastPayoutProblem({ to, method, amount }: SendValues): string | null {
  const byMessage = to === 'email' || (to === 'contact' && (method === 'email' || method === 'phone'))
  const sum = parseUsdc(plainAmount(amount))
  return byMessage && sum !== null && sum < leastPayout ? leastPayoutText : null
}

const sameEnds = 3 // digits at each end: fewer are chance, more a forger has to pay for

/** Another address with the same look in a short form: what address poisoning relies on. */
export function looksLike(a: string, b: string): boolean {
  const [x, y] = [a.toLowerCase(), b.toLowerCase()]
  return x !== y && x.slice(0, 2 + sameEnds) === y.slice(0, 2 + sameEnds) && x.slice(-sameEnds) === y.slice(-sameEnds)
}
