import { drizzle } from 'drizzle-orm/d1'

/** Request and response header with the caller's D1 bookmark, which marks the database state that the caller has seen. */
export const bookmarkHeader = 'x-d1-bookmark'

export type Db = ReturnType<typeof primaryDb>

/** D1 without a read-replication session: every query goes to the primary. For Durable Objects and the cron. */
export const primaryDb = (database: D1Database) => drizzle(database)

/**
 * Reads are at least as recent as `bookmark`, or come from the primary if there is none or it is malformed. The caller's
 * next request should carry `bookmark()`.
 */
export function openDb(database: D1Database, bookmark?: string | null) {
  const session = database.withSession(bookmark && /^[0-9a-f-]{1,128}$/.test(bookmark) ? bookmark : 'first-primary')
  return { db: inSession(session), bookmark: () => session.getBookmark() }
}

// drizzle's type asks for the whole database, but drizzle calls only `prepare` and `batch`, which a session has.
const inSession = (session: D1DatabaseSession): Db => drizzle(session as unknown as D1Database)
