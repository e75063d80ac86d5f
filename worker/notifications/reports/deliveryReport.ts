import type { DeliveryState } from '#domain/delivery.ts'
import type { MessageReference } from '../messageReference.ts'

/** A vendor's call to /delivery-reports/{vendor}. `url` is the address that the vendor was given, with its query. */
export type ReportRequest = { url: string; headers: Headers; body: string }

/** A change in a message's delivery state. */
export type DeliveryReport = MessageReference & { channel: 'email' | 'sms'; state: DeliveryState }

/**
 * Parses a vendor's call. `unauthenticated`: not signed by the vendor. `ignored`: an irrelevant event, or one about a
 * message without our reference.
 */
export type ReportReader = (request: ReportRequest, now: number) => DeliveryReport | 'ignored' | 'unauthenticated'
