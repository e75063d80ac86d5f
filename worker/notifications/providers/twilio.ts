import type { Message, MessageProvider } from '../message.ts'
import { referenceOf } from '../reports/deliveryReport.ts'
import { callVendor, type VendorReply, type VendorRequest, type Verdict } from './callVendor.ts'

export type TwilioOptions = {
  accountSid: string
  authToken: string
  /** A phone number or sender name, or the id of a messaging service (`MG…`). */
  from: string
  /** Base URL for delivery reports, without a trailing slash. */
  apiOrigin: string
  /** Overrides Twilio's server. */
  endpoint?: string
}

/** Codes for numbers that cannot receive SMS: invalid, region not allowed, unsubscribed, unreachable, landline. */
const recipientErrors = new Set([21211, 21408, 21610, 21612, 21614])

/** SMS through Twilio. It has no idempotency keys, so a lost reply can lead to a second copy. */
export const twilio = (options: TwilioOptions): MessageProvider => ({
  send: (message) => callVendor('sms', 'Twilio', twilioRequest(options, message), judge),
})

export function twilioRequest(options: TwilioOptions, message: Message): VendorRequest {
  const { accountSid, authToken, from, apiOrigin, endpoint } = options
  const reference = referenceOf(message)
  const form = new URLSearchParams({ To: message.to, Body: message.text })
  form.set(from.startsWith('MG') ? 'MessagingServiceSid' : 'From', from)
  if (reference) form.set('StatusCallback', `${apiOrigin}/delivery-reports/twilio?${new URLSearchParams(reference)}`)
  return {
    url: `${endpoint || 'https://api.twilio.com'}/2010-04-01/Accounts/${accountSid}/Messages.json`,
    headers: {
      accept: 'application/json',
      authorization: `Basic ${btoa(`${accountSid}:${authToken}`)}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: form.toString(),
  }
}

const judge = ({ status, body }: VendorReply): Verdict =>
  status === 400 && recipientErrors.has(Number(body?.code)) ? 'refused' : 'unavailable'
