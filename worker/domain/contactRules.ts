import { emailProblem } from './email.ts'
import { addressProblem } from './validators.ts'

/** What contacts must be (part 2 section 5, Contact; decisions.md 30 for phones), shared by the form and the API. */

export type ContactValues = { name: string; address: string; email: string; phone: string; description: string }
type Problems = { [K in keyof ContactValues]?: string | null }

export const noMethodText = 'At least one contact method (wallet address or email) is required'
export const phoneText = 'Phone number must be in international form, for example +14155550123'
export const nameMax = 100
export const descriptionMax = 500

/** Something to be seen: letters, digits, marks, emoji. Spaces and invisible characters alone are no name. */
export const isVisible = (text: string) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(text)

/** '+1 (415) 555-0123' → '+14155550123', which is what is stored and dialled. */
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
        : null,
    address: address ? addressProblem(address) : email || phone ? null : noMethodText,
    email: email ? emailProblem(email) : null,
    phone: phone ? phoneProblem(phone) : null,
    description:
      description.length > descriptionMax ? `Description must be at most ${descriptionMax} characters` : null,
  }
}

type Known = { id: string; name: string; address: string | null; email: string | null; phone: string | null }

const same = (a: string | null, b: string) =>
  b.trim() !== '' && (a ?? '').normalize('NFC').toLowerCase() === b.trim().normalize('NFC').toLowerCase()

/** Other contacts that share something with this one, each with what they share, the weightiest first. */
export function duplicatesOf(values: ContactValues, contacts: Known[], ownId: string | null) {
  return contacts.flatMap((contact) => {
    if (contact.id === ownId) return []
    const shares = same(contact.address, values.address)
      ? 'wallet address'
      : same(contact.email, values.email)
        ? 'email'
        : same(contact.phone, plainPhone(values.phone))
          ? 'phone number'
          : same(contact.name, values.name)
            ? 'name'
            : null
    return shares ? [{ contact, shares }] : []
  })
}
