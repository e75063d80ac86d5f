import { base64url } from 'jose'
import type { PersonId } from '#domain/accounts.ts'
import type { PushKey, PushSubscription, PushTest } from '#schemas/push.ts'
import type { Deps } from '../appEnv.ts'
import * as db from '../db/pushSubscriptions.ts'
import { AppError } from '../errors.ts'
import { sha256 } from '../identity/secrets.ts'
import { sendPush, vapidKeys } from '../notifications/push.ts'
import { consumeQuota, pushTests } from './quotas.ts'

/** Maximum browsers per user. A further one replaces the least recently seen. */
const maxBrowsers = 10

export const pushKey = ({ env }: Deps): PushKey => ({
  publicKey: env.PUSH_PRIVATE_JWK ? vapidKeys(env.PUSH_PRIVATE_JWK).publicKey : null,
})

/** Stores a browser's subscription. If another user had it, it now belongs to this one. */
export async function savePushSubscription(
  deps: Deps,
  user: { id: string; sessionId: string },
  { endpoint, keys }: PushSubscription,
): Promise<void> {
  if (!(await isOnCurve(keys.p256dh)))
    throw new AppError('invalid_input', 'This is not a valid push subscription key', { field: 'keys.p256dh' })
  const row = { id: sha256(endpoint), userId: user.id, sessionId: user.sessionId, endpoint, ...keys }
  await db.putPushSubscription(deps.db, { ...row, seenAt: deps.now() }, maxBrowsers)
}

/** Removes a subscription. Succeeds even if there is none. */
export const removePushSubscription = async (deps: Deps, personId: PersonId, endpoint: string): Promise<void> =>
  db.deletePushSubscriptions(deps.db, personId, [sha256(endpoint)])

/** Sends a notification to one browser of the user. Throws `not_found` if it is not subscribed. */
export async function testPush(deps: Deps, personId: PersonId, endpoint: string): Promise<PushTest> {
  consumeQuota(pushTests, personId, deps.now())
  const id = sha256(endpoint)
  const row = await db.findPushSubscription(deps.db, personId, id)
  if (!row) throw new AppError('not_found', 'Push notifications are not on in this browser.')
  if (!deps.env.PUSH_PRIVATE_JWK) return { result: 'not_set_up' }
  const notice = {
    title: 'Push notifications work',
    body: 'An agent’s request for your approval will look like this.',
    path: '/dashboard/approvals',
    tag: 'test',
  }
  const result = await sendPush(deps.env, { endpoint, keys: row }, notice, 60)
  if (result === 'gone') await db.deletePushSubscriptions(deps.db, personId, [id])
  return { result }
}

async function isOnCurve(p256dh: string): Promise<boolean> {
  try {
    await crypto.subtle.importKey('raw', base64url.decode(p256dh), { name: 'ECDH', namedCurve: 'P-256' }, false, [])
    return true
  } catch {
    return false
  }
}
