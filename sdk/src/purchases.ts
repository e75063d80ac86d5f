import type createClient from 'openapi-fetch'
import { BursarOutcomeUnknown } from './errors.ts'
import type { paths } from './openapi.gen.ts'
import { amountOf, keyOf } from './recipient.ts'
import { isFinal, isReplayed, unwrap } from './reply.ts'
import type { CallOptions, Payment, PaymentCheck, Purchase, PurchaseTerms } from './types.ts'
import { waitFor } from './waiting.ts'

/**
 * `signed`: until there is something to hand to the seller, which takes seconds, or until the owner has to approve.
 * `approved`: also for the owner, who may take hours.
 */
export type WaitForPurchase = 'signed' | 'approved'

export type PurchaseOptions = PurchaseTerms &
  CallOptions & {
    /** Names this purchase: calls with the same key never buy twice. Default: a new one for each call of `create`. */
    idempotencyKey?: string
    /** Default: return at once. */
    wait?: WaitForPurchase
  }

export type ReceiptOptions = CallOptions & {
  /** The header PAYMENT-RESPONSE that the seller sent; null if it sent none. */
  paymentResponse: string | null
  /** Whether you got the resource. */
  served: boolean
}

/** How long callers that need a signature wait for it, unless the owner has to approve. */
export const signedWithinMs = 60_000 // 1 minute

/** The error of a purchase that there is nothing of to hand to the seller yet. */
export function notSignedYet({ x402: _, ...payment }: Purchase, idempotencyKey: string): BursarOutcomeUnknown {
  const approval = payment.approval ? ` and needs the owner's approval at ${payment.approval.url}` : ''
  const message = `${payment.id} is ${payment.status}${approval}. Repeat the call with the same idempotencyKey later.`
  return new BursarOutcomeUnknown(message, { idempotencyKey, payment })
}

/** Purchases from x402 sellers. `bursar.fetch` and `@bursar/sdk/x402` use them; call them yourself for other transports. */
export class Purchases {
  readonly #client: ReturnType<typeof createClient<paths>>

  constructor(client: ReturnType<typeof createClient<paths>>) {
    this.#client = client
  }

  /**
   * Buys what a seller asks payment for with status 402. `x402.header` is the value of PAYMENT-SIGNATURE with which to repeat the
   * request; the money leaves once the seller settles it, at the latest at `x402.valid_before` (unix seconds). `x402` is null
   * while the purchase is PENDING_APPROVAL or QUEUED, and once it has ended. The same key returns the same payload while it is
   * valid.
   *
   * Throws TypeError if `maxAmount` is not a string; BursarRefusal if a rule or the owner refuses, such as with code
   * `unsupported_payment`, `max_amount_exceeded` or `purchases_used_up`; BursarPaymentFailed if a wait ends with a purchase that
   * the seller can no longer settle; BursarOutcomeUnknown with the `idempotencyKey` to repeat; BursarSignedOut.
   *
   * @example
   * const paymentRequired = response.headers.get('payment-required')! // of a response with status 402
   * const { id, x402 } = await bursar.purchases.create({ resource: response.url, paymentRequired, wait: 'signed' })
   * const paid = await fetch(response.url, { headers: { 'PAYMENT-SIGNATURE': x402!.header } })
   * await bursar.purchases.receipt(id, { paymentResponse: paid.headers.get('payment-response'), served: paid.ok })
   */
  async create(options: PurchaseOptions): Promise<Purchase & { replayed: boolean }> {
    const { idempotencyKey: key, wait, signal, ...terms } = options
    const idempotencyKey = keyOf(key)
    const send = () => this.#create(terms, idempotencyKey, signal)
    const created = await send()
    if (!wait) return created
    const isOver = (purchase: Purchase) =>
      purchase.x402 !== null || isFinal(purchase) || (wait === 'signed' && purchase.status === 'PENDING_APPROVAL')
    // It is signed when its agent asks again after the approval, so that the seller has all the time to settle it.
    const done = await waitFor<Purchase>(created, { isOver, look: send, signal, idempotencyKey })
    return { ...done, replayed: created.replayed }
  }

  /**
   * A dry run of `create`: nothing is reserved or signed, so a later purchase may still be refused. A refusal by a rule is a result
   * with `allowed: false` and `refusal`. Throws BursarError for a challenge that can't be paid, such as `max_amount_exceeded`.
   *
   * @example
   * const { allowed } = await bursar.purchases.check({ resource: response.url, paymentRequired })
   */
  async check({ signal, ...terms }: PurchaseTerms & CallOptions): Promise<PaymentCheck> {
    const body = requestOf(terms)
    const { data, error, response } = await this.#client.POST('/v1/x402-payments/check', {
      body,
      ...(signal && { signal }),
    })
    return unwrap(data, error, response)
  }

  /**
   * Tells Bursar what the seller replied, for the owner's records. A later call replaces it. It decides nothing: whether money has
   * left is read from the chain. Throws BursarError `not_found`.
   */
  async receipt(purchaseId: string, { paymentResponse, served, signal }: ReceiptOptions): Promise<Payment> {
    const { data, error, response } = await this.#client.POST('/v1/x402-payments/{paymentId}/receipt', {
      params: { path: { paymentId: purchaseId } },
      body: { payment_response: paymentResponse, served },
      ...(signal && { signal }),
    })
    return unwrap(data, error, response)
  }

  async #create(terms: PurchaseTerms, idempotencyKey: string, signal: AbortSignal | undefined) {
    const { data, error, response } = await this.#client.POST('/v1/x402-payments', {
      params: { header: { 'Idempotency-Key': idempotencyKey } },
      body: requestOf(terms),
      ...(signal && { signal }),
    })
    return { ...unwrap<Purchase>(data, error, response), replayed: isReplayed(response) }
  }
}

const requestOf = ({ paymentRequired, maxAmount, method = 'GET', ...same }: PurchaseTerms) => ({
  ...same,
  method,
  payment_required: paymentRequired,
  ...(maxAmount !== undefined && { max_amount: amountOf(maxAmount, 'maxAmount') }),
})
