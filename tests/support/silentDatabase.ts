/** D1 that answers nothing. */
import { runInDurableObject } from 'cloudflare:test'
import { primaryDb } from '../../worker/db/d1.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { env } from './testEnv.ts'

const never = () => new Promise<never>(() => {})
const statement = { bind: () => statement, all: never, raw: never, run: never, first: never }
const database = { prepare: () => statement, batch: never, withSession: () => database, getBookmark: () => null }
export const silentD1 = database as unknown as D1Database

/** From now on, this object uses `DB`. */
export const setDatabase = (stub: DurableObjectStub, DB: D1Database): Promise<void> =>
  runInDurableObject(stub, (object) => {
    Object.assign(object, { env: { ...env, DB } })
    const { context } = object as Partial<Treasury>
    if (context) Object.assign(context, { env: { ...context.env, DB }, db: primaryDb(DB) })
  })
