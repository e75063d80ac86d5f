/** A History in plain Node, which follows a Treasury in memory. */
import { DatabaseSync } from 'node:sqlite'
import { migrate } from '../../worker/durable/migrations.ts'
import { historyMigrations } from '../../worker/history/migrations.ts'
import { Rows } from '../../worker/history/rows.ts'
import { changesSince } from '../../worker/treasury/outbox/delivery/history.ts'
import { type MemoryTreasury, storageOf } from './memoryTreasury.ts'

export function createMemoryHistory({ context }: Pick<MemoryTreasury, 'context'>) {
  const db = new DatabaseSync(':memory:')
  const storage = storageOf(db)
  migrate(storage, historyMigrations)
  const rows = new Rows(storage)
  const follow = () => {
    for (let isLast = false; !isLast; ) {
      const page = changesSince(context, rows.position)!
      rows.apply(page)
      isLast = page.isLast
    }
    return rows
  }
  const all = (query: string) => db.prepare(query).all()
  return { storage, rows, follow, all, close: () => db.close() }
}
