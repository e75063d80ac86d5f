import { emailProblem } from './email.ts'
import { emailText } from './emailFormat.ts'
import { formatUsdcText, type MicroUsdc, parseUsdc } from './money.ts'
import { type ChainName, chainIdOf } from './networks.ts'
import { minPayout, minPayoutText } from './payment.ts'
import { eachNote, type NoteName, noteRule } from './paymentNotes.ts'
import { readAmount } from './readers/amount.ts'
import { readPhone } from './readers/phone.ts'
import { problemIn, valueIn } from './readers/read.ts'
import { readText, type TextRule } from './readers/text.ts'
import { unspendableProblem } from './unspendable.ts'
import { readAddress } from './validators.ts'

/** Validation of the send form. The specification fixes the texts and the order of the checks. */

export const senderNameRule: TextRule = { label: 'Sender name', max: 60 }
/** A repeat of the same amount to the same recipient within this time needs a confirmation. */
export const repeatMs = 10 * 60_000 // 10 minutes

export type ContactMethod = 'address' | 'email' | 'phone'
/** The form's values as typed. `expiresInDays` and `senderName` are for payouts. */
export type SendValues = Record<NoteName, string> & {
  walletId: string
  to: ContactMethod | 'contact'
  address: string
  email: string
  phone: string
  contactId: string
  method: ContactMethod | ''
  amount: string
  expiresInDays: string
  senderName: string
}
type Problems = { [K in keyof SendValues]?: string | null }

/** What the wallet can pay now in decimal USDC, and what limits it. */
export type SpendLimit = { now: string; limitedBy: 'balance' | 'session' }

/** Null if the amount is valid. `limit` is null if unknown; the server then decides. */
export function amountProblem(text: string, limit: SpendLimit | null): string | null {
  if (!text.trim()) return 'Please enter an amount'
  const read = readAmount(text)
  if ('problem' in read) return read.problem
  return read.value === 0n ? 'Amount must be greater than 0' : limitProblem(read.value, limit)
}

function limitProblem(amount: MicroUsdc, limit: SpendLimit | null): string | null {
  const most = limit && parseUsdc(limit.now)
  if (!limit || most === null || amount <= most) return null
  return limit.limitedBy === 'balance'
    ? 'Insufficient balance'
    : `The wallet’s session key has ${formatUsdcText(most)} USDC left. Send less, or rotate the key.`
}

/** Null if an address as typed can be paid on this network. */
export function recipientAddressProblem(text: string, chain: ChainName = 'base'): string | null {
  if (!text.trim()) return 'Please enter a recipient address'
  const read = readAddress(text, chainIdOf(chain))
  return 'problem' in read ? read.problem : unspendableProblem(read.value)
}

/** Problems with the fields of the chosen tab, in form order. `chain` is that of the wallet that pays. */
export function sendProblems(values: SendValues, limit: SpendLimit | null, chain?: ChainName): Problems {
  const { to, address, email, phone, contactId, method } = values
  return {
    address: to === 'address' ? recipientAddressProblem(address, chain) : null,
    email: to !== 'email' ? null : email.trim() ? emailProblem(email) : 'Please enter an email address',
    phone: to !== 'phone' ? null : phone.trim() ? problemIn(readPhone(phone)) : 'Please enter a phone number',
    contactId: to === 'contact' && !contactId ? 'Please select a contact' : null,
    method: to === 'contact' && contactId && !method ? 'Please select a contact method' : null,
    amount: amountProblem(values.amount, limit) ?? minPayoutProblem(values),
    ...textProblems(values),
  }
}

const notValid = 'Please enter a valid amount'

/** The same for Create Payout, whose texts the specification fixes separately. */
export function payoutProblems(values: SendValues, limit: SpendLimit | null): Problems {
  const { to, email, phone } = values
  const read = readAmount(values.amount, 6, notValid)
  const amount = valueIn(read)
  return {
    walletId: values.walletId ? null : 'Please select a source wallet',
    email:
      to !== 'email'
        ? null
        : !email.trim()
          ? 'Please enter an email address for the recipient'
          : (emailProblem(email)?.replace(emailText, 'Invalid email') ?? null),
    phone:
      to !== 'phone'
        ? null
        : phone.trim()
          ? problemIn(readPhone(phone))
          : 'Please enter a phone number for the recipient',
    amount: amount ? (limitProblem(amount, limit) ?? minPayoutProblem(values)) : (problemIn(read) ?? notValid),
    ...textProblems(values),
  }
}

const textProblems = (values: SendValues): Problems => ({
  ...eachNote((name) => problemIn(readText(noteRule(name), values[name]))),
  senderName: problemIn(readText(senderNameRule, values.senderName)),
})

/** How the recipient is paid; '' if not chosen yet. Anything but an address is a payout. */
export const methodOf = ({ to, method }: Pick<SendValues, 'to' | 'method'>): ContactMethod | '' =>
  to === 'contact' ? method : to

function minPayoutProblem(values: SendValues): string | null {
  const method = methodOf(values)
  const sum = valueIn(readAmount(values.amount))
  return method !== '' && method !== 'address' && sum !== null && sum < minPayout ? minPayoutText : null
}

/** How much of an address people compare: */
export const sameEnds = 3 // digits at each end: fewer match by chance, more are costly to forge

/** Whether two different addresses look the same when shortened, which address poisoning exploits. */
export function looksLike(a: string, b: string): boolean {
  const [x, y] = [a.toLowerCase(), b.toLowerCase()]
  return x !== y && x.slice(0, 2 + sameEnds) === y.slice(0, 2 + sameEnds) && x.slice(-sameEnds) === y.slice(-sameEnds)
}
