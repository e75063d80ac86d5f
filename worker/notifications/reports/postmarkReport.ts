import type { DeliveryState } from '#domain/delivery.ts'
import { parseJsonObject } from '#domain/json.ts'
import { sameHash, sha256 } from '../../identity/secrets.ts'
import { parseReference, type ReportReader } from './deliveryReport.ts'

/** Bounce types that are not failures: Postmark is retrying, or the event is an automatic reply or subscription change. */
const harmlessBounces = new Set([
  'Transient',
  'AutoResponder',
  'Subscribe',
  'Unsubscribe',
  'AddressChange',
  'OpenRelayTest',
  'ChallengeVerification',
])

/** Postmark does not sign its calls; it sends the credentials in the webhook's URL. `auth` is `user:password`. */
export const postmarkReport =
  (auth: string): ReportReader =>
  ({ headers, body }) => {
    const expected = `Basic ${Buffer.from(auth).toString('base64')}`
    if (!sameHash(sha256(headers.get('authorization') ?? ''), sha256(expected))) return 'unauthenticated'
    const event = parseJsonObject(body)
    const state = stateOf(event)
    const reference = parseReference(event?.Metadata as Record<string, unknown> | undefined)
    return state && reference ? { ...reference, channel: 'email', state } : 'ignored'
  }

function stateOf(event: Record<string, unknown> | null): DeliveryState | null {
  switch (event?.RecordType) {
    case 'Delivery':
      return 'delivered'
    case 'SpamComplaint':
      return 'complained'
    case 'Bounce':
      return harmlessBounces.has(String(event.Type)) ? null : 'bounced'
    default:
      return null
  }
}
