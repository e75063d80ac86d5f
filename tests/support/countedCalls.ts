/** Counts the round trips of the Worker: to D1, to Durable Objects and to nodes. */
import type { Env } from '../../worker/env.ts'
import { changedDatabase, changedNamespaces } from './changedBindings.ts'

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

  return {
    env: {
      ...env,
      DB: changedDatabase(
        env.DB,
        (method) =>
          (...input) =>
            begin('D1')(method(...input) as Promise<unknown>),
      ),
      ...changedNamespaces(
        env,
        (method, binding) =>
          (...input) =>
            countedStub(binding, method(...input) as Methods, begin),
      ),
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

const countedStub = (binding: string, stub: Methods, begin: Begin) =>
  new Proxy(stub, {
    get(_, method) {
      if (method === 'then' || typeof method === 'symbol') return undefined
      return (...input: unknown[]) => {
        const end = begin(`${binding}.${method}`)
        return countedResult(stub[method]!(...input) as unknown as Methods, end)
      }
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
