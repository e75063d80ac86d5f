/** An operator who restores one account in workerd, which has no point-in-time recovery. */
import { minuteMs } from '#domain/time.ts'
import type { Deps } from '../../worker/appEnv.ts'
import { primaryDb } from '../../worker/db/d1.ts'
import { openRestore } from '../../worker/db/userRestores.ts'
import { type RestoreInput, restoreUser } from '../../worker/ops/restoreUser.ts'
import type { Context } from '../../worker/treasury/core/context.ts'
import { Store } from '../../worker/treasury/core/storage/store.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { pass } from './manualClock.ts'
import { until, type WalletUser } from './payer.ts'
import { env } from './testEnv.ts'
import { inTreasury, type User, userIdOf } from './treasuries.ts'

type Row = Record<string, string | number | null>

export const operator = 'ann@example.com'

/** The context that works while the object refuses everything else. */
export const pastTheGate = (treasury: Treasury) => (treasury as unknown as { restoreContext: Context }).restoreContext

/** Copies every table of the object. Returns a function that puts the copies back. */
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

/** Copies the Treasury's current state, to go back to. */
export const copyOf = (user: User) => inTreasury(user, ({ context }) => copyTables(context.store))

/** Waits until the account is open again. */
export const works = (user: WalletUser) => until('the account works', () => user.ledger().catch(() => null))

/** The Treasury's History does not answer until the object is loaded again. */
export const withoutHistory = (user: User) =>
  inTreasury(user, (treasury) => {
    const down = () => Promise.reject(new Error('History is down'))
    const getByName = () => new Proxy({}, { get: () => down })
    for (const context of [treasury.context, pastTheGate(treasury)])
      context.env = { ...context.env, HISTORY: { getByName } as never }
  })

/** For an account on `manualChain`. `bindings` and `db` are what the operator's commands use. */
export async function restoringOperator(user: User, { bindings = env, db = primaryDb(env.DB) } = {}) {
  const userId = userIdOf(user)
  await env.DB.prepare(
    "INSERT OR IGNORE INTO user (id, email, status, password_hash, created_at, updated_at) VALUES (?1, ?1 || '@example.com', 'CONFIRMED', 'none', 1, 1)",
  )
    .bind(userId)
    .run()
  const deps = { env: bindings, db, now: Date.now } as unknown as Deps
  const run = (act: RestoreInput['act'], more: Partial<RestoreInput> = {}) =>
    restoreUser(deps, { actor: operator, reason: 'test' }, userId, { act, lost: false, again: false, ...more })
  return {
    run,
    open: () => openRestore(primaryDb(env.DB), userId),
    /** Rolls the object back with `earlier`, by the operator's command. */
    async back(earlier: (store: Store) => void, more: Partial<RestoreInput> = {}) {
      await inTreasury(user, (object, { storage }) => {
        object.snapshots = () => ({
          async goBack() {
            earlier(new Store(storage, () => {}))
            await storage.sync()
          },
        })
      })
      return run('back', { to: new Date(Date.now() - minuteMs).toISOString(), ...more })
    },
    /** Continues until an operator has to decide or the account works again. */
    async continueRestore(more: Partial<RestoreInput> = {}) {
      for (;;) {
        const reply = await run('continue', more)
        if (reply.state === 'waiting') await pass(400)
        else if (reply.state === 'scanning') await pass(10)
        else return reply
      }
    },
  }
}
