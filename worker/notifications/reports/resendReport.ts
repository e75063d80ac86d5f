import { createHmac, timingSafeEqual } from 'node:crypto'
import type { DeliveryState } from '#domain/delivery.ts'
import { parseJsonObject } from '#domain/json.ts'
import { parseReference, type ReportReader, type ReportRequest } from './deliveryReport.ts'

/** A timestamp further from our clock than this is rejected as a replay. */
const toleranceMs = 5 * 60_000 // 5 minutes

const states: Record<string, DeliveryState> = {
  'email.delivered': 'delivered',
  'email.bounced': 'bounced',
  'email.complained': 'complained',
  'email.failed': 'undelivered',
  'email.suppressed': 'undelivered',
}

/** Resend signs as Standard Webhooks describes, with headers named `svix-…`. `secret` is `whsec_` and base64. */
export const resendReport =
  (secret: string): ReportReader =>
  (request, now) => {
    if (!isSigned(secret, request, now)) return 'unauthenticated'
    const event = parseJsonObject(request.body)
    const state = states[String(event?.type)]
    const reference = parseReference((event?.data as { tags?: Record<string, unknown> } | undefined)?.tags)
    return state && reference ? { ...reference, channel: 'email', state } : 'ignored'
  }

function isSigned(secret: string, { headers, body }: ReportRequest, now: number): boolean {
  const header = (name: string) => headers.get(`svix-${name}`) ?? headers.get(`webhook-${name}`) ?? ''
  const sentAt = Number(header('timestamp')) * 1000
  if (!(Math.abs(now - sentAt) <= toleranceMs)) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = createHmac('sha256', key)
    .update(`${header('id')}.${header('timestamp')}.${body}`)
    .digest()
  // There are several signatures while a secret is being replaced: "v1,… v1,…".
  return header('signature')
    .split(' ')
    .filter((signature) => signature.startsWith('v1,'))
    .map((signature) => Buffer.from(signature.slice('v1,'.length), 'base64'))
    .some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected))
}
