/** Counts the round trips of the Worker: to D1, to Durable Objects and to nodes. */
import type { Env } from '../../worker/env.ts'

type Call = { name: string; depth: number; isEnded: boolean }

/**
 * Settings and bindings that record every call made through them. Calls that run at the same time are one round trip:
 * a call is one level deeper than the deepest call that had ended before it started.
 */
export function countCalls<E extends Env>(env: E) {
  const calls: Call[] = []
  let ended = 0

  const begin: Begin = (name) => {
    const call = { name, depth: ended + 1, isEnded: false }
    calls.push(call)
    return async (result) => {
      try {
        return await result
      } finally {
        call.isEnded = true
        ended = Math.max(ended, call.depth)
      }
    }
  }

  const nodePath = '/from-the-worker'
  const plainFetch = globalThis.fetch
  globalThis.fetch = (input, init) => {
    const isOurs = String(input instanceof Request ? input.url : input).endsWith(nodePath)
    return isOurs ? begin('node')(plainFetch(input, init)) : plainFetch(input, init)
  }

  const namespaces = ['TREASURY', 'HISTORY', 'CLAIM_DESK', 'RELAYER', 'WEBHOOK_SENDER', 'SERVICE_STOPS'] as const
  return {
    env: {
      ...env,
      DB: countedDb(env.DB, begin),
      ...Object.fromEntries(namespaces.map((name) => [name, countedNamespace(name, env[name], begin)])),
      RPC_URLS_8453: env.RPC_URLS_8453 + nodePath,
      RPC_URLS_84532: env.RPC_URLS_84532 + nodePath,
    } as E,
    /** The calls that have ended, one line per round trip. Nobody has waited for the others, which run in the background. */
    roundTrips: (): string[] => {
      const lines: string[] = []
      for (const { name, depth } of calls.filter(({ isEnded }) => isEnded))
        lines[depth - 1] = lines[depth - 1] ? `${lines[depth - 1]} | ${name}` : name
      return lines
    },
    stop: () => {
      globalThis.fetch = plainFetch
    },
  }
}

/** Records the start of a call, and returns a function that records its end. */
type Begin = (name: string) => <T>(result: Promise<T>) => Promise<T>
type Methods = Record<PropertyKey, (...input: unknown[]) => Promise<unknown>>

/** A proxy whose `methods` are replaced. All others are the target's own. */
const withMethods = <T extends object>(target: T, methods: Record<string, (...input: never[]) => unknown>): T =>
  new Proxy(target, {
    get(_, name) {
      if (typeof name === 'string' && Object.hasOwn(methods, name)) return methods[name]
      const value = (target as unknown as Methods)[name]
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

function countedDb<D extends D1Database>(db: D, begin: Begin): D {
  /** The statements behind the proxies, because `batch` accepts only its own. */
  const plain = new WeakMap<D1PreparedStatement, D1PreparedStatement>()
  function statement(target: D1PreparedStatement): D1PreparedStatement {
    const runs = Object.fromEntries(
      (['first', 'run', 'all', 'raw'] as const).map((name) => [
        name,
        (...input: unknown[]) => begin('D1')((target as unknown as Methods)[name]!(...input)),
      ]),
    )
    const wrapped = withMethods(target, { ...runs, bind: (...values: unknown[]) => statement(target.bind(...values)) })
    plain.set(wrapped, target)
    return wrapped
  }
  const countedIn = <T extends D1Database | D1DatabaseSession>(target: T): T =>
    withMethods(target, {
      prepare: (sql: string) => statement(target.prepare(sql)),
      batch: (statements: D1PreparedStatement[]) => begin('D1')(target.batch(statements.map((one) => plain.get(one)!))),
      ...('withSession' in target && { withSession: (at: string) => countedIn(target.withSession(at)) }),
    })
  return countedIn(db)
}

type Namespace = { getByName(name: string, options?: object): Methods }

const countedNamespace = (binding: string, namespace: object, begin: Begin) =>
  withMethods(namespace, {
    getByName: (name: string, options?: object) => {
      const stub = (namespace as Namespace).getByName(name, options)
      return new Proxy(stub, {
        get(_, method) {
          if (method === 'then' || typeof method === 'symbol') return undefined
          return (...input: unknown[]) => {
            const end = begin(`${binding}.${method}`)
            return countedResult(stub[method]!(...input) as unknown as Methods, end)
          }
        },
      })
    },
  })

/** A call that returns an RPC object ends with the method that is called on it, as treasuryOf.ts sends both at once. */
const countedResult = (result: Methods, end: ReturnType<Begin>) =>
  new Proxy(result, {
    get(_, name) {
      if (name === 'then') {
        const ended = end(result as unknown as Promise<unknown>)
        return ended.then.bind(ended)
      }
      if (name === Symbol.dispose) return () => result[name]!()
      return (...input: unknown[]) => end(result[name]!(...input))
    },
  })
