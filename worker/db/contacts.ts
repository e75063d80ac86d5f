import { and, desc, eq, gt, inArray, isNotNull, isNull, lt } from 'drizzle-orm'
import type { Db } from './d1.ts'
import { type ContactRow, contact } from './schema.ts'

const belongsTo = (userId: string) => and(eq(contact.userId, userId), isNull(contact.deletedAt))
const one = (userId: string, contactId: string) => and(eq(contact.id, contactId), belongsTo(userId))

/** Newest first. */
export async function listContacts(db: Db, userId: string): Promise<ContactRow[]> {
  return db.select().from(contact).where(belongsTo(userId)).orderBy(desc(contact.createdAt), desc(contact.id))
}

export async function countContacts(db: Db, userId: string): Promise<number> {
  return db.$count(contact, belongsTo(userId))
}

export async function findContacts(db: Db, userId: string, contactIds: string[]): Promise<ContactRow[]> {
  return db
    .select()
    .from(contact)
    .where(and(inArray(contact.id, contactIds), belongsTo(userId)))
}

export async function findContact(db: Db, userId: string, contactId: string): Promise<ContactRow | null> {
  return (await db.select().from(contact).where(one(userId, contactId)).get()) ?? null
}

export async function insertContact(db: Db, row: ContactRow): Promise<void> {
  await db.insert(contact).values(row)
}

/** Null if the user has no such contact. */
export async function replaceContact(
  db: Db,
  row: Omit<ContactRow, 'createdAt' | 'deletedAt'>,
): Promise<ContactRow | null> {
  const { id, userId, ...values } = row
  const rows = await db.update(contact).set(values).where(one(userId, id)).returning()
  return rows[0] ?? null
}

/** False if the user has no such contact. */
export async function deleteContact(db: Db, userId: string, contactId: string, now: number): Promise<boolean> {
  const rows = await db
    .update(contact)
    .set({ deletedAt: now })
    .where(one(userId, contactId))
    .returning({ id: contact.id })
  return rows.length === 1
}

/** Undeletes a contact. Null unless it was deleted after `since` (ms). */
export async function restoreContact(
  db: Db,
  userId: string,
  contactId: string,
  since: number,
): Promise<ContactRow | null> {
  const rows = await db
    .update(contact)
    .set({ deletedAt: null })
    .where(and(eq(contact.id, contactId), eq(contact.userId, userId), gt(contact.deletedAt, since)))
    .returning()
  return rows[0] ?? null
}

/** Removes contacts that were deleted before `before` (ms). */
export async function purgeContacts(db: Db, before: number): Promise<void> {
  await db.delete(contact).where(and(isNotNull(contact.deletedAt), lt(contact.deletedAt, before)))
}
