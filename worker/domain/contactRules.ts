import { emailProblem, storedEmail } from './email.ts'
import { readPhone } from './readers/phone.ts'
import { problemIn, valueIn } from './readers/read.ts'
import { cleanText, readText, type TextRule } from './readers/text.ts'
import { readAddress } from './validators.ts'

/** Validation of contacts, shared by the form and the API. Phone numbers are E.164, because messages go to them. */

export type ContactValues = { name: string; address: string; email: string; phone: string; description: string }
type Problems = { [K in keyof ContactValues]?: string | null }

export const noMethodText = 'At least one contact method (wallet address or email) is required'
/** The most contacts of an account, and of a policy group's whitelist. */
export const maxContacts = 10_000
export const maxContactsInWords = maxContacts.toLocaleString('en-US')
export const contactName: TextRule = { label: 'Name', max: 100, required: 'Name is required' }
export const contactDescription: TextRule = { label: 'Description', max: 500, lines: true }

export function contactProblems(values: ContactValues): Problems {
  const { name, description } = values
  const [address, email, phone] = [values.address, values.email, values.phone].map((text) => text.trim())
  return {
    name: problemIn(readText(contactName, name)),
    address: address ? problemIn(readAddress(address)) : email || phone ? null : noMethodText,
    email: email ? emailProblem(email) : null,
    phone: phone ? problemIn(readPhone(phone)) : null,
    description: problemIn(readText(contactDescription, description)),
  }
}

type Known = { id: string; name: string; address: string | null; email: string | null; phone: string | null }

const same = (a: string | null, b: string | null) =>
  b !== null && cleanText(b) !== '' && cleanText(a ?? '').toLowerCase() === cleanText(b).toLowerCase()

/** Other contacts with the same address, email, phone or name, each with the most significant match. */
export function duplicatesOf(values: ContactValues, contacts: Known[], ownId: string | null) {
  return contacts.flatMap((contact) => {
    if (contact.id === ownId) return []
    const shares = same(contact.address, valueIn(readAddress(values.address)))
      ? 'wallet address'
      : same(contact.email, storedEmail(values.email))
        ? 'email'
        : same(contact.phone, valueIn(readPhone(values.phone)))
          ? 'phone number'
          : same(contact.name, values.name)
            ? 'name'
            : null
    return shares ? [{ contact, shares }] : []
  })
}

/** The sort orders of the list; the first is the default. */
export const contactSorts = ['newest', 'oldest', 'az', 'za'] as const
export type ContactSort = (typeof contactSorts)[number]
