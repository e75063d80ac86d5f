import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  gt,
  isNotNull,
  isNull,
  like,
  lt,
  ne,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import type { ContactSort } from '#domain/contactRules.ts'
import { searchTextOf } from '#domain/readers/text.ts'
import { sameEnds } from '#domain/sendRules.ts'
import type { ContactMatchesQuery, ContactsQuery } from '#schemas/contact.ts'
import type { Db } from './d1.ts'
import { contact } from './schema.ts'

const { searchText: _, ...columns } = getTableColumns(contact)
export type ContactRow = Omit<typeof contact.$inferSelect, 'searchText'>

const belongsTo = (userId: string) => and(eq(contact.userId, userId), isNull(contact.deletedAt))
const one = (userId: string, contactId: string) => and(eq(contact.id, contactId), belongsTo(userId))
// One parameter: D1 allows 100 per statement.
const isIn = (contactIds: string[]) =>
  sql`${contact.id} IN (SELECT value FROM json_each(${JSON.stringify(contactIds)}))`
const contains = (text: string) => sql`instr(${contact.searchText}, ${searchTextOf(text)}) > 0`

const orders: Record<ContactSort, SQL[]> = {
  newest: [desc(contact.createdAt), desc(contact.id)],
  oldest: [asc(contact.createdAt), asc(contact.id)],
  // The text begins with the name, in lower case.
  az: [asc(contact.searchText), asc(contact.id)],
  za: [desc(contact.searchText), desc(contact.id)],
}

const sorted = (db: Db, sort: ContactSort, where: SQL | undefined, limit: number, offset = 0) =>
  db
    .select(columns)
    .from(contact)
    .where(where)
    .orderBy(...orders[sort])
    .limit(limit)
    .offset(offset)
const newest = (db: Db, where: SQL | undefined, limit: number) => sorted(db, 'newest', where, limit)
const total = (db: Db, where: SQL | undefined) => db.select({ total: count() }).from(contact).where(where)

/** Selects a page, and counts all matches. */
export function contactStatements(db: Db, userId: string, { sort, page, pageSize, search, ids }: ContactsQuery) {
  const where = and(belongsTo(userId), search ? contains(search) : undefined, ids ? isIn(ids) : undefined)
  return [sorted(db, sort, where, pageSize, (page - 1) * pageSize), total(db, where)] as const
}

/** The contacts with these names. */
export const contactsByName = (db: Db, userId: string, names: string[]): Promise<ContactRow[]> =>
  db
    .select(columns)
    .from(contact)
    .where(and(belongsTo(userId), sql`${contact.name} IN (SELECT value FROM json_each(${JSON.stringify(names)}))`))

export async function listContacts(
  db: Db,
  userId: string,
  query: ContactsQuery,
): Promise<{ rows: ContactRow[]; total: number }> {
  const [rows, [counted]] = await db.batch(contactStatements(db, userId, query))
  return { rows, total: counted!.total }
}

const maxMatches = 10

/** The newest contacts that share the name or a method, and the newest whose address only looks the same. */
export async function matchContacts(
  db: Db,
  userId: string,
  { name, address, email, phone, except }: ContactMatchesQuery,
): Promise<{ rows: ContactRow[]; total: number; lookAlike: ContactRow | null }> {
  const own = and(belongsTo(userId), except ? ne(contact.id, except) : undefined)
  const sharesAddress = address ? sql`${contact.address} = ${address} COLLATE NOCASE` : sql`false`
  const nameLine = name && `${searchTextOf(name)}\n`
  const shares = and(
    own,
    or(
      sharesAddress,
      nameLine ? sql`substr(${contact.searchText}, 1, length(${nameLine})) = ${nameLine}` : undefined,
      email ? eq(contact.email, email.toLowerCase()) : undefined,
      phone ? eq(contact.phone, phone) : undefined,
    ),
  )
  const ends = address && `${address.slice(0, 2 + sameEnds)}%${address.slice(-sameEnds)}`
  const looksSame = and(own, ends ? and(like(contact.address, ends), sql`NOT ${sharesAddress}`) : sql`false`)
  const [rows, [counted], [lookAlike]] = await db.batch([
    newest(db, shares, maxMatches),
    total(db, shares),
    newest(db, looksSame, 1),
  ])
  return { rows, total: counted!.total, lookAlike: lookAlike ?? null }
}

/** The contacts with one of these addresses, emails or phone numbers, in any case. A UNION, because OR would use no index. */
export function contactsWith(db: Db, userId: string, values: string[]) {
  const { id, name, address, email, phone, createdAt } = contact
  const having = (method: typeof address | typeof email | typeof phone) =>
    db
      .select({ id, name, address, email, phone, createdAt })
      .from(contact)
      .where(
        and(
          belongsTo(userId),
          isNotNull(method),
          sql`${method} COLLATE NOCASE IN (SELECT value FROM json_each(${JSON.stringify(values)}))`,
        ),
      )
  return having(address).unionAll(having(email)).unionAll(having(phone))
}

