/**
 * The Worker, which counts what Cloudflare bills, for `npm run bench:scale`: calls and alarms of objects, rows that objects and
 * D1 write, and their sizes. workerd runs the Worker and its objects in one isolate, so one count serves all.
 */
import type { Env } from '../../../worker/env.ts'
import * as bursar from '../../../worker/index.ts'
import { changedDatabase, changedNamespaces, type Method } from '../../support/changedBindings.ts'
import { changedObject, changedWorker } from '../../support/changedWorker.ts'

export type Counts = {
  /** Calls and alarms of objects. */
  calls: number
  objectRows: number
  d1Rows: number
  /** Of the largest object of each kind. */
  bytes: { treasury: number; history: number; relayer: number }
}
const counts = { calls: 0, objectRows: 0, d1Rows: 0 }
const sizes = { treasury: 0, history: 0, relayer: 0 }
/** A cursor knows how many rows it has written only when it has ended. */
let cursors: { rowsWritten: number }[] = []

/** Rows of statements that return rows are not counted: D1 does not tell them. */
const countRows =
  (method: Method): Method =>
  async (...values) => {
    const result = await method(...values)
    for (const { meta } of [result].flat() as Partial<D1Result>[]) counts.d1Rows += meta?.rows_written ?? 0
    return result
  }

/** A stub is made for one call. */
const countCall =
  (method: Method): Method =>
  (...values) => {
    counts.calls += 1
    return method(...values)
  }

const counted = (env: Env): Env => ({
  ...env,
  DB: changedDatabase(env.DB, countRows),
  ...changedNamespaces(env, countCall),
})

/** Setting an alarm is billed as a row. */
function countedStorage(ctx: DurableObjectState, kind?: keyof typeof sizes): DurableObjectState {
  const { storage } = ctx
  const setAlarm = storage.setAlarm.bind(storage)
  storage.setAlarm = (at, options) => {
    counts.objectRows += 1
    return setAlarm(at, options)
  }
  const exec = storage.sql.exec.bind(storage.sql)
  storage.sql.exec = (query, ...values) => {
    const cursor = exec(query, ...values)
    cursors.push(cursor)
    if (kind) sizes[kind] = Math.max(sizes[kind], storage.sql.databaseSize)
    return cursor as ReturnType<typeof storage.sql.exec<never>>
  }
  return ctx
}

const countedObject =
  (kind?: keyof typeof sizes) =>
  (ctx: DurableObjectState, env: Env): [DurableObjectState, Env] => [countedStorage(ctx, kind), counted(env)]

export class Treasury extends changedObject(bursar.Treasury, countedObject('treasury')) {
  override alarm() {
    counts.calls += 1
    return super.alarm()
  }
}
export class Relayer extends changedObject(bursar.Relayer, countedObject('relayer')) {
  override alarm() {
    counts.calls += 1
    return super.alarm()
  }
}
export const History = changedObject(bursar.History, countedObject('history'))
export const ClaimDesk = changedObject(bursar.ClaimDesk, countedObject())
export const WebhookSender = changedObject(bursar.WebhookSender, countedObject())
export const ServiceStops = changedObject(bursar.ServiceStops, countedObject())
export const MessageCounter = changedObject(bursar.MessageCounter, countedObject())
export const Watch = changedObject(bursar.Watch, countedObject())

async function takeCounts(): Promise<Response> {
  const objectRows = cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, counts.objectRows)
  const taken: Counts = { ...counts, objectRows, bytes: { ...sizes } }
  Object.assign(counts, { calls: 0, objectRows: 0, d1Rows: 0 })
  cursors = []
  return Response.json(taken)
}

export default changedWorker(counted, (request) =>
  new URL(request.url).pathname === '/dev/counts' ? takeCounts() : null,
)
