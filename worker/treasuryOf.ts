import type { CallerId } from '#domain/accounts.ts'
import { type OwnerCall, type OwnerKey, ownerObjects, rpcObjects } from '#domain/ownerCalls.ts'
import type { Region } from '#domain/region.ts'
import type { Env } from './env.ts'
import { unwrap } from './result.ts'

type Stub = ReturnType<Env['TREASURY']['getByName']>
type Methods = Record<PropertyKey, (...input: unknown[]) => unknown>

const returnsObject = new Set<PropertyKey>(rpcObjects satisfies readonly (keyof Stub)[])

/**
 * The user's Treasury. Its first call creates it, near the caller unless the user's `region` is given, so pass the user where
 * the Treasury may not exist yet; later calls go to the same place with or without it.
 *
 * A call such as `treasury.wallets().list()` is one round trip, and releases the RPC object when it
 * returns. Unreleased objects would stay until the garbage collector finds them, for which workerd logs a warning; with
 * an inspector attached, as in `npm run dev`, that warning can crash workerd.
 */
export function treasuryOf(env: Pick<Env, 'TREASURY'>, user: string | { id: string; region: Region | null }): Stub {
  const { id, region } = typeof user === 'string' ? { id: user, region: null } : user
  const stub = env.TREASURY.getByName(id, region ? { locationHint: region } : {}) as unknown as Methods
  const call = async (name: PropertyKey, method: PropertyKey, input: unknown[]) => {
    const object = stub[name]!() as Methods & Disposable
    try {
      return await object[method]!(...input)
    } finally {
      object[Symbol.dispose]()
    }
  }
  const rpcObject = (name: PropertyKey) =>
    new Proxy({} as Methods, {
      get(_, method) {
        return (...input: unknown[]) => call(name, method, input)
      },
    })
  return new Proxy(stub, {
    get(_, name) {
      if (returnsObject.has(name)) return () => rpcObject(name)
      return stub[name] && ((...input: unknown[]) => stub[name]!(...input))
    },
  }) as unknown as Stub
}

/** What a signed-in owner may call of their Treasury. */
export type OwnerTreasury = Pick<Stub, OwnerKey>

/**
 * The account's Treasury as this caller sees it: every call throws `unauthenticated` if the owner's login session has ended, or
 * `not_found` or `forbidden` if a member may not make it. A call such as `treasury.wallets().list()` is one round trip here, too.
 */
export function ownerTreasuryOf(env: Pick<Env, 'TREASURY'>, accountId: string, caller: CallerId): OwnerTreasury {
  const treasury = treasuryOf(env, accountId)
  const methodsOf = (object: OwnerCall['object']) =>
    new Proxy({} as Methods, {
      get(_, method) {
        if (typeof method === 'symbol' || method === 'then') return undefined
        return async (...input: unknown[]) => unwrap(await treasury.asPerson(caller, { object, method, input }))
      },
    })
  const objects = Object.fromEntries(ownerObjects.map((name) => [name, () => methodsOf(name)]))
  return new Proxy(methodsOf(null), {
    get: (methods, name) => objects[name as string] ?? methods[name],
  }) as unknown as OwnerTreasury
}
