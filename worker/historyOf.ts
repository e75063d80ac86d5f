import type { Bindings } from './bindings.ts'

/** The user's History. Its methods return plain data, so there is nothing to release. */
export const historyOf = (env: Pick<Bindings, 'HISTORY'>, userId: string) => env.HISTORY.getByName(userId)
