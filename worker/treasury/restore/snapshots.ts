/** Earlier states of one object's database. */
export interface Snapshots {
  /** From its next start on the object has the database of this time (ms). */
  goBack(at: number): Promise<void>
}

/**
 * Cloudflare's point-in-time recovery of an object's SQLite, of the last 30 days. Where the platform has none, as on a developer's
 * machine, the operator puts a copy of the object's file back instead, with the Worker stopped.
 */
export const platformSnapshots = (storage: DurableObjectStorage): Snapshots => ({
  async goBack(at) {
    await storage.onNextSessionRestoreBookmark(await storage.getBookmarkForTime(at))
  },
})
