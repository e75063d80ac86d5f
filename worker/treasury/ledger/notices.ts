import type { NoticeEvent } from '#domain/events.ts'
import { dayMs } from '#domain/time.ts'
import type { NoticeRow } from '../core/storage/rows.ts'
import type { Store } from '../core/storage/store.ts'

/** Only so many of the newest notices are shown. */
export const maxShown = 100
const keepMs = 30 * dayMs // as long as refusals are kept

type NewNotice = Omit<NoticeRow, 'about' | 'times'> & { data: Record<string, unknown> }

/** Adds the notice of a row of the audit log, in that row's transaction. Unread repeats become one notice. */
export function addNotice(store: Store, { seq, at, event, ref, data }: NewNotice): void {
  const about = aboutOf(event, ref, data)
  if (about === null) return
  const earlier = store.first<{ seq: number; times: number }>(
    'SELECT seq, times FROM notice WHERE event = ? AND about = ? AND seq > ? ORDER BY seq DESC LIMIT 1',
    event,
    about,
    readUpTo(store),
  )
  if (earlier) store.run('DELETE FROM notice WHERE seq = ?', earlier.seq)
  store.insert('notice', { seq, at, event, ref, about, times: (earlier?.times ?? 0) + 1 })
}

/** The key under which repeats become one notice; null if the owner was there when it happened and needs no notice. */
function aboutOf(event: NoticeEvent, ref: string, { by, tx, why, connection }: Record<string, unknown>): string | null {
  // An agent in a loop may be refused thousands of times.
  if (event === 'payment.refused') return by === 'user' ? null : String(by)
  // Payouts that were not claimed in time often come back together.
  if (event === 'payout.reclaimed') return by === 'sender' ? null : 'returned'
  if (event === 'connection.revoked') return why === 'app' || why === 'reused' ? ref : null
  // The notice of the connection names its agent.
  if (event === 'agent.created' && connection !== undefined) return null
  return event === 'wallet.withdrawn' ? String(tx) : ref
}

export const readUpTo = (store: Store): number => store.meta('notices_read') ?? 0

/** Deletes notices that are older than 30 days or not among the newest. */
export function pruneNotices(store: Store, now: number): void {
  store.run('DELETE FROM notice WHERE at < ?', now - keepMs)
  store.run('DELETE FROM notice WHERE seq <= (SELECT seq FROM notice ORDER BY seq DESC LIMIT 1 OFFSET ?)', maxShown)
}
