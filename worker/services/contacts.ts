import type { z } from 'zod'
import type { Deps } from '../appEnv.ts'
import type { ContactRow } from '../db/accounts.ts'
import * as contacts from '../db/contacts.ts'
import { AppError } from '../errors.ts'
import { newId } from '../identity/secrets.ts'
import type { Contact, SaveContact } from '../schemas/contact.ts'

type Input = z.output<typeof SaveContact>

/** `search` is looked for anywhere in a contact's texts, in any script, whatever the case. */
export async function listContacts(deps: Deps, userId: string, search?: string): Promise<Contact[]> {
  const rows = await contacts.listContacts(deps.db, userId)
  const wanted = search?.toLowerCase()
  const matches = ({ name, address, email, phone, description }: ContactRow) =>
    [name, address, email, phone, description].some((text) => text?.toLowerCase().includes(wanted ?? ''))
  return rows.filter(matches).map(asContact)
}

export async function getContact(deps: Deps, userId: string, contactId: string): Promise<Contact> {
  const row = await contacts.findContact(deps.db, userId, contactId)
  if (!row) throw noContact()
  return asContact(row)
}

export async function createContact(deps: Deps, userId: string, input: Input): Promise<Contact> {
  const now = deps.now()
  const row = { id: newId('contact'), userId, ...columns(input), createdAt: now, updatedAt: now }
  await contacts.insertContact(deps.db, row)
  return asContact(row)
}

/** Whitelists that hold the contact as it was learn of it first: from then on they refuse to pay it (decisions.md 38). */
export async function updateContact(deps: Deps, userId: string, contactId: string, input: Input): Promise<Contact> {
  await getContact(deps, userId, contactId)
  const { address, email, phone } = columns(input)
  await deps.env.TREASURY.getByName(userId).contactChanged(contactId, { address, email, phone })
  const row = await contacts.replaceContact(deps.db, {
    id: contactId,
    userId,
    ...columns(input),
    updatedAt: deps.now(),
  })
  if (!row) throw noContact()
  return asContact(row)
}

/** Off every whitelist before it is gone from the list. */
export async function deleteContact(deps: Deps, userId: string, contactId: string): Promise<void> {
  await getContact(deps, userId, contactId)
  await deps.env.TREASURY.getByName(userId).contactChanged(contactId, null)
  if (!(await contacts.deleteContact(deps.db, userId, contactId))) throw noContact()
}

const noContact = () => new AppError('not_found', 'There is no such contact.')

function columns({ name, address, email, phone, description }: Input) {
  return {
    name,
    address: address ?? null,
    email: email?.toLowerCase() ?? null,
    phone: phone ?? null,
    description: description ?? null,
  }
}

function asContact({ userId: _, createdAt, updatedAt, ...rest }: ContactRow): Contact {
  return { ...rest, createdAt: new Date(createdAt).toISOString(), updatedAt: new Date(updatedAt).toISOString() }
}
