/** Bindings whose calls wait first, as if D1 and the objects were far away. */
import type { Env } from '../../worker/env.ts'

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
function farDatabase<T extends object>(real: T, d1: number): T {
  const reads = ['run', 'all', 'raw', 'first'] as const
  const statement = (one: D1PreparedStatement): D1PreparedStatement => {
    const { bind } = one
    const methods = reads.map((name) => [name, after(d1, (one[name] as Method).bind(one))])
    // Not a proxy, because `batch` accepts only D1's own statements.
    return Object.assign(one, Object.fromEntries(methods), {
      bind: (...values: unknown[]) => statement(bind.apply(one, values)),
    })
  }
  return changed(real, (name, method) => {
    if (name === 'prepare') return (query: string) => statement(method(query) as D1PreparedStatement)
    if (name === 'withSession') return (...values: unknown[]) => farDatabase(method(...values) as object, d1)
    return name === 'batch' || name === 'exec' ? after(d1, method) : method
  })
}

/** The reply of a call that waits first. Calls on the object that it returns travel with it, as in Workers RPC. */
const pending = (reply: Promise<unknown>): object =>
  new Proxy(() => {}, {
    get(_, name) {
      if (name === 'then' || name === 'catch' || name === 'finally') return reply[name].bind(reply)
      // An object that is not released can crash workerd (treasuryOf.ts).
      if (name === Symbol.dispose)
        return () => void reply.then((object) => (object as Partial<Disposable>)[Symbol.dispose]?.()).catch(() => {})
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

/** The bindings of a caller that is so far (ms, there and back) from D1 and from other objects. */
export function farEnv(env: Env, { d1, object }: { d1: number; object: number }): Env {
  const objects = Object.entries(env).filter(([, value]) => isNamespace(value))
  const change = (name: string | symbol, method: Method) =>
    name === 'getByName' || name === 'get'
      ? (...values: unknown[]) => farStub(method(...values) as Record<string | symbol, Method>, object)
      : method
  const bindings = objects.map(([name, value]) => [name, changed(value as object, change)])
  return { ...env, DB: farDatabase(env.DB, d1), ...(object > 0 && Object.fromEntries(bindings)) }
}
