import { drizzle } from 'drizzle-orm/d1'

/** Response and request header that carries how new the caller's view of D1 is. */
export const bookmarkHeader = 'x-d1-bookmark'

export type Db = ReturnType<typeof openDb>['db']

/**
 * D1 through one session: reads are at least as new as `bookmark`, or come from the primary when there is none.
 * A malformed bookmark counts as none. `bookmark()` is what the next request of the same client should bring.
 */
export function openDb(database: D1Database, bookmark?: string | null) {
  const session = database.withSession(bookmark && /^[0-9a-f-]{1,128}$/.test(bookmark) ? bookmark : 'first-primary')
  // drizzle calls prepare and batch only, which a session has; its type asks for the whole database.
  return { db: drizzle(session as unknown as D1Database), bookmark: () => session.getBookmark() }
}
