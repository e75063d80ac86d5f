import { formatUsdc, minusOrZero, parseUsdc } from '../../../../../worker/domain/money.ts'
import type { ContactMethod, SendValues } from '../../../../../worker/domain/sendRules.ts'
import { checksumAddress } from '../../../../../worker/domain/validators.ts'
import { plainAmount } from '../../../lib/problems.ts'
import type { Contact } from '../../../queries/contacts.ts'
import type { Wallet } from '../../../queries/wallets.ts'

/** A payment as it is looked over before it leaves. */
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

export const methodsOf = (contact: Contact) =>
  (['address', 'email', 'phone'] as const).filter((method) => contact[method] !== null)

/** Of values that have no problem; `contact` is the chosen one. */
export function paymentOf(values: SendValues, contact: Contact | undefined): Payment {
  const method = values.to === 'contact' ? values.method || 'address' : values.to
  const text = values.to === 'contact' ? (contact?.[method] ?? '') : values[values.to]
  return {
    method,
    recipient: method === 'address' ? checksumAddress(text.trim()) : text.trim(),
    contact: values.to === 'contact' ? (contact ?? null) : null,
    // The plain form: '025.' was fine to type.
    amount: formatUsdc(parseUsdc(plainAmount(values.amount)) ?? 0n),
    memo: values.memo.trim(),
  }
}

/** What the wallet can still pay: its balance without what is held. Null while the balance is not known. */
export function spendable(wallet: Wallet): string | null {
  const balance = wallet.usdcBalance && parseUsdc(wallet.usdcBalance.balance)
  return balance === null ? null : formatUsdc(minusOrZero(balance, parseUsdc(wallet.held) ?? 0n))
}
