import { asc, eq, sql } from 'drizzle-orm'
import type { Db } from './d1.ts'
import { keptValue } from './schema.ts'

export type KeptValue = { name: string; value: string }

/** A value with a lower `seq` never replaces one with a higher. */
export async function writeKeptValues(db: Db, userId: string, seq: number, values: KeptValue[]): Promise<void> {
  if (values.length === 0) return
  // One parameter, with the selected values in column order, as in projectLists.ts.
  await db
    .insert(keptValue)
    .select(
      sql`SELECT ${userId}, value->>'$.name', ${seq}, value->>'$.value' FROM json_each(${JSON.stringify(values)}) WHERE true`,
    )
    .onConflictDoUpdate({
      target: [keptValue.userId, keptValue.name],
      set: { seq: sql`excluded.seq`, value: sql`excluded.value` },
      setWhere: sql`excluded.seq > ${keptValue.seq}`,
    })
}

/** All kept values of the account, ordered by name. */
export const readKeptValues = (db: Db, userId: string): Promise<KeptValue[]> =>
  db
    .select({ name: keptValue.name, value: keptValue.value })
    .from(keptValue)
    .where(eq(keptValue.userId, userId))
    .orderBy(asc(keptValue.name))

/** How many of these values are missing from D1 or differ there. */
export async function countDifferingKept(db: Db, userId: string, values: KeptValue[]): Promise<number> {
  const known = new Map((await readKeptValues(db, userId)).map(({ name, value }) => [name, value]))
  return values.filter(({ name, value }) => known.get(name) !== value).length
}
