import type { z } from 'zod'
import type { Deps } from '../appEnv.ts'
import { chainsFrom } from '../chain/chains.ts'
import type { Address } from '../chain/types.ts'
import type { ContactRow } from '../db/accounts.ts'
import * as contacts from '../db/contacts.ts'
import { formatUsdc } from '../domain/money.ts'
import { AppError } from '../errors.ts'
import { newId } from '../identity/secrets.ts'
import type { Contact, ContactBalances, SaveContact } from '../schemas/contact.ts'

type Input = z.output<typeof SaveContact>

/** How long a deletion can be undone. */
const undoMs = 10 * 60_000 // 10 minutes

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
  const row = { id: newId('contact'), userId, ...columns(input), createdAt: now, updatedAt: now, deletedAt: null }
  await contacts.insertContact(deps.db, row)
  return asContact(row)
}

/** Whitelists that hold the contact as it was learn of it first: from then on they refuse to pay it (decisions.md 38). */
export async function updateContact(deps: Deps, userId: string, contactId: string, input: Input): Promise<Contact> {
  await getContact(deps, userId, contactId)
  const { name, address, email, phone } = columns(input)
  await deps.env.TREASURY.getByName(userId).contactChanged(contactId, { name, address, email, phone })
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
  if (!(await contacts.deleteContact(deps.db, userId, contactId, deps.now()))) throw noContact()
}

/** Undoes a deletion of the last ten minutes. The whitelists stay without it: who may be paid is decided there. */
export async function restoreContact(deps: Deps, userId: string, contactId: string): Promise<Contact> {
  const row = await contacts.restoreContact(deps.db, userId, contactId, deps.now() - undoMs)
  if (!row) throw noContact()
  const { name, address, email, phone } = row
  await deps.env.TREASURY.getByName(userId).contactChanged(contactId, { name, address, email, phone })
  return asContact(row)
}

/** Housekeeping: what can't be undone any more. */
export const eraseContacts = (db: Deps['db'], now: number) => contacts.eraseContacts(db, now - undoMs)

/** What each contact's address holds on Base; null where the chain does not answer or there is no address. */
export async function contactBalances(deps: Deps, userId: string, contactIds: string[]): Promise<ContactBalances> {
  const rows = await contacts.findContacts(deps.db, userId, contactIds)
  if (rows.length !== new Set(contactIds).size) throw noContact()
  const chain = chainsFrom(deps.env)[8453]
  const balances = rows.map(async ({ id, address }) => {
    const balance = address === null ? null : await chain.usdcBalance(address as Address).catch(() => null)
    return [id, balance === null ? null : { balance: formatUsdc(balance), symbol: 'USDC' as const }] as const
  })
  return Object.fromEntries(await Promise.all(balances))
}

/** The contact a payment is said to go to, if it really leads there. */
export async function payee(
  deps: Deps,
  userId: string,
  contactId: string | undefined,
  to: { address?: string | undefined; email?: string | undefined; phone?: string | undefined },
): Promise<{ id: string; name: string } | null> {
  if (contactId === undefined) return null
  const contact = await contacts.findContact(deps.db, userId, contactId)
  if (!contact) throw new AppError('not_found', 'There is no such contact.', { field: 'contactId' })
  const same = (kept: string | null, asked: string | undefined) =>
    asked === undefined || kept?.toLowerCase() === asked.toLowerCase()
  if (!same(contact.address, to.address) || !same(contact.email, to.email) || !same(contact.phone, to.phone))
    throw new AppError('conflict', `${contact.name} has changed meanwhile. Choose the contact again.`, {
      field: 'contactId',
    })
  return { id: contact.id, name: contact.name }
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

function asContact({ userId: _, deletedAt: __, createdAt, updatedAt, ...rest }: ContactRow): Contact {
  return { ...rest, createdAt: new Date(createdAt).toISOString(), updatedAt: new Date(updatedAt).toISOString() }
}
