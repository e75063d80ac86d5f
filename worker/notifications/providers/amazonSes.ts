import { type AwsCredentials, signAws } from '../../identity/sigv4.ts'
import type { Message, MessageProvider } from '../message.ts'
import { referenceOf } from '../reports/deliveryReport.ts'
import { callVendor, type VendorReply, type VendorRequest, type Verdict } from './callVendor.ts'

export type SesOptions = {
  from: string
  region: string
  credentials: AwsCredentials
  /** Overrides Amazon's server of the region. */
  endpoint?: string
}

/** Email through version 2 of Amazon SES's API. It has no idempotency keys, so a lost reply can lead to a second copy. */
export const amazonSes = (options: SesOptions, now: () => number): MessageProvider => ({
  send: async (message) => callVendor('email', 'Amazon SES', await sesRequest(options, message, now()), judge),
})

/** `now` in ms. */
export async function sesRequest(options: SesOptions, message: Message, now: number): Promise<VendorRequest> {
  const { region, credentials } = options
  const url = `${options.endpoint || `https://email.${region}.amazonaws.com`}/v2/email/outbound-emails`
  const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' })
  const reference = referenceOf(message)
  const body = JSON.stringify({
    FromEmailAddress: options.from,
    Destination: { ToAddresses: [message.to] },
    Content: {
      Simple: {
        Subject: utf8(message.subject),
        Body: { Text: utf8(message.text), Html: message.html === undefined ? undefined : utf8(message.html) },
      },
    },
    EmailTags: reference ? Object.entries(reference).map(([Name, Value]) => ({ Name, Value })) : undefined,
  })
  const headers = { 'content-type': 'application/json' }
  const signed = { method: 'POST', url, headers, body, region, service: 'ses', credentials, now }
  return { url, headers: await signAws(signed), body }
}

/** SES reports invalid addresses only in the error text. It accepts suppressed ones and reports them as bounced. */
function judge({ status, headers, body }: VendorReply): Verdict {
  const isAboutAddress = /Missing final|Illegal address|Domain (contains|starts|ends)|Local address/i
  const isBadRequest = /^BadRequestException/.test(headers.get('x-amzn-errortype') ?? '')
  return status === 400 && isBadRequest && isAboutAddress.test(String(body?.message)) ? 'refused' : 'unavailable'
}
