import { plainPhone } from '#domain/contactRules.ts'
import { storedEmail } from '#domain/email.ts'
import { defaultExpiryDays, type ExpiryDays, expiryDays } from '#domain/payment.ts'
import { eachNote, type NoteName } from '#domain/paymentNotes.ts'
import { type ContactMethod, methodOf, type SendValues } from '#domain/sendRules.ts'
import { checksumAddress } from '#domain/validators.ts'
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
  const text = (values.to === 'contact' ? (contact?.[method] ?? '') : values[method]).trim()
  const recipient = { address: checksumAddress, email: storedEmail, phone: plainPhone }[method](text)
  return {
    wallet,
    method,
    recipient: recipient ?? text,
    contact: values.to === 'contact' ? (contact ?? null) : null,
    amount: typedDecimal(values.amount),
    ...eachNote((name) => values[name].trim()),
    expiresInDays: expiryDays.find((days) => String(days) === values.expiresInDays) ?? defaultExpiryDays,
    senderName: values.senderName.trim(),
  }
}
