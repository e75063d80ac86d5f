/**
 * The Worker as if its parts were far apart, for `npm run bench:distance`: every call to D1 and to an object waits first.
 * workerd runs the Worker and its objects in one isolate, so one clock serves all.
 */
// biome-ignore assist/source/organizeImports: the clock comes first
import { aheadMs, moveAhead } from './clock.ts'
import type { Env } from '../../../worker/env.ts'
import * as bursar from '../../../worker/index.ts'
import { delays } from './delays.ts'

type Method = (...values: unknown[]) => unknown

const changed = <T extends object>(real: T, change: (name: string | symbol, method: Method) => unknown): T =>
  new Proxy(real, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? change(name, value.bind(target) as Method) : value
    },
  })

const after =
  (ms: number, method: Method): Method =>
  async (...values) => {
    await scheduler.wait(ms)
    return method(...values)
  }

/** D1, or a session of it: a batch is one call. */
function farDatabase<T extends object>(real: T): T {
  const reads = ['run', 'all', 'raw', 'first'] as const
  const statement = (one: D1PreparedStatement): D1PreparedStatement => {
    const { bind } = one
    const methods = reads.map((name) => [name, after(delays.d1, (one[name] as Method).bind(one))])
    // Not a proxy, because `batch` accepts only D1's own statements.
    return Object.assign(one, Object.fromEntries(methods), {
      bind: (...values: unknown[]) => statement(bind.apply(one, values)),
    })
  }
  return changed(real, (name, method) => {
    if (name === 'prepare') return (query: string) => statement(method(query) as D1PreparedStatement)
    if (name === 'withSession') return (...values: unknown[]) => farDatabase(method(...values) as object)
    return name === 'batch' || name === 'exec' ? after(delays.d1, method) : method
  })
}

/** The reply of a call that waits first. Calls on the object that it returns travel with it, as in Workers RPC. */
const pending = (reply: Promise<unknown>): object =>
  new Proxy(() => {}, {
    get(_, name) {
      if (name === 'then' || name === 'catch' || name === 'finally') return reply[name].bind(reply)
      if (name === Symbol.dispose) return () => {}
      return (...values: unknown[]) =>
        pending(reply.then((object) => (object as Record<string | symbol, Method>)[name]!(...values)))
    },
  })

const farStub = (stub: Record<string | symbol, Method>, ms: number): object =>
  new Proxy(
    {},
    {
      get(_, name) {
        const value: unknown = stub[name]
        if (typeof value !== 'function' || name === Symbol.dispose) return value
        return (...values: unknown[]) =>
          pending(after(ms, (...input) => stub[name]!(...input))(...values) as Promise<unknown>)
      },
    },
  )

const isNamespace = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && 'getByName' in value

/** The bindings, with the delays of a caller whose objects are `objectMs` away. */
const far = (env: Env, objectMs: number): Env => {
  const objects = Object.entries(env).filter(([, value]) => isNamespace(value))
  const change = (name: string | symbol, method: Method) =>
    name === 'getByName' || name === 'get'
      ? (...values: unknown[]) => farStub(method(...values) as Record<string | symbol, Method>, objectMs)
      : method
  const bindings = objects.map(([name, value]) => [name, changed(value as object, change)])
  return { ...env, DB: farDatabase(env.DB), ...Object.fromEntries(bindings) }
}

/** The platform's alarms follow the real clock. */
function onRealClock(ctx: DurableObjectState): DurableObjectState {
  const { storage } = ctx
  const setAlarm = storage.setAlarm.bind(storage)
  storage.setAlarm = (at, options) => setAlarm(Number(at) - aheadMs(), options)
  return ctx
}

export class Treasury extends bursar.Treasury {
  constructor(ctx: DurableObjectState, env: Env) {
    super(onRealClock(ctx), far(env, delays.objectToObject))
  }
}
export class ClaimDesk extends bursar.ClaimDesk {
  constructor(ctx: DurableObjectState, env: Env) {
    super(onRealClock(ctx), far(env, delays.objectToObject))
  }
}
export class Relayer extends bursar.Relayer {
  constructor(ctx: DurableObjectState, env: Env) {
    super(onRealClock(ctx), far(env, delays.objectToObject))
  }
}
export class WebhookSender extends bursar.WebhookSender {
  constructor(ctx: DurableObjectState, env: Env) {
    super(onRealClock(ctx), far(env, delays.objectToObject))
  }
}

const { fetch, scheduled } = bursar.default

export default {
  async fetch(request, env, ctx) {
    if (new URL(request.url).pathname !== '/dev/ahead') return fetch(request, far(env, delays.object), ctx)
    moveAhead((await request.json<{ ms: number }>()).ms)
    return new Response(null, { status: 204 })
  },
  scheduled: (controller, env) => scheduled(controller, far(env, delays.object)),
} satisfies ExportedHandler<Env>
