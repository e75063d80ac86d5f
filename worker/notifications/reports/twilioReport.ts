import { createHmac, timingSafeEqual } from 'node:crypto'
import type { DeliveryState } from '#domain/delivery.ts'
import { parseReference, type ReportReader, type ReportRequest } from './deliveryReport.ts'

const states: Record<string, DeliveryState> = {
  delivered: 'delivered',
  undelivered: 'undelivered',
  failed: 'undelivered',
}

/** Twilio signs the callback URL and the form fields with the account's auth token. */
export const twilioReport =
  (authToken: string): ReportReader =>
  (request) => {
    const form = new URLSearchParams(request.body)
    if (!isSigned(authToken, request, form)) return 'unauthenticated'
    const state = states[form.get('MessageStatus') ?? '']
    const reference = parseReference(Object.fromEntries(new URL(request.url).searchParams))
    return state && reference ? { ...reference, channel: 'sms', state } : 'ignored'
  }

function isSigned(authToken: string, { url, headers }: ReportRequest, form: URLSearchParams): boolean {
  const fields = [...form].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([name, value]) => name + value)
  const expected = createHmac('sha1', authToken)
    .update(url + fields.join(''))
    .digest()
  const given = Buffer.from(headers.get('x-twilio-signature') ?? '', 'base64')
  return given.length === expected.length && timingSafeEqual(given, expected)
}
