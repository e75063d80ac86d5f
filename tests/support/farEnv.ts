/** Bindings whose calls wait first, as if D1 and the objects were far away. */
import type { Env } from '../../worker/env.ts'
import { changedDatabase, changedNamespaces, type Method } from './changedBindings.ts'

const after =
  (ms: number, method: Method): Method =>
  async (...values) => {
    await scheduler.wait(ms)
    return method(...values)
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

/** The bindings of a caller that is so far (ms, there and back) from D1 and from other objects. */
export function farEnv(env: Env, { d1, object }: { d1: number; object: number }): Env {
  const farObject =
    (method: Method): Method =>
    (...values) =>
      farStub(method(...values) as Record<string | symbol, Method>, object)
  return {
    ...env,
    DB: changedDatabase(env.DB, (method) => after(d1, method)),
    ...(object > 0 && changedNamespaces(env, farObject)),
  }
}
