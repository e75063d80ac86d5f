import type { Env } from './env.ts'

/** The user's History. Its methods return plain data, so there is nothing to release. */
export const historyOf = (env: Pick<Env, 'HISTORY'>, userId: string) => env.HISTORY.getByName(userId)
