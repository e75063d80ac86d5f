import type { DeliveryState } from '#domain/delivery.ts'

/** A vendor's call to /delivery-reports/{vendor}. `url` is the address that the vendor was given, with its query. */
export type ReportRequest = { url: string; headers: Headers; body: string }

/** A change in a message's delivery state. */
export type DeliveryReport = MessageReference & { channel: 'email' | 'sms'; state: DeliveryState }

/**
 * Parses a vendor's call. `unauthenticated`: not signed by the vendor. `ignored`: an irrelevant event, or one about a
 * message without our reference.
 */
export type ReportReader = (request: ReportRequest, now: number) => DeliveryReport | 'ignored' | 'unauthenticated'

/**
 * Identifies a message and its payout. Vendors store this with the message and return it in their delivery reports. They
 * allow only letters, digits, `_` and `-`, so the id is sent as base64url.
 */
export type MessageReference = { messageId: string; payoutId: string }

/** Null for messages whose delivery state is not shown anywhere. */
export const referenceOf = (message: { id: string; payoutId?: string }): { message: string; payout: string } | null =>
  message.payoutId === undefined
    ? null
    : { message: Buffer.from(message.id).toString('base64url'), payout: message.payoutId }

/** Null if these are not the fields of a reference. */
export function parseReference(
  fields: { message?: unknown; payout?: unknown } | null | undefined,
): MessageReference | null {
  const { message, payout } = fields ?? {}
  if (typeof message !== 'string' || typeof payout !== 'string' || !message || !payout) return null
  return { messageId: Buffer.from(message, 'base64url').toString(), payoutId: payout }
}
