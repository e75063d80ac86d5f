import type { Db } from '../db/d1.ts'
import { deletePushSubscriptions, pushSubscriptionsOf } from '../db/pushSubscriptions.ts'
import { type PushNotice, type PushSettings, sendPush } from './push.ts'

/**
 * Sends a notice to all browsers of a user and removes subscriptions that have ended. `accepted`: at least one push service
 * accepted it. `not_set_up`: the server has no key, or the user has no subscribed browser. A notice that is sent again is
 * shown once, because it has the same tag.
 */
export async function pushToUser(
  env: PushSettings,
  db: Db,
  userId: string,
  notice: PushNotice,
  ttlSeconds: number,
): Promise<'accepted' | 'failed' | 'not_set_up'> {
  if (!env.PUSH_PRIVATE_JWK) return 'not_set_up'
  const rows = await pushSubscriptionsOf(db, userId)
  const results = await Promise.all(
    rows.map(async ({ id, endpoint, p256dh, auth }) => {
      const result = await sendPush(env, { endpoint, keys: { p256dh, auth } }, notice, ttlSeconds)
      return { id, result }
    }),
  )
  const gone = results.filter(({ result }) => result === 'gone').map(({ id }) => id)
  if (gone.length > 0) await deletePushSubscriptions(db, userId, gone)
  if (results.some(({ result }) => result === 'accepted')) return 'accepted'
  return results.length > gone.length ? 'failed' : 'not_set_up'
}
