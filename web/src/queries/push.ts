import { queryOptions } from '@tanstack/react-query'
import { api } from '../lib/api.ts'

/** The public key that this deployment's push messages are signed with; null if it sends none. */
export const pushKeyQuery = queryOptions({
  queryKey: ['push', 'key'],
  queryFn: ({ signal }) => api('GET /push/key', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Registers this browser for the signed-in user. */
export async function savePushSubscription(subscription: PushSubscription): Promise<void> {
  const { endpoint = '', keys = {} } = subscription.toJSON()
  await api('POST /push/subscriptions', { body: { endpoint, keys: { p256dh: keys.p256dh!, auth: keys.auth! } } })
}

export const removePushSubscription = (endpoint: string) => api('DELETE /push/subscriptions', { body: { endpoint } })

/** Sends a test notification to one browser of the user. */
export const sendTestPush = (endpoint: string) => api('POST /push/test', { body: { endpoint } })
