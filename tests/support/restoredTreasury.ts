/** Puts a Treasury back to an earlier time in workerd, which has no point-in-time recovery. */
import { runInDurableObject } from 'cloudflare:test'
import { primaryDb } from '../../worker/db/d1.ts'
import { endRestore, startRestore } from '../../worker/db/userRestores.ts'
import type { Context } from '../../worker/treasury/core/context.ts'
import { relayerOf } from '../../worker/treasury/core/relayers.ts'
import type { Accepted } from '../../worker/treasury/restore/rpcTypes.ts'
import { continueRestore } from '../../worker/treasury/restore/steps.ts'
import type { Store } from '../../worker/treasury/storage/store.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { pass } from './manualClock.ts'
import { type Payer, until } from './payer.ts'
import { env } from './testEnv.ts'

type Row = Record<string, string | number | null>

/** The context that the restore itself uses. */
export const pastTheGate = (treasury: Treasury) => (treasury as unknown as { restoreContext: Context }).restoreContext

/** Returns, for the Relayer of each chain, whether it has frozen the account. */
export async function frozenAtRelayers(treasury: DurableObjectStub<Treasury>): Promise<boolean[]> {
  const { userId, ids } = await runInDurableObject(treasury, (object: Treasury) => {
    const context = pastTheGate(object)
    const ids = ([8453, 84532] as const).map((chainId) => String(relayerOf(context, chainId).id))
    return { userId: context.userId, ids }
  })
  const isFrozen = (id: string) =>
    runInDurableObject(
      env.RELAYER.get(env.RELAYER.idFromString(id)),
      (_, { storage }) => storage.sql.exec('SELECT 1 FROM frozen WHERE user_id = ?', userId).toArray().length > 0,
    )
  return Promise.all(ids.map(isFrozen))
}

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

const db = primaryDb(env.DB)

/** Copies the Treasury's current state, to go back to. */
export const copyOf = ({ treasury }: Payer) =>
  runInDurableObject(treasury(), ({ context }: Treasury) => copyTables(context.store))

/** Freezes the payer's Treasury, which is on `manualChain`, and puts it back with `goBack`. */
export async function putBack({ userId, treasury, ledger }: Payer, goBack: (store: Store) => void) {
  const [id, startedAt] = [`rst_${userId}`, Date.now()]
  await startRestore(db, userId, id, startedAt)
  const inTreasury = <T>(work: (treasury: Treasury) => T) => runInDurableObject(treasury(), work)
  await inTreasury((object) => {
    object.context.freeze(id)
    goBack(pastTheGate(object).store)
  })
  const input = (accept: Accepted | null) => ({ id, startedAt, frozenAt: startedAt, accept })
  const step = (accept: Accepted | null) => inTreasury((object) => continueRestore(pastTheGate(object), input(accept)))
  /** Continues until an operator has to decide or the account may be opened. `accept`: an operator accepts the unexplained. */
  const restore = async (accept: Accepted | null = null) => {
    for (;;) {
      const progress = await step(accept)
      if (progress.step === 'waiting') await pass(400)
      else if (progress.step !== 'importing') return progress
    }
  }
  /** Opens the account after the last step. */
  const open = async () => {
    await inTreasury((object) => object.restore().continue(input(null)))
    await endRestore(db, userId, id, Date.now())
    await until('the account is open', () => ledger().catch(() => null))
  }
  return { step, restore, open }
}
