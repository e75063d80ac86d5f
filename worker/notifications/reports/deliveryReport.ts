import type { DeliveryState } from '#domain/delivery.ts'
import type { MessageReference } from '../messageReference.ts'

/** A vendor's call to /delivery-reports/{vendor}. `url` is the address that the vendor was given, with its query. */
export type ReportRequest = { url: string; headers: Headers; body: string }

/** What became of a message. */
export type DeliveryReport = MessageReference & { channel: 'email' | 'sms'; state: DeliveryState }

/**
 * Reads a vendor's call. `unauthenticated`: not signed by the vendor. `ignored`: an event that says nothing new, or one
 * of a message that is not ours.
 */
export type ReportReader = (request: ReportRequest, now: number) => DeliveryReport | 'ignored' | 'unauthenticated'

/** Null if it is not a JSON object. */
export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
