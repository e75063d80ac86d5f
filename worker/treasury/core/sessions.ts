import { hourMs } from '#domain/time.ts'
import type { Context } from './context.ts'

/** Longer than an access token lives, after which D1 refuses to issue another. */
const keptMs = hourMs

/** Login sessions of the owner that have ended. Repeated calls change nothing. */
export function endSessions({ store, now }: Pick<Context, 'store' | 'now'>, ids: string[]): void {
  const at = now()
  store.run('DELETE FROM ended_session WHERE at < ?', at - keptMs)
  for (const id of ids) store.insert('ended_session', { id, at }, 'ON CONFLICT DO NOTHING')
}

export const hasEnded = ({ store }: Pick<Context, 'store'>, sessionId: string): boolean =>
  store.first('SELECT 1 FROM ended_session WHERE id = ?', sessionId) !== null
