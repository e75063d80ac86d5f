/**
 * The Worker, which counts what Cloudflare bills, for `npm run bench:scale`: calls and alarms of objects, rows that objects and
 * D1 write, and their sizes. workerd runs the Worker and its objects in one isolate, so one count serves all.
 */
import type { Env } from '../../../worker/env.ts'
import * as bursar from '../../../worker/index.ts'

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

type Method = (...values: unknown[]) => unknown

const changed = <T extends object>(real: T, change: (name: string | symbol, method: Method) => Method): T =>
  new Proxy(real, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? change(name, value.bind(target) as Method) : value
    },
  })

/** Rows of statements that return rows are not counted: D1 does not tell them. */
function countedDatabase<T extends object>(real: T): T {
  const count = (...results: D1Result[]) => {
    for (const { meta } of results) counts.d1Rows += meta.rows_written
  }
  const counting =
    (method: Method): Method =>
    async (...values) => {
      const result = (await method(...values)) as D1Result | D1Result[]
      count(...[result].flat())
      return result
    }
  const statement = (one: D1PreparedStatement): D1PreparedStatement => {
    const { bind } = one
    const methods = (['run', 'all'] as const).map((name) => [name, counting((one[name] as Method).bind(one))])
    return Object.assign(one, Object.fromEntries(methods), {
      bind: (...values: unknown[]) => statement(bind.apply(one, values)),
    })
  }
  return changed(real, (name, method) => {
    if (name === 'prepare') return (query) => statement(method(query) as D1PreparedStatement)
    if (name === 'withSession') return (...values) => countedDatabase(method(...values) as object)
    return name === 'batch' ? counting(method) : method
  })
}

function counted(env: Env): Env {
  const namespaces = Object.entries(env).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value !== 'object' || value === null || !('getByName' in value)) return []
    // A stub is made for one call.
    const count =
      (key: string | symbol, method: Method): Method =>
      (...values) => {
        if (key === 'getByName' || key === 'get') counts.calls += 1
        return method(...values)
      }
    return [[name, changed(value, count)]]
  })
  return { ...env, DB: countedDatabase(env.DB), ...Object.fromEntries(namespaces) }
}

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

const countAlarm = () => {
  counts.calls += 1
}

export class Treasury extends bursar.Treasury {
  constructor(ctx: DurableObjectState, env: Env) {
    super(countedStorage(ctx, 'treasury'), counted(env))
  }
  override alarm() {
    countAlarm()
    return super.alarm()
  }
}
export class History extends bursar.History {
  constructor(ctx: DurableObjectState, env: Env) {
    super(countedStorage(ctx, 'history'), counted(env))
  }
}
export class ServiceStops extends bursar.ServiceStops {
  constructor(ctx: DurableObjectState, env: Env) {
    super(countedStorage(ctx), counted(env))
  }
}
export class ClaimDesk extends bursar.ClaimDesk {
  constructor(ctx: DurableObjectState, env: Env) {
    super(countedStorage(ctx), counted(env))
  }
}
export class Relayer extends bursar.Relayer {
  constructor(ctx: DurableObjectState, env: Env) {
    super(countedStorage(ctx, 'relayer'), counted(env))
  }
  override alarm() {
    countAlarm()
    return super.alarm()
  }
}
export class WebhookSender extends bursar.WebhookSender {
  constructor(ctx: DurableObjectState, env: Env) {
    super(countedStorage(ctx), counted(env))
  }
}

const { fetch, scheduled } = bursar.default

export default {
  async fetch(request, env, ctx) {
    if (new URL(request.url).pathname !== '/dev/counts') return fetch(request, counted(env), ctx)
    const objectRows = cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, counts.objectRows)
    const taken: Counts = { ...counts, objectRows, bytes: { ...sizes } }
    Object.assign(counts, { calls: 0, objectRows: 0, d1Rows: 0 })
    cursors = []
    return Response.json(taken)
  },
  scheduled: (controller, env) => scheduled(controller, counted(env)),
} satisfies ExportedHandler<Env>
