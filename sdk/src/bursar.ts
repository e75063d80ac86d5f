import createClient from 'openapi-fetch'
import type { AccessTokens, Credentials } from './credentials.ts'
import { BursarError, BursarOutcomeUnknown, BursarPaymentFailed, BursarRefusal, errorOf } from './errors.ts'
import type { components, paths } from './openapi.gen.ts'
import { pause } from './pause.ts'
import { amountOf, recipientOf } from './recipient.ts'
import { Transport } from './transport.ts'
import type {
  BudgetRequest,
  Payment,
  PaymentCheck,
  PaymentContext,
  PaymentFilters,
  PaymentTerms,
  Problem,
} from './types.ts'
import { defaultUrl, urlOf } from './url.ts'

/** All are optional where `BURSAR_API_KEY` and `BURSAR_URL` are set. */
export type BursarOptions = {
  /** The agent's API key. Default: `BURSAR_API_KEY`. */
  apiKey?: string
  /** Instead of an API key: the agent's OAuth client, whose access tokens are renewed as needed. */
  clientId?: string
  clientSecret?: string
  /**
   * Instead of an API key: returns an access token, such as one that a person granted to your app. Called for each attempt.
   * `rejected` is the token that was just not accepted: do not return it again, throw if there is no other.
   */
  accessToken?: AccessTokens
  /** Where Bursar is. Default: `BURSAR_URL`, or `http://localhost:3001`. */
  url?: string
  /** Sends a request. Default: the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>
  /** How long to wait for the reply of one attempt, in ms. Default: 30,000. */
  timeoutMs?: number
  /** How long a request without a definite reply is repeated, in ms. Default: 60,000. */
  retryForMs?: number
}

/**
 * `sent`: until the money has left the wallet. The status is then CONFIRMED, or PENDING for a payout, whose recipient has the
 * claim link. `final`: for a payout, until it is claimed or returned.
 */
export type WaitUntil = 'sent' | 'final'

export type CallOptions = {
  /** Ends the call early. What was sent before may still take effect. */
  signal?: AbortSignal
}

export type PayOptions = PaymentTerms &
  CallOptions & {
    /** Names this payment: calls with the same key never pay twice. Default: a new one for each call of `pay`. */
    idempotencyKey?: string
    /** Also wait for approval by the owner, if it is required, and for the chain. Default: return at once. */
    wait?: WaitUntil
  }

type ListQuery = NonNullable<paths['/v1/payments']['get']['parameters']['query']>
type PaymentPage = components['schemas']['PaymentList']

const finalStatuses: readonly Payment['status'][] = [
  'CONFIRMED',
  'FAILED',
  'POLICY_REJECTED',
  'VALIDATION_FAILED',
  'CANCELLED',
]
/** A chain needs seconds, a person minutes. */
const pollMs = { chain: 500, maxChain: 5_000, person: 15_000 }

/**
 * A client of Bursar for one agent.
 *
 * @example
 * const bursar = new Bursar() // reads BURSAR_API_KEY and BURSAR_URL
 * const payment = await bursar.pay({ to: 'ada@example.com', amount: '12.5', memo: 'Invoice 1142', wait: 'sent' })
 * console.log(payment.id, payment.status) // pay_0mws9c1f4k2b7 PENDING
 */
export class Bursar {
  readonly #client: ReturnType<typeof createClient<paths>>

  /** Throws TypeError if there are no credentials, or if the URL would send them unencrypted. */
  constructor(options: BursarOptions = {}) {
    const url = urlOf(options.url ?? environment('BURSAR_URL') ?? defaultUrl)
    const { fetch } = new Transport({
      credentials: credentialsOf(options),
      url,
      fetch: options.fetch ?? ((request) => globalThis.fetch(request)),
      timeoutMs: options.timeoutMs ?? 30_000, // 30 seconds
      retryForMs: options.retryForMs ?? 60_000, // 1 minute
    })
    this.#client = createClient<paths>({ baseUrl: url, fetch, redirect: 'manual' })
  }

