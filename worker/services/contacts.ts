import type { z } from 'zod'
import { type AccountId, ownAccount } from '#domain/accounts.ts'
import { maxContacts, maxContactsInWords } from '#domain/contactRules.ts'
import { isoOf } from '#domain/time.ts'
import type { Page } from '#schemas/common.ts'
import type {
  Contact,
  ContactMatches,
  ContactMatchesQuery,
  ContactNames,
  ContactsQuery,
  SaveContact,
} from '#schemas/contact.ts'
import type { GroupName } from '#schemas/policy.ts'
import type { Deps, Person } from '../appEnv.ts'
import * as contacts from '../db/contacts.ts'
import { findUserContact } from '../db/users.ts'
import { AppError } from '../errors.ts'
import { newId } from '../identity/secrets.ts'
import { requireOpenSession } from './openSession.ts'

type Input = z.output<typeof SaveContact>

/** How long a deleted contact can be restored. */
const undoMs = 10 * 60_000 // 10 minutes

export async function listContacts(
  deps: Deps,
  accountId: AccountId,
  query: ContactsQuery,
): Promise<{ rows: Contact[]; page: Page }> {
  const { rows, total } = await contacts.listContacts(deps.db, accountId, query)
  return { rows: rows.map(asContact), page: { number: query.page, size: query.pageSize, total } }
}

/** Contacts that share a value with a new one or with the recipient of a payment. */
export async function matchContacts(
  deps: Deps,
  accountId: AccountId,
  query: ContactMatchesQuery,
): Promise<ContactMatches> {
  const { rows, total, lookAlike } = await contacts.matchContacts(deps.db, accountId, query)
  return { contacts: rows.map(asContact), total, lookAlike: lookAlike && asContact(lookAlike) }
}

export const contactNames = async (deps: Deps, accountId: AccountId, values: string[]): Promise<ContactNames> => ({
  names: await contacts.contactNames(deps.db, accountId, values),
})

export async function getContact(deps: Deps, accountId: AccountId, contactId: string): Promise<Contact> {
  const row = await contacts.findContact(deps.db, accountId, contactId)
  if (!row) throw contactNotFound()
  return asContact(row)
}

export async function createContact(person: Person, input: Input): Promise<Contact> {
  const { deps, accountId } = person
  const now = deps.now()
  const row = {
    id: newId('contact'),
    userId: accountId,
    ...columns(input),
    changedBy: await memberName(person),
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  }
  if (!(await contacts.insertContact(deps.db, row, maxContacts))) throw noPlace()
  return asContact(row)
}

/**
 * Notifies the Treasury before the change is stored. From then on, policy groups that whitelisted the old values refuse to
 * pay the contact until the owner confirms it. Throws `conflict` if the contact is no longer the one that was edited.
 */
export async function updateContact(person: Person, contactId: string, input: Input): Promise<Contact> {
  const { deps, accountId, treasury } = person
  const known = await getContact(deps, accountId, contactId)
  const { description: _, ...named } = columns(input)
  if (input.updatedAt !== undefined && input.updatedAt !== known.updatedAt) {
    // The same change once more, because the reply to the first attempt was lost.
    if (JSON.stringify(columns(input)) === JSON.stringify(columns(known as Input))) return known
    throw new AppError(
      'conflict',
      'This contact was changed meanwhile. Nothing was saved. Close the form and open it again to see the change.',
    )
  }
  await treasury.policies().contactChanged(contactId, named)
  const row = await contacts.replaceContact(deps.db, {
    id: contactId,
    userId: accountId,
    ...columns(input),
    changedBy: await memberName(person),
    updatedAt: deps.now(),
  })
  if (!row) throw contactNotFound()
  return asContact(row)
}

/** The policy groups whose agents may pay the contact. */
export async function groupsWithContact(
  { deps, accountId, treasury }: Person,
  contactId: string,
): Promise<GroupName[]> {
  await getContact(deps, accountId, contactId)
  return treasury.policies().groupsWithContact(contactId)
}

/** Removes the contact from all whitelists first, then deletes it. */
export async function deleteContact({ deps, accountId, treasury }: Person, contactId: string): Promise<void> {
  await getContact(deps, accountId, contactId)
  await treasury.policies().contactChanged(contactId, null)
  if (!(await contacts.deleteContact(deps.db, accountId, contactId, deps.now()))) throw contactNotFound()
}

/** Undoes a deletion of the last ten minutes. Whitelists are not restored, because they decide who may be paid. */
export async function restoreContact({ deps, accountId, treasury }: Person, contactId: string): Promise<Contact> {
  const since = deps.now() - undoMs
  const row = await contacts.restoreContact(deps.db, accountId, contactId, { since, most: maxContacts })
  if (!row) throw (await contacts.isDeletedSince(deps.db, accountId, contactId, since)) ? noPlace() : contactNotFound()
  const { name, address, email, phone } = row
  await treasury.policies().contactChanged(contactId, { name, address, email, phone })
  return asContact(row)
}

/** Removes deleted contacts that can no longer be restored. */
export const purgeDeletedContacts = (db: Deps['db'], now: number) => contacts.purgeContacts(db, now - undoMs)

/**
 * The contact that a payment names, for display in lists. Null if none was named. Throws if the contact's address, email or
 * phone does not match the payment's recipient.
 */
export async function namedContact(
  person: Person,
  contactId: string | undefined,
  to: { address?: string | undefined; email?: string | undefined; phone?: string | undefined },
): Promise<{ id: string; name: string } | null> {
  if (contactId === undefined) return null
  const { deps, accountId } = person
  const found = contacts.findContact(deps.db, accountId, contactId)
  const [contact] = await Promise.all([found, requireOpenSession(person)])
  if (!contact) throw new AppError('not_found', 'Contact not found.', { field: 'contactId' })
  const same = (stored: string | null, given: string | undefined) =>
    given === undefined || stored?.toLowerCase() === given.toLowerCase()
  if (!same(contact.address, to.address) || !same(contact.email, to.email) || !same(contact.phone, to.phone))
    throw new AppError('conflict', `${contact.name} has changed in the meantime. Choose the contact again.`, {
      field: 'contactId',
    })
  return { id: contact.id, name: contact.name }
}

/** What the person who acts is called; null for the account's owner. */
async function memberName({ deps, personId, accountId }: Person): Promise<string | null> {
  if (accountId === ownAccount(personId)) return null
  const user = await findUserContact(deps.db, personId)
  return user?.name ?? user?.email ?? 'A member'
}

const noPlace = () =>
  new AppError('contact_limit', `An account can have ${maxContactsInWords} contacts. Delete one first.`)

export const contactNotFound = () => new AppError('not_found', 'Contact not found.')

function columns({ name, address, email, phone, description }: Input) {
  return {
    name,
    address: address ?? null,
    email: email ?? null,
    phone: phone ?? null,
    description: description ?? null,
  }
}

function asContact({ userId: _, deletedAt: __, createdAt, updatedAt, ...rest }: contacts.ContactRow): Contact {
  return { ...rest, createdAt: isoOf(createdAt), updatedAt: isoOf(updatedAt) }
}
