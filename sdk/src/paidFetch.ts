import { BursarError, BursarNotServed, BursarOutcomeUnknown } from './errors.ts'
import { notSignedYet, type Purchases, signedWithinMs, type WaitForPurchase } from './purchases.ts'
import { keyOf } from './recipient.ts'
import { reasonOf } from './transport.ts'
import type { Purchase, PurchaseTerms } from './types.ts'

export type FetchOptions = Pick<PurchaseTerms, 'memo' | 'reference' | 'reason'> & {
  /** The most to pay, in decimal USDC. Default: `'1'`. */
  maxAmount?: string
  /** Names this purchase: calls with the same key never buy twice. Default: a new one for each call. */
  idempotencyKey?: string
  /** `approved`: waits for the owner if the purchase needs approval. Default: throws BursarOutcomeUnknown then. */
  wait?: Extract<WaitForPurchase, 'approved'>
  /** How long to wait for each reply of the seller, in ms. Default: 120,000, because settling takes time. */
  timeoutMs?: number
}

/** A response, and the purchase that was made for it. */
export type PaidResponse = Response & { payment: Purchase | null }

type Send = (request: Request) => Promise<Response>
type Parts = { send: Send; purchases: Purchases }

/** For telling Bursar what the seller replied: the response should not wait for long. */
const receiptMs = 5_000 // 5 seconds
const maxRedirects = 5
/** As much as Bursar reads. */
const maxChallengeBytes = 131_072 // 128 kB

/** See `Bursar.fetch`. */
export async function paidFetch({ send, purchases }: Parts, request: Request, options: FetchOptions) {
  const { maxAmount = '1', idempotencyKey: key, timeoutMs = 120_000, wait, ...notes } = options
  const idempotencyKey = keyOf(key)
  const ask = withTimeout(send, timeoutMs)
  const { method, signal } = request
  const again = request.clone()
  const response = await ask(request)
  const paymentRequired = response.status === 402 ? await challengeOf(response) : null
  if (paymentRequired === null) {
    void again.body?.cancel().catch(() => {})
    return Object.assign(response, { payment: null })
  }
  const resource = response.url || request.url
  assertNotElsewhere(request, resource)
  const waitSignal = wait ? signal : AbortSignal.any([signal, AbortSignal.timeout(signedWithinMs)])
  const terms = { resource, method, paymentRequired, maxAmount, ...notes }
  const payment = await purchases.create({ ...terms, idempotencyKey, wait: wait ?? 'signed', signal: waitSignal })
  if (payment.x402 === null) throw notSigned(payment, idempotencyKey)

  const paying = new Request(response.redirected ? new Request(resource, again) : again, { redirect: 'manual' })
  paying.headers.set('PAYMENT-SIGNATURE', payment.x402.header)
  const paid = await follow(ask, paying, request.redirect === 'follow').catch(async (cause: unknown) => {
    if (!signal.aborted) await report(purchases, payment, { paymentResponse: null, served: false })
    const message = `No reply from ${new URL(resource).origin} to the request that carried ${payment.id}: ${reasonOf(cause)}.`
    throw new BursarOutcomeUnknown(message, { idempotencyKey, payment, cause })
  })
  const { reply, paymentResponse } = paid
  await report(purchases, payment, { paymentResponse, served: reply.ok })
  if (reply.status !== 402) return Object.assign(reply, { payment })
  const refused = refusalOf(paymentResponse ?? reply.headers.get('payment-required'))
  await reply.body?.cancel().catch(() => {})
  const why = refused === undefined ? '' : ` It says: ${refused}`
  const message = `${new URL(resource).origin} was handed ${payment.id} (${payment.amount} USDC) and still replied 402.${why}`
  throw new BursarNotServed(message, { payment, idempotencyKey, sellerReason: refused })
}

/** The timeout ends with the headers: a body may take longer. */
const withTimeout =
  (send: Send, timeoutMs: number): Send =>
  async (request) => {
    const late = new AbortController()
    const message = `${new URL(request.url).origin} did not reply within ${timeoutMs / 1000} s`
    const timer = setTimeout(() => late.abort(new DOMException(message, 'TimeoutError')), timeoutMs)
    try {
      return await send(new Request(request, { signal: AbortSignal.any([request.signal, late.signal]) }))
    } finally {
      clearTimeout(timer)
    }
  }