  /**
   * Pays once, however often the request has to be repeated. Without `wait`, returns as soon as the payment is accepted or
   * waits for the owner (PENDING_APPROVAL). `replayed`: an earlier call with this key had created it.
   *
   * Throws TypeError if the amount is not a string; BursarRefusal if a rule or the owner refuses; BursarPaymentFailed if a
   * wait ends without paying; BursarOutcomeUnknown with the `idempotencyKey` to repeat; BursarSignedOut.
   *
   * @example
   * // The order's number as the key: even after a crash, this order is paid once.
   * await bursar.pay({ to: '0x8ba1f109551bD432803012645Ac136ddd64DBA72', amount: '12.5', idempotencyKey: 'order-1142' })
   */
  async pay(options: PayOptions): Promise<Payment & { replayed: boolean }> {
    const { to, amount, idempotencyKey = crypto.randomUUID(), wait, signal, ...notes } = options
    const { data, error, response } = await this.#client.POST('/v1/payments', {
      params: { header: { 'Idempotency-Key': idempotencyKey } },
      body: { to: recipientOf(to), amount: amountOf(amount), ...notes },
      ...(signal && { signal }),
    })
    const created = unwrap(data, error, response)
    const payment = wait ? await this.#wait(created, wait, { signal, idempotencyKey }) : created
    return { ...payment, replayed: response.headers.get('idempotent-replayed') === 'true' }
  }

  /**
   * A dry run of `pay`: nothing is reserved or paid, so a later payment may still be refused. A refusal by a rule is a result
   * with `allowed: false` and `refusal`.
   *
   * @example
   * const { allowed, max_allowed_now } = await bursar.check({ to: 'ada@example.com', amount: '500' })
   */
  async check({ to, amount, signal, ...notes }: PaymentTerms & CallOptions): Promise<PaymentCheck> {
    const body = { to: recipientOf(to), amount: amountOf(amount), ...notes }
    const { data, error, response } = await this.#client.POST('/v1/payments/check', { body, ...(signal && { signal }) })
    return unwrap(data, error, response)
  }

  /**
   * The agent, its budget, what it may pay at most now, and its rules.
   *
   * @example
   * const { budget, max_allowed_now } = await bursar.context()
   * console.log(budget.remaining, max_allowed_now) // 87.5 50
   */
  async context({ signal }: CallOptions = {}): Promise<PaymentContext> {
    const { data, error, response } = await this.#client.GET('/v1/context', { ...(signal && { signal }) })
    return unwrap(data, error, response)
  }

  readonly payments = {
    /** The current state of a payment of this agent. Throws BursarError `not_found`. */
    get: async (paymentId: string, { signal }: CallOptions = {}): Promise<Payment> => {
      const { data, error, response } = await this.#client.GET('/v1/payments/{paymentId}', {
        params: { path: { paymentId } },
        ...(signal && { signal }),
      })
      return unwrap(data, error, response)
    },

    /**
     * All payments of this agent, newest first, read page by page as they are needed. Refused ones are kept for 30 days.
     *
     * @example
     * for await (const payment of bursar.payments.list({ reference: 'order-1142' })) console.log(payment.id)
     */
    list: ({ signal, pageSize = 100, ...filters }: PaymentFilters & CallOptions & { pageSize?: number } = {}) =>
      this.#list(filters, pageSize, signal),

    /** Cancels a payment that is not signed yet. Repeating it is safe. Throws BursarError `conflict` if it is too late. */
    cancel: async (paymentId: string, { signal }: CallOptions = {}): Promise<Payment> => {
      const { data, error, response } = await this.#client.POST('/v1/payments/{paymentId}/cancel', {
        params: { path: { paymentId } },
        ...(signal && { signal }),
      })
      return unwrap(data, error, response)
    },

    /**
     * Waits until a payment is sent or final. Throws BursarRefusal if the owner denies it or does not answer in time,
     * BursarPaymentFailed, and BursarOutcomeUnknown with the payment as last seen if it is aborted or gets no reply.
     *
     * @example
     * await bursar.payments.wait(payment.id, { until: 'final', signal: AbortSignal.timeout(600_000) }) // 10 minutes
     */
    wait: async (paymentId: string, { until = 'sent', signal }: CallOptions & { until?: WaitUntil } = {}) =>
      this.#wait(await this.payments.get(paymentId, { ...(signal && { signal }) }), until, { signal }),
  }

  readonly budgetRequests = {
    /**
     * Asks the owner to add `amount` (decimal USDC) to the budget. Throws as `pay` does.
     *
     * @example
     * const request = await bursar.budgetRequests.create({ amount: '50', reason: 'Twelve more invoices are due.' })
     * console.log(request.approval.url) // the page where the owner decides
     */
    create: async (options: { amount: string; reason?: string; idempotencyKey?: string } & CallOptions) => {
      const { amount, reason, idempotencyKey = crypto.randomUUID(), signal } = options
      const { data, error, response } = await this.#client.POST('/v1/budget-requests', {
        params: { header: { 'Idempotency-Key': idempotencyKey } },
        body: { amount: amountOf(amount), ...(reason !== undefined && { reason }) },
        ...(signal && { signal }),
      })
      return unwrap<BudgetRequest>(data, error, response)
    },

    /** The current state of a request of this agent. Throws BursarError `not_found`. */
    get: async (requestId: string, { signal }: CallOptions = {}): Promise<BudgetRequest> => {
      const { data, error, response } = await this.#client.GET('/v1/budget-requests/{requestId}', {
        params: { path: { requestId } },
        ...(signal && { signal }),
      })
      return unwrap(data, error, response)
    },
  }

  async *#list(filters: PaymentFilters, limit: number, signal?: AbortSignal): AsyncGenerator<Payment, void, void> {
    let cursor: string | null = null
    do {
      const query: ListQuery = { ...filters, limit, ...(cursor !== null && { cursor }) }
      const reply = await this.#client.GET('/v1/payments', { params: { query }, ...(signal && { signal }) })
      const page: PaymentPage = unwrap(reply.data, reply.error, reply.response)
      yield* page.data
      cursor = page.next_cursor
    } while (cursor !== null)
  }

  async #wait(
    payment: Payment,
    until: WaitUntil,
    { signal, idempotencyKey }: { signal?: AbortSignal | undefined; idempotencyKey?: string },
  ): Promise<Payment> {
    let last = payment
    for (let delay = pollMs.chain; ; delay = Math.min(delay * 1.5, pollMs.maxChain)) {
      if (isOver(last, until)) return paidOrThrow(last)
      try {
        await pause(last.status === 'PENDING_APPROVAL' ? pollMs.person : delay, signal)
        last = await this.payments.get(last.id, { ...(signal && { signal }) })
      } catch (cause) {
        // The payment goes on without us, so the caller needs to know which one it is.
        if (!signal?.aborted && !(cause instanceof BursarOutcomeUnknown)) throw cause
        const why = cause instanceof Error ? cause.message : String(cause)
        const message = `${last.id} was ${last.status} when the wait ended: ${why}`
        throw new BursarOutcomeUnknown(message, { idempotencyKey, payment: last, cause })
      }
    }
  }
}

