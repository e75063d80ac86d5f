/** D1 that answers nothing, or fails at once. */
import { runInDurableObject } from 'cloudflare:test'
import { primaryDb } from '../../worker/db/d1.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { env } from './testEnv.ts'

function databaseThat(answers: () => Promise<never>): D1Database {
  const statement = { bind: () => statement, all: answers, raw: answers, run: answers, first: answers }
  const database = {
    ...{ prepare: () => statement, batch: answers, withSession: () => database, getBookmark: () => null },
  }
  return database as unknown as D1Database
}
export const silentD1 = databaseThat(() => new Promise<never>(() => {}))
export const brokenD1 = databaseThat(() => Promise.reject(new Error('D1 is down')))

/** From now on, this object uses `DB`. */
export const setDatabase = (stub: DurableObjectStub, DB: D1Database): Promise<void> =>
  runInDurableObject(stub, (object) => {
    Object.assign(object, { env: { ...env, DB } })
    const { context } = object as Partial<Treasury>
    if (context) Object.assign(context, { env: { ...context.env, DB }, db: primaryDb(DB) })
  })
