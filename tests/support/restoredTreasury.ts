/** A Treasury that is put back to an earlier time, in workerd, which has no recovery. */
import type { Context } from '../../worker/treasury/context.ts'
import type { Store } from '../../worker/treasury/storage/store.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'

type Row = Record<string, string | number | null>

/** What the restore itself works with. */
export const pastTheGate = (treasury: Treasury) => (treasury as unknown as { restoreContext: Context }).restoreContext

/** Every table of the object as it is. The result puts them back. */
export function copyTables(store: Store): (store: Store) => void {
  const named = (type: string) =>
    store.all<{ name: string; sql: string }>(
      `SELECT name, sql FROM sqlite_master WHERE type = '${type}' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'`,
    )
  const rows = named('table').map(({ name }) => [name, store.all<Row>(`SELECT * FROM ${name}`)] as const)
  const triggers = named('trigger')
  return (store) =>
    store.transaction(() => {
      store.run('PRAGMA defer_foreign_keys = ON')
      for (const { name } of triggers) store.run(`DROP TRIGGER ${name}`)
      for (const [name] of rows) store.run(`DELETE FROM ${name}`)
      for (const [name, list] of rows)
        for (const row of list) {
          const columns = Object.keys(row)
          store.run(`INSERT INTO ${name} (${columns}) VALUES (${columns.map(() => '?')})`, ...Object.values(row))
        }
      for (const { sql } of triggers) store.run(sql)
      store.auditHead = null
    })
}
