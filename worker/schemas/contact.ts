import { z } from 'zod'
import { contactDescription, contactName, contactSorts, maxContacts, noMethodText } from '#domain/contactRules.ts'
import { cleanText } from '#domain/readers/text.ts'
import { address, email, phone, shownText } from './common.ts'

/** An item of GET /contacts. */
export type Contact = {
  id: string
  name: string
  address: string | null
  email: string | null
  phone: string | null
  description: string | null
  /** The name of who created or changed it last, if that was a member. Null: the owner did. */
  changedBy: string | null
  /** ISO 8601 UTC. */
  createdAt: string
  updatedAt: string
}
/** GET /contacts/balances (an addition), by contact id. Decimal USDC on Base. Null if unavailable or without an address. */
export type ContactBalances = Record<string, { balance: string; symbol: 'USDC' } | null>

/** Trims the text. An empty or null field counts as absent. */
const optional = <Schema extends z.ZodType<string, string>>(schema: Schema) =>
  z.preprocess((value) => {
    const text = typeof value === 'string' ? value.trim() : value
    return text === '' || text === null ? undefined : text
  }, schema.optional())

/** POST and PUT /contacts. `userId` is optional and must be the caller's own. */
export const SaveContact = z
  .object({
    userId: z.string().max(64).optional(),
    /** PUT only (an addition): "updatedAt" of the contact that was edited. Refused with 409 if it has changed since. */
    updatedAt: z.string().max(30).optional(),
    name: shownText(contactName),
    address: optional(address),
    email: optional(email),
    phone: optional(phone),
    description: optional(shownText(contactDescription)),
  })
  .superRefine((value, ctx) => {
    if (!value.address && !value.email && !value.phone)
      ctx.addIssue({ code: 'custom', path: ['address'], message: noMethodText })
  })

/** Contact ids separated by commas. */
const contactIds = (most: number) =>
  z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.string().min(1).max(64)).max(most, `At most ${most} contacts at a time`))

/** `search` is part of any of a contact's texts, in any case. */
export const ContactFilter = z.object({
  search: z.string().trim().max(254).optional(),
  ids: contactIds(100).optional(),
  userId: z.string().max(64).optional(),
  sort: z.enum(contactSorts).default(contactSorts[0]),
})
export const ContactsQuery = ContactFilter.extend({
  page: z.coerce.number().int().min(1).max(maxContacts).default(1),
  pageSize: z.coerce.number().int().min(1).max(100).default(100),
})
export type ContactsQuery = Omit<z.output<typeof ContactsQuery>, 'userId'>

export const ContactBalancesQuery = z.object({ ids: contactIds(50) })

/** GET /contacts/matches (an addition). `except` is the id of a contact that is left out. */
export const ContactMatchesQuery = z.object({
  name: z.string().max(254).transform(cleanText).optional(),
  address: address.optional(),
  email: email.optional(),
  phone: phone.optional(),
  except: z.string().max(64).optional(),
})
export type ContactMatchesQuery = z.output<typeof ContactMatchesQuery>
/** POST /contacts/names (an addition): which of these addresses, emails, phone numbers and ids are contacts. */
export const ContactNames = z.object({
  values: z.array(z.string().min(1).max(254)).max(100, 'At most 100 values at a time'),
})
/** Names by value, in lower case; values that no contact has are missing. Of several contacts, the newest. */
export type ContactNames = { names: Record<string, string> }
/** `contacts`: up to ten of the `total` that share a value; `lookAlike`: one whose other address looks like this one. */
export type ContactMatches = { contacts: Contact[]; total: number; lookAlike: Contact | null }
