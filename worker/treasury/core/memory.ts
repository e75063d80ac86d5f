import type { Context } from './context.ts'

/**
 * A module's own state of each Treasury, held in memory only: an eviction loses nothing that can't be read again. Returns the
 * function that finds it, and creates it on the first call.
 */
export function inMemory<T extends object>(create: () => T): (ctx: Pick<Context, 'memory'>) => T {
  return ({ memory }) => {
    const known = memory.get(create)
    if (known) return known as T
    const created = create()
    memory.set(create, created)
    return created
  }
}
