import { parseJsonObject } from '#domain/json.ts'
import { AppError } from '../../errors.ts'
import { type Channel, MessageRefused } from '../message.ts'

const timeoutMs = 5_000 // 5 seconds

export type VendorRequest = { url: string; headers: Record<string, string> | Headers; body: string }
export type VendorReply = {
  status: number
  headers: Headers
  /** Parsed JSON; null if the body is something else. */
  body: Record<string, unknown> | null
}
/** Meaning of a failed reply: the recipient is refused, the message was already accepted, or a retry may help. */
export type Verdict = 'refused' | 'accepted' | 'unavailable'

/**
 * Posts one message to a vendor. `judge` interprets replies outside 2xx. Throws MessageRefused or `upstream_unavailable`,
 * whose cause has the vendor's status and error code but no part of the message.
 */
export async function callVendor(
  channel: Channel,
  vendor: string,
  { url, headers, body }: VendorRequest,
  judge: (reply: VendorReply) => Verdict,
): Promise<void> {
  const reply = await post(url, { method: 'POST', headers, body, redirect: 'manual' }).catch((cause) => {
    throw unavailable(channel, cause)
  })
  if (reply.status >= 200 && reply.status < 300) return
  const verdict = judge(reply)
  if (verdict === 'accepted') return
  const cause = new Error(`${vendor} returned ${reply.status} ${codeOf(reply)}`.trim())
  throw verdict === 'refused' ? new MessageRefused(channel, cause) : unavailable(channel, cause)
}

export const unavailable = (channel: Channel, cause: unknown) =>
  new AppError(
    'upstream_unavailable',
    channel === 'email'
      ? 'The email could not be sent. Please try again.'
      : 'The SMS could not be sent. Please try again.',
    { cause },
  )

export const notSetUp = (channel: Channel, cause: string) =>
  new AppError(
    'upstream_unavailable',
    channel === 'email' ? 'Email is not set up on this server.' : 'SMS is not set up on this server.',
    { cause: new Error(cause) },
  )

/** The timeout covers the body as well. */
async function post(url: string, init: RequestInit): Promise<VendorReply> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) })
  const { status, headers } = response
  return { status, headers, body: parseJsonObject(await response.text()) }
}

/** Vendors repeat recipients in their error texts, so only codes are logged. */
function codeOf({ body, headers }: VendorReply): string {
  const code = body?.name ?? body?.ErrorCode ?? body?.code ?? headers.get('x-amzn-errortype') ?? ''
  return /^[\w.:-]{1,80}$/.test(String(code)) ? String(code) : ''
}
