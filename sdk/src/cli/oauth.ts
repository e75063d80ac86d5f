import { BursarError, BursarOutcomeUnknown } from '../errors.ts'
import { reasonOf } from '../transport.ts'

/** Our id at every Bursar. There is no secret: a person allows each login. */
export const clientId = 'bursar-cli'

/** A definite reply. `body` is empty if there is none. */
export type OAuthReply = { status: number; body: Record<string, unknown>; retryAfterMs: number }

/** For a minute the same exchange gets the same tokens, in case the reply was lost, so an attempt has to end well before. */
const attemptMs = 8_000 // 8 seconds

/**
 * Sends a form to an OAuth endpoint, once. Throws BursarOutcomeUnknown without a definite reply, BursarError if somebody else
 * replied, and the signal's reason.
 */
export async function postForm(
  url: string,
  path: string,
  form: Record<string, string>,
  signal: AbortSignal,
): Promise<OAuthReply> {
  const body = new URLSearchParams({ client_id: clientId, ...form })
  const ends = AbortSignal.any([signal, AbortSignal.timeout(attemptMs)])
  let response: Response
  let text: string
  try {
    response = await fetch(new Request(`${url}${path}`, { method: 'POST', body, redirect: 'manual', signal: ends }))
    text = await response.text()
  } catch (cause) {
    signal.throwIfAborted()
    throw new BursarOutcomeUnknown(`No reply from ${url}: ${reasonOf(cause)}.`, { cause })
  }
  const { status, headers } = response
  if (status >= 500) throw new BursarOutcomeUnknown(`${url} replied with status ${status}.`, { status })
  const parsed = text === '' && status === 200 ? {} : objectIn(text)
  if (!parsed)
    throw new BursarError('unexpected_reply', `${url} replied with status ${status}. Is this the URL of Bursar?`, {
      status,
    })
  return { status, body: parsed, retryAfterMs: (Number(headers.get('retry-after')) || 0) * 1000 }
}

/** The error of a reply that is not a success, for a request that may be repeated later. */
export const refusedForm = ({ status, body }: OAuthReply) =>
  new BursarError(
    String(body.error ?? body.code ?? 'unexpected_reply'),
    String(body.error_description ?? body.detail ?? `Bursar replied with status ${status}.`),
    { status },
  )

function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
