/** Earlier states of one object's database. */
export interface Snapshots {
  /** Gives the object the database of this time (ms) from its next start on. */
  goBack(at: number): Promise<void>
}

/**
 * Cloudflare's point-in-time recovery of an object's SQLite, for the last 30 days. On platforms without it, such as a
 * developer's machine, the operator stops the Worker and puts a copy of the object's file back instead.
 */
export const platformSnapshots = (storage: DurableObjectStorage): Snapshots => ({
  async goBack(at) {
    await storage.onNextSessionRestoreBookmark(await storage.getBookmarkForTime(at))
  },
})