/** Names by value, in lower case: that of the newest contact that has this address, email or phone number, or this id. */
export async function contactNames(db: Db, userId: string, values: string[]): Promise<Record<string, string>> {
  const wanted = new Set(values.map((value) => value.toLowerCase()))
  const ids = [...wanted].filter((value) => value.startsWith('contact_'))
  const [having, named] = await Promise.all([contactsWith(db, userId, [...wanted]), findContacts(db, userId, ids)])
  const names: Record<string, string> = {}
  for (const { id, name, address, email, phone } of [...having, ...named].sort((a, b) => a.createdAt - b.createdAt))
    for (const method of [address, email, phone, id]) {
      const value = method?.toLowerCase()
      if (value !== undefined && wanted.has(value)) names[value] = name
    }
  return names
}

/** The newest contacts whose names contain the text, at most `most`. */
export const contactsNamed = (db: Db, userId: string, text: string, most: number) => {
  const name = sql`substr(${contact.searchText}, 1, length(${contact.name}))`
  return newest(db, and(belongsTo(userId), sql`instr(${name}, ${searchTextOf(text)}) > 0`), most)
}

export async function findContacts(db: Db, userId: string, contactIds: string[]): Promise<ContactRow[]> {
  if (contactIds.length === 0) return []
  return db
    .select(columns)
    .from(contact)
    .where(and(isIn(contactIds), belongsTo(userId)))
}

export async function findContact(db: Db, userId: string, contactId: string): Promise<ContactRow | null> {
  return (await db.select(columns).from(contact).where(one(userId, contactId)).get()) ?? null
}

const hasPlace = (userId: string, most: number) =>
  sql`(SELECT count(*) FROM ${contact} AS own WHERE own.user_id = ${userId} AND own.deleted_at IS NULL) < ${most}`

/** False if the user has `most` contacts already. Counting is part of the statement, so parallel calls can't exceed it. */
export async function insertContact(db: Db, row: ContactRow, most: number): Promise<boolean> {
  const values = { ...row, searchText: searchTextOfRow(row) }
  const names = Object.keys(getTableColumns(contact)) as (keyof typeof values)[]
  const list = sql.join(
    names.map((name) => sql`${values[name]}`),
    sql`, `,
  )
  const rows = await db
    .insert(contact)
    .select(sql`SELECT ${list} WHERE ${hasPlace(row.userId, most)}`)
    .returning({ id: contact.id })
  return rows.length === 1
}

/** Null if the user has no such contact. */
export async function replaceContact(
  db: Db,
  row: Omit<ContactRow, 'createdAt' | 'deletedAt'>,
): Promise<ContactRow | null> {
  const { id, userId, ...values } = row
  const rows = await db
    .update(contact)
    .set({ ...values, searchText: searchTextOfRow(row) })
    .where(one(userId, id))
    .returning(columns)
  return rows[0] ?? null
}

const searchTextOfRow = ({ name, address, email, phone, description }: Omit<ContactRow, 'createdAt' | 'deletedAt'>) =>
  searchTextOf(name, address, email, phone, description)

/** False if the user has no such contact. */
export async function deleteContact(db: Db, userId: string, contactId: string, now: number): Promise<boolean> {
  const rows = await db
    .update(contact)
    .set({ deletedAt: now })
    .where(one(userId, contactId))
    .returning({ id: contact.id })
  return rows.length === 1
}

const deletedSince = (userId: string, contactId: string, since: number) =>
  and(eq(contact.id, contactId), eq(contact.userId, userId), gt(contact.deletedAt, since))

/** Whether the contact was deleted after `since` (ms). */
export const isDeletedSince = async (db: Db, userId: string, contactId: string, since: number): Promise<boolean> =>
  (await db.$count(contact, deletedSince(userId, contactId, since))) > 0

/** Undeletes a contact. Null unless it was deleted after `since` (ms) and the user has less than `most`. */
export async function restoreContact(
  db: Db,
  userId: string,
  contactId: string,
  { since, most }: { since: number; most: number },
): Promise<ContactRow | null> {
  const rows = await db
    .update(contact)
    .set({ deletedAt: null })
    .where(and(deletedSince(userId, contactId, since), hasPlace(userId, most)))
    .returning(columns)
  return rows[0] ?? null
}

/** Removes contacts that were deleted before `before` (ms). */
export async function purgeContacts(db: Db, before: number): Promise<void> {
  await db.delete(contact).where(and(isNotNull(contact.deletedAt), lt(contact.deletedAt, before)))
}
