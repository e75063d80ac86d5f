import { writeKeptValues } from '../../db/keptValues.ts'
import { keptValues } from '../backup/kept.ts'
import type { Context } from '../context.ts'
import { type Entry, markSent, nextEdition } from './entries.ts'

/** Writes the current values that D1 keeps of the account. */
export async function writeKept(ctx: Context, entries: Entry[]): Promise<void> {
  const { store, db, userId } = ctx
  const edition = nextEdition(ctx)
  const values = keptValues(
    ctx,
    entries.map(({ ref }) => ref),
  )
  await writeKeptValues(db, userId, edition, values)
  store.transaction(() => {
    for (const entry of entries) markSent(ctx, entry)
  })
}
