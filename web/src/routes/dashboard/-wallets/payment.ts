import { formatUsdc, parseUsdc, saturatingSub } from '#domain/money.ts'
import type { ContactMethod, SendValues } from '#domain/sendRules.ts'
import { checksumAddress } from '#domain/validators.ts'
import { microOf, typedDecimal } from '../../../lib/amounts.ts'
import type { Contact } from '../../../queries/contacts.ts'
import type { Wallet } from '../../../queries/wallets.ts'

/** A payment, ready to be reviewed. */
export type Payment = {
  method: ContactMethod
  /** The address with its checksum, the email or the phone number. */
  recipient: string
  contact: Contact | null
  /** Decimal USDC. */
  amount: string
  memo: string
}

export const emptyValues: SendValues = {
  to: 'address',
  address: '',
  email: '',
  contactId: '',
  method: '',
  amount: '',
  memo: '',
}

/** How the contact can be paid. `sms`: payouts can be sent to phone numbers. */
export const methodsOf = (contact: Contact, sms: boolean) =>
  (['address', 'email', 'phone'] as const).filter((method) => contact[method] !== null && (method !== 'phone' || sms))

/** The payment of values without a problem; `contact` is the chosen one. */
export function paymentOf(values: SendValues, contact: Contact | undefined): Payment {
  const method = values.to === 'contact' ? values.method || 'address' : values.to
  const text = values.to === 'contact' ? (contact?.[method] ?? '') : values[values.to]
  return {
    method,
    recipient: method === 'address' ? checksumAddress(text.trim()) : text.trim(),
    contact: values.to === 'contact' ? (contact ?? null) : null,
    amount: typedDecimal(values.amount),
    memo: values.memo.trim(),
  }
}

/** What the wallet can pay: its balance minus what is held. Decimal USDC; null while the balance is unknown. */
export function spendable(wallet: Wallet): string | null {
  const balance = wallet.usdcBalance && parseUsdc(wallet.usdcBalance.balance)
  return balance === null ? null : formatUsdc(saturatingSub(balance, microOf(wallet.held)))
}
