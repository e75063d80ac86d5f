/**
 * Kills actions of operators after a number of effects: reads and writes of D1, writes of the Treasury, replies of
 * objects.
 */
import { primaryDb } from '../../worker/db/d1.ts'
import type { Payer } from './payer.ts'
import { pastTheGate } from './restoringOperator.ts'
import { env } from './testEnv.ts'
import { inTreasury } from './treasuries.ts'

/** Number of effects left. The object or command that causes the last one is killed after it. */
export type Life = { left: number }

type Method = (...values: unknown[]) => unknown

const changed = <T extends object>(real: T, change: (name: string | symbol, method: Method) => unknown): T =>
  new Proxy(real, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? change(name, value.bind(target) as Method) : value
    },
    set: (target, name, value) => Reflect.set(target, name, value, target),
  })

const thenSpend =
  (method: Method, spend: () => void): Method =>
  async (...values) => {
    const result = await method(...values)
    spend()
    return result
  }

/** D1 as the Worker or an object uses it. Each statement that runs is an effect. */
export function mortalDb(spend: () => void) {
  const reads = ['run', 'all', 'raw', 'first'] as const
  const statement = (real: D1PreparedStatement): D1PreparedStatement => {
    const { bind } = real
    const methods = reads.map((name) => [name, thenSpend((real[name] as Method).bind(real), spend)])
    // Not a proxy, because `batch` accepts only D1's own statements.
    return Object.assign(real, Object.fromEntries(methods), {
      bind: (...values: unknown[]) => statement(bind.apply(real, values)),
    })
  }
  const database = changed(env.DB, (name, method) => {
    if (name === 'prepare') return (query: string) => statement(method(query) as D1PreparedStatement)
    return name === 'batch' ? thenSpend(method, spend) : method
  })
  return primaryDb(database)
}

/** A stub, or its RPC object for restores, with each reply as an effect. */
const mortalStub = (stub: Record<string | symbol, Method>, spend: () => void): object =>
  new Proxy(
    {},
    {
      get(_, name) {
        if (name === 'restore') return () => mortalStub(stub.restore!() as typeof stub, spend)
        const call = (...input: unknown[]) => stub[name]!(...input)
        return name === Symbol.dispose ? call : thenSpend(call, spend)
      },
    },
  )

/** The namespace, with each reply of its objects as an effect. */
export const mortalObjects = <Namespace extends object>(objects: Namespace, spend: () => void): Namespace =>
  changed(objects, (name, method) => {
    if (name !== 'getByName') return method
    return (...values: unknown[]) => mortalStub(method(...values) as Record<string | symbol, Method>, spend)
  })

/** Makes the loaded instance of the Treasury die after its last effect and lose its memory and uncommitted writes. */
export const makeMortal = (payer: Payer, life: Life): Promise<void> =>
  inTreasury(payer, (treasury, state) => {
    const spend = () => {
      life.left -= 1
      if (life.left !== 0) return
      state.abort('killed')
      throw new Error('killed')
    }
    const real = pastTheGate(treasury)
    const store = changed(real.store, (name, method) => (...values: unknown[]) => {
      const result = method(...values)
      if (name === 'run' || name === 'transaction') spend()
      return result
    })
    const objects = {
      RELAYER: mortalObjects(real.env.RELAYER, spend),
      HISTORY: mortalObjects(real.env.HISTORY, spend),
    }
    const value = { ...real, store, db: mortalDb(spend), env: { ...real.env, ...objects } }
    Object.defineProperty(treasury, 'restoreContext', { value, configurable: true })
  })

/** Undoes `makeMortal` if the instance has survived. Does nothing to another instance. */
export const makeImmortal = (payer: Payer): Promise<boolean> =>
  inTreasury(payer, (treasury) => Reflect.deleteProperty(treasury, 'restoreContext'))
