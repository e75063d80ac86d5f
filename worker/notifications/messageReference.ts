/**
 * What vendors store with a message and return in their delivery reports: which message it was and the payout it is
 * about. Vendors allow letters, digits, `_` and `-` only, so the id is sent as base64url.
 */
export type MessageReference = { messageId: string; payoutId: string }

/** Null for messages whose delivery is shown nowhere. */
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
