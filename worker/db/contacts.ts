import { and, desc, eq } from 'drizzle-orm'
import { type ContactRow, contact } from './accounts.ts'
import type { Db } from './session.ts'

/** Newest first. */
export async function listContacts(db: Db, userId: string): Promise<ContactRow[]> {
  return db.select().from(contact).where(eq(contact.userId, userId)).orderBy(desc(contact.createdAt), desc(contact.id))
}

export async function findContact(db: Db, userId: string, contactId: string): Promise<ContactRow | null> {
  const row = await db
    .select()
    .from(contact)
    .where(and(eq(contact.id, contactId), eq(contact.userId, userId)))
    .get()
  return row ?? null
}

export async function insertContact(db: Db, row: ContactRow): Promise<void> {
  await db.insert(contact).values(row)
}

/** Null when the user has no such contact. */
export async function replaceContact(db: Db, row: Omit<ContactRow, 'createdAt'>): Promise<ContactRow | null> {
  const { id, userId, ...values } = row
  const rows = await db
    .update(contact)
    .set(values)
    .where(and(eq(contact.id, id), eq(contact.userId, userId)))
    .returning()
  return rows[0] ?? null
}

/** False when the user has no such contact. */
export async function deleteContact(db: Db, userId: string, contactId: string): Promise<boolean> {
  const rows = await db
    .delete(contact)
    .where(and(eq(contact.id, contactId), eq(contact.userId, userId)))
    .returning({ id: contact.id })
  return rows.length === 1
}
