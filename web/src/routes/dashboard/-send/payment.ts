import { readEmail } from '#domain/email.ts'
import { chainIdOf } from '#domain/networks.ts'
import { defaultExpiryDays, type ExpiryDays, expiryDays } from '#domain/payment.ts'
import { eachNote, type NoteName } from '#domain/paymentNotes.ts'
import { readPhone } from '#domain/readers/phone.ts'
import { valueIn } from '#domain/readers/read.ts'
import { cleanText } from '#domain/readers/text.ts'
import { type ContactMethod, methodOf, type SendValues } from '#domain/sendRules.ts'
import { checksumAddress, readAddress } from '#domain/validators.ts'
import { typedDecimal } from '#web/lib/amounts.ts'
import type { Contact } from '#web/queries/contacts.ts'
import type { Wallet } from '#web/queries/wallets.ts'

/** A payment, ready to be reviewed. */
export type Payment = Record<NoteName, string> & {
  wallet: Wallet
  method: ContactMethod
  /** The address with its checksum, the email in its stored form, or the phone number. */
  recipient: string
  contact: Contact | null
  /** Decimal USDC. */
  amount: string
  /** For payouts only: payments by email or phone. */
  expiresInDays: ExpiryDays
  senderName: string
}

export const emptyValues: SendValues = {
  walletId: '',
  to: 'address',
  address: '',
  email: '',
  phone: '',
  contactId: '',
  method: '',
  amount: '',
  ...eachNote(() => ''),
  expiresInDays: String(defaultExpiryDays),
  senderName: '',
}

export const isPayout = ({ method }: { method: ContactMethod | '' }) => method === 'email' || method === 'phone'

/** The recipient under the name of the method, as contacts have it. */
export const recipientOf = ({ method, recipient }: Payment): { [Method in ContactMethod]?: string } => ({
  [method]: recipient,
})

/** The methods by which the contact can be paid. `sms`: whether payouts can be sent to phone numbers. */
export const methodsOf = (contact: Contact, sms: boolean) =>
  (['address', 'email', 'phone'] as const).filter((method) => contact[method] !== null && (method !== 'phone' || sms))

/** Builds the payment from valid form values; `contact` is the chosen contact. */
export function paymentOf(values: SendValues, wallet: Wallet, contact: Contact | undefined): Payment {
  const method = methodOf(values) || 'address'
  const text = values.to === 'contact' ? (contact?.[method] ?? '') : values[method]
  return {
    wallet,
    method,
    recipient: recipientIn(text, method, wallet),
    contact: values.to === 'contact' ? (contact ?? null) : null,
    amount: typedDecimal(values.amount),
    ...eachNote((name) => cleanText(values[name])),
    expiresInDays: expiryDays.find((days) => String(days) === values.expiresInDays) ?? defaultExpiryDays,
    senderName: cleanText(values.senderName),
  }
}

function recipientIn(text: string, method: ContactMethod, wallet: Wallet): string {
  const address = method === 'address' ? valueIn(readAddress(text, chainIdOf(wallet.chain))) : null
  if (address) return checksumAddress(address)
  return valueIn(method === 'email' ? readEmail(text) : readPhone(text)) ?? text.trim()
}
