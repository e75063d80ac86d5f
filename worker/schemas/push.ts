import { z } from 'zod'
import { isPushEndpoint } from '#domain/pushHosts.ts'

const endpoint = z.string().refine(isPushEndpoint, 'This is not the address of a known push service')

/** POST /push/subscriptions: `PushSubscription.toJSON()` of a browser. Keys are base64url without padding. */
export const SavePushSubscription = z.object({
  endpoint,
  keys: z.object({
    /** An uncompressed point of P-256. */
    p256dh: z.string().regex(/^B[\w-]{86}$/, 'This is not a valid push subscription key'),
    /** 16 bytes. */
    auth: z.string().regex(/^[\w-]{22}$/, 'This is not a valid push subscription key'),
  }),
})
export type PushSubscription = z.output<typeof SavePushSubscription>

/** DELETE /push/subscriptions and POST /push/test: identifies a browser by its subscription's address. */
export const NamedPushSubscription = z.object({ endpoint })

/** GET /push/key: the key that browsers subscribe with. Null if this server does not send push messages. */
export type PushKey = { publicKey: string | null }

/** POST /push/test. `gone`: the browser's subscription has ended and was removed. */
export type PushTest = { result: 'accepted' | 'failed' | 'gone' | 'not_set_up' }