/** The header PAYMENT-REQUIRED, or a body that is such a challenge. Null if this 402 is not from x402. */
async function challengeOf(response: Response): Promise<string | Record<string, unknown> | null> {
  const header = response.headers.get('payment-required')
  if (header !== null) {
    await response.body?.cancel().catch(() => {})
    return header
  }
  const text = await textOf(response.clone(), maxChallengeBytes)
  try {
    const body = JSON.parse(text ?? '') as Record<string, unknown> | null
    return typeof body === 'object' && body !== null && Array.isArray(body.accepts) ? body : null
  } catch {
    return null
  }
}

/** Null if the body is longer. */
async function textOf({ body }: Response, maxBytes: number): Promise<string | null> {
  if (body === null) return ''
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let text = ''
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.length
    if (bytes > maxBytes) {
      void reader.cancel().catch(() => {})
      return null
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** What asks for money must be what the caller named, and the repeated request the same as the one that was refused. */
function assertNotElsewhere({ url, method }: Request, resource: string): void {
  const [asked, refused] = [new URL(url), new URL(resource)]
  asked.hash = ''
  const isSame = asked.href === refused.href
  if (isSame || (asked.origin === refused.origin && (method === 'GET' || method === 'HEAD'))) return
  throw new BursarError(
    'redirected',
    `${asked.origin} redirects to ${refused.href}, which asks for payment. Nothing was bought: request that address yourself if you trust it.`,
  )
}

function notSigned(purchase: Purchase, idempotencyKey: string): BursarError {
  if (purchase.status === 'CONFIRMED') {
    const { x402: _, ...payment } = purchase
    const message = `${payment.id} has paid for this already (${payment.amount} USDC), and the seller asks again.`
    return new BursarNotServed(message, { payment, idempotencyKey })
  }
  return notSignedYet(purchase, idempotencyKey)
}

/** Follows redirects at the same host without a body. The seller may send its receipt with the first reply. */
async function follow(ask: Send, paying: Request, follows: boolean) {
  let request = paying
  let paymentResponse: string | null = null
  for (let hops = 0; ; hops++) {
    const { url, method, headers, signal } = request
    const reply = await ask(request)
    paymentResponse ??= reply.headers.get('payment-response')
    const target = follows && hops < maxRedirects ? redirectOf(reply, url) : null
    const isBodiless = reply.status === 303 || method === 'GET' || method === 'HEAD'
    if (target === null || !isBodiless || target.origin !== new URL(url).origin) return { reply, paymentResponse }
    await reply.body?.cancel().catch(() => {})
    const next = new Headers(headers)
    for (const name of [...next.keys()]) if (name.startsWith('content-')) next.delete(name)
    const nextMethod = method === 'HEAD' ? 'HEAD' : 'GET'
    request = new Request(target, { method: nextMethod, headers: next, signal, redirect: 'manual' })
  }
}

function redirectOf({ status, headers }: Response, url: string): URL | null {
  const location = headers.get('location')
  return [301, 302, 303, 307, 308].includes(status) && location !== null && URL.canParse(location, url)
    ? new URL(location, url)
    : null
}

/** Never throws: the receipt is for the owner's records only. */
async function report(
  purchases: Purchases,
  { id }: Purchase,
  receipt: { paymentResponse: string | null; served: boolean },
): Promise<void> {
  await purchases.receipt(id, { ...receipt, signal: AbortSignal.timeout(receiptMs) }).catch(() => {})
}

/** The seller's reason in one of its headers, as plain text. */
function refusalOf(header: string | null): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(header ?? ''), (character) => character.charCodeAt(0))
    const { errorMessage, errorReason, error } = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>
    const reason = errorMessage ?? errorReason ?? error
    return typeof reason === 'string' && reason !== '' ? reason.replace(/\p{C}/gu, ' ').slice(0, 200) : undefined
  } catch {
    return undefined
  }
}
