import type { Message, MessageProvider } from '../message.ts'
import { referenceOf } from '../reports/deliveryReport.ts'
import { callVendor, type VendorReply, type VendorRequest, type Verdict } from './callVendor.ts'

export type PostmarkOptions = {
  from: string
  serverToken: string
  /** Defaults to `outbound`, Postmark's transactional stream. */
  stream?: string
  /** Overrides Postmark's server. */
  endpoint?: string
}

/** ErrorCode for a recipient that is suppressed after a bounce or complaint. */
const inactiveRecipient = 406
/** ErrorCode for an invalid address. */
const invalidEmail = 300

/** Email through Postmark. It has no idempotency keys, so a lost reply can lead to a second copy. */
export const postmark = (options: PostmarkOptions): MessageProvider => ({
  send: (message) => callVendor('email', 'Postmark', postmarkRequest(options, message), judge),
})

export function postmarkRequest(options: PostmarkOptions, message: Message): VendorRequest {
  return {
    url: `${options.endpoint || 'https://api.postmarkapp.com'}/email`,
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      'x-postmark-server-token': options.serverToken,
    },
    body: JSON.stringify({
      From: options.from,
      To: message.to,
      Subject: message.subject,
      TextBody: message.text,
      HtmlBody: message.html,
      MessageStream: options.stream || 'outbound',
      // Claim links are secrets, so they must not pass through a tracking service.
      TrackOpens: false,
      TrackLinks: 'None',
      Metadata: referenceOf(message) ?? undefined,
    }),
  }
}

function judge({ status, body }: VendorReply): Verdict {
  const code = body?.ErrorCode
  if (status !== 422) return 'unavailable'
  return code === inactiveRecipient || (code === invalidEmail && /'To'/.test(String(body?.Message)))
    ? 'refused'
    : 'unavailable'
}