const isOver = ({ status }: Payment, until: WaitUntil) =>
  finalStatuses.includes(status) || (until === 'sent' && status === 'PENDING')

function paidOrThrow(payment: Payment): Payment {
  if (payment.status === 'CONFIRMED' || payment.status === 'PENDING') return payment
  if (payment.status !== 'POLICY_REJECTED') throw new BursarPaymentFailed(payment)
  const { code, message } = payment.error ?? { code: 'policy_refused', message: `${payment.id} was refused.` }
  throw new BursarRefusal(code, message, { paymentId: payment.id })
}

function unwrap<T>(data: T | undefined, error: unknown, { status }: Response): T {
  if (data !== undefined) return data
  throw error ? errorOf(status, error as Problem) : new BursarError('unexpected_reply', `Empty reply (${status}).`)
}

function credentialsOf({ apiKey, clientId, clientSecret, accessToken }: BursarOptions): Credentials {
  if (!apiKey && accessToken) return { accessToken }
  if (!apiKey && clientId && clientSecret) return { clientId, clientSecret }
  const key = apiKey ?? environment('BURSAR_API_KEY')
  if (!key) throw new TypeError('apiKey: set BURSAR_API_KEY, or pass apiKey, accessToken, or clientId and clientSecret')
  return { apiKey: key }
}

/** Undefined where there are no environment variables, as in a browser. */
const environment = (name: string): string | undefined =>
  (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[name] || undefined
