import type { Message, MessageProvider } from '../message.ts'
import { referenceOf } from '../reports/deliveryReport.ts'
import { callVendor, type VendorReply, type VendorRequest, type Verdict } from './callVendor.ts'

export type ResendOptions = { from: string; apiKey: string /** Overrides Resend's server. */; endpoint?: string }

/** Email through Resend, which ignores a repeated idempotency key for 24 hours. */
export const resend = (options: ResendOptions): MessageProvider => ({
  send: (message) => callVendor('email', 'Resend', resendRequest(options, message), judge),
})

export function resendRequest({ from, apiKey, endpoint }: ResendOptions, message: Message): VendorRequest {
  const reference = referenceOf(message)
  return {
    url: `${endpoint || 'https://api.resend.com'}/emails`,
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': message.id,
    },
    body: JSON.stringify({
      from,
      to: message.to,
      subject: message.subject,
      text: message.text,
      html: message.html,
      tags: reference ? Object.entries(reference).map(([name, value]) => ({ name, value })) : undefined,
    }),
  }
}

function judge({ status, body }: VendorReply): Verdict {
  // The key was used for a message with different content, such as an older figure. That message has been sent.
  if (status === 409 && body?.name === 'invalid_idempotent_request') return 'accepted'
  return status === 422 && /`to`/.test(String(body?.message)) ? 'refused' : 'unavailable'
}
