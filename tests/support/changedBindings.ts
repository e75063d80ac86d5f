/** Bindings whose methods are replaced: to delay or to count their calls. */
import type { Env } from '../../worker/env.ts'

export type Method = (...values: unknown[]) => unknown

/** `real`, each of whose methods is what `change` returns for it. */
const changed = <T extends object>(real: T, change: (name: string | symbol, method: Method) => unknown): T =>
  new Proxy(real, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? change(name, value.bind(target) as Method) : value
    },
  })

/** D1, or a session of it, whose round trips are what `change` returns for them. A batch is one. */
export function changedDatabase<T extends object>(real: T, change: (method: Method) => Method): T {
  const statement = (one: D1PreparedStatement): D1PreparedStatement => {
    const { bind } = one
    const methods = (['run', 'all', 'raw', 'first'] as const).map((name) => [
      name,
      change((one[name] as Method).bind(one)),
    ])
    // Not a proxy, because `batch` accepts only D1's own statements.
    return Object.assign(one, Object.fromEntries(methods), {
      bind: (...values: unknown[]) => statement(bind.apply(one, values)),
    })
  }
  return changed(real, (name, method) => {
    if (name === 'prepare') return (query: string) => statement(method(query) as D1PreparedStatement)
    if (name === 'withSession') return (...values: unknown[]) => changedDatabase(method(...values) as object, change)
    return name === 'batch' || name === 'exec' ? change(method) : method
  })
}

/** All bindings of Durable Objects; `change` gets the method that addresses an object, and the binding's name. */
export function changedNamespaces(env: Env, change: (method: Method, binding: string) => Method): Partial<Env> {
  const entries = Object.entries(env).flatMap(([name, real]: [string, unknown]) => {
    if (typeof real !== 'object' || real === null || !('getByName' in real)) return []
    return [
      [name, changed(real, (key, method) => (key === 'getByName' || key === 'get' ? change(method, name) : method))],
    ]
  })
  return Object.fromEntries(entries)
}
