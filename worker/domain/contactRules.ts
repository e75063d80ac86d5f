import { emailProblem, storedEmail } from './email.ts'
import { hiddenProblem } from './plainText.ts'
import { addressProblem } from './validators.ts'

/** Validation of contacts, shared by the form and the API. Phone numbers are E.164, because messages go to them. */

export type ContactValues = { name: string; address: string; email: string; phone: string; description: string }
type Problems = { [K in keyof ContactValues]?: string | null }

export const noMethodText = 'At least one contact method (wallet address or email) is required'
export const phoneText = 'Phone number must be in international form, for example +14155550123'
/** The most contacts of an account, and of a policy group's whitelist. */
export const maxContacts = 10_000
export const maxContactsInWords = maxContacts.toLocaleString('en-US')
export const nameMax = 100
export const descriptionMax = 500

/** Whether the text has a visible character (letter, digit, punctuation, emoji), so that it can serve as a name. */
export const isVisible = (text: string) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(text)

/** '+1 (415) 555-0123' → '+14155550123', the stored form. */
export const plainPhone = (text: string) => text.replace(/[\s().-]/g, '')

export const phoneProblem = (text: string) => (/^\+[1-9][0-9]{6,14}$/.test(plainPhone(text)) ? null : phoneText)

export function contactProblems(values: ContactValues): Problems {
  const [name, address, email, phone] = [values.name, values.address, values.email, values.phone].map((text) =>
    text.trim(),
  )
  const description = values.description.trim()
  return {
    name: !isVisible(name!)
      ? 'Name is required'
      : name!.length > nameMax
        ? `Name must be at most ${nameMax} characters`
        : hiddenProblem('Name', name!),
    address: address ? addressProblem(address) : email || phone ? null : noMethodText,
    email: email ? emailProblem(email) : null,
    phone: phone ? phoneProblem(phone) : null,
    description:
      description.length > descriptionMax
        ? `Description must be at most ${descriptionMax} characters`
        : hiddenProblem('Description', description, 'lines'),
  }
}

/** Texts in the form in which they are searched, one per line. */
export const searchTextOf = (...texts: (string | null)[]): string =>
  texts.filter(Boolean).join('\n').normalize('NFC').toLowerCase()

type Known = { id: string; name: string; address: string | null; email: string | null; phone: string | null }

const same = (a: string | null, b: string) =>
  b.trim() !== '' && (a ?? '').normalize('NFC').toLowerCase() === b.trim().normalize('NFC').toLowerCase()

/** Other contacts with the same address, email, phone or name, each with the most significant match. */
export function duplicatesOf(values: ContactValues, contacts: Known[], ownId: string | null) {
  return contacts.flatMap((contact) => {
    if (contact.id === ownId) return []
    const shares = same(contact.address, values.address)
      ? 'wallet address'
      : same(contact.email, storedEmail(values.email) ?? '')
        ? 'email'
        : same(contact.phone, plainPhone(values.phone))
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
