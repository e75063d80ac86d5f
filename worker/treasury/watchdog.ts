import { markBusy } from '../db/busyTreasuries.ts'
import { logError } from '../observability/log.ts'
import type { Context } from './context.ts'

/** The row in D1 is renewed when it is older than this; the cron watchdog wakes Treasuries whose row is twice as old. */
const renewAfterMs = 60_000 // 1 minute

/** Marks this Treasury as busy in D1, so that the watchdog notices a lost alarm. */
export async function noteInProgress({ db, store, now, userId }: Context): Promise<void> {
  const noted = Number(store.meta('busy_noted') ?? 0)
  if (now() - noted < renewAfterMs) return
  store.setMeta('busy_noted', String(now()))
  try {
    await markBusy(db, userId, now())
  } catch (error) {
    logError('watchdog_row_not_written', { user: userId }, error)
  }
}
