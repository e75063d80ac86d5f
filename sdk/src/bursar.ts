import createClient from 'openapi-fetch'
import { type AccessTokens, type Credentials, headerText } from './credentials.ts'
import type { components, paths } from './openapi.gen.ts'
import { type FetchOptions, type PaidResponse, paidFetch } from './paidFetch.ts'
import { Purchases } from './purchases.ts'
import { amountOf, keyOf, recipientOf } from './recipient.ts'
import { isFinal, isReplayed, unwrap } from './reply.ts'
import { Transport } from './transport.ts'
import type {
  BudgetRequest,
  CallOptions,
  Payment,
  PaymentCheck,
  PaymentContext,
  PaymentFilters,
  PaymentTerms,
  PayoutRun,
  RunTerms,
} from './types.ts'
import { defaultUrl, urlOf } from './url.ts'
import { checkUntil, waitFor } from './waiting.ts'

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
  /**
   * How long a request without a definite reply is repeated, in ms. Default: 60,000. A server that has never accepted a connection is
   * given up after 3,000.
   */
  retryForMs?: number
}

/**
 * `sent`: until the money has left the wallet. The status is then CONFIRMED, or PENDING for a payout, whose recipient has the
 * claim link. `final`: for a payout, until it is claimed or returned.
 */
export type WaitUntil = 'sent' | 'final'

export type PayOptions = PaymentTerms &
  CallOptions & {
    /** Names this payment: calls with the same key never pay twice. Default: a new one for each call of `pay`. */
    idempotencyKey?: string
    /** Also wait for approval by the owner, if it is required, and for the chain. Default: return at once. */
    wait?: WaitUntil
  }

type ListQuery = NonNullable<paths['/v1/payments']['get']['parameters']['query']>
type PaymentPage = components['schemas']['PaymentList']

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
  readonly #send: (request: Request) => Promise<Response>
  /** Purchases from x402 sellers, step by step. `fetch` takes all the steps. */
  readonly purchases: Purchases

  /** Throws TypeError if there are no credentials, or if the URL would send them unencrypted. */
  constructor(options: BursarOptions = {}) {
    const url = urlOf(options.url ?? environment('BURSAR_URL') ?? defaultUrl)
    this.#send = options.fetch ?? ((request) => globalThis.fetch(request))
    const { fetch } = new Transport({
      credentials: credentialsOf(options),
      url,
      fetch: this.#send,
      timeoutMs: options.timeoutMs ?? 30_000, // 30 seconds
      retryForMs: options.retryForMs ?? 60_000, // 1 minute
    })
    this.#client = createClient<paths>({ baseUrl: url, fetch, redirect: 'manual' })
    this.purchases = new Purchases(this.#client)
  }

  /**
   * Pays once, however often the request has to be repeated. Without `wait`, returns as soon as the payment is accepted or
   * waits for the owner (PENDING_APPROVAL). `replayed`: an earlier call with this key had created it.
   *
   * Throws TypeError if the amount is not a string or `wait` another word; BursarRefusal if a rule or the owner refuses; BursarPaymentFailed if a
   * wait ends without paying; BursarOutcomeUnknown with the `idempotencyKey` to repeat; BursarSignedOut.
   *
   * @example
   * // The order's number as the key: even after a crash, this order is paid once.
   * await bursar.pay({ to: '0x8ba1f109551bD432803012645Ac136ddd64DBA72', amount: '12.5', idempotencyKey: 'order-1142' })
   */
  async pay(options: PayOptions): Promise<Payment & { replayed: boolean }> {
    const { to, amount, idempotencyKey: key, wait, signal, ...notes } = options
    if (wait) checkUntil(wait, 'wait')
    const idempotencyKey = keyOf(key)
    const { data, error, response } = await this.#client.POST('/v1/payments', {
      params: { header: { 'Idempotency-Key': idempotencyKey } },
      body: { to: recipientOf(to), amount: amountOf(amount), ...notes },
      ...(signal && { signal }),
    })
    const created = unwrap(data, error, response)
    const payment = wait ? await this.#wait(created, wait, { signal, idempotencyKey }) : created
    return { ...payment, replayed: isReplayed(response) }
  }

  /**
   * `fetch` that pays: if the reply is an x402 seller's 402, buys what it asks for, repeats the request with the payment, and
   * tells Bursar the outcome. One call buys at most once. `payment` of the response is the purchase; null if nothing was asked.
   * A 402 that is not from x402 is returned as it is.
   *
   * After the payment, redirects are followed only at the same host and without a body; others are returned. If another host
   * replies 402 because of a redirect, nothing is bought: BursarError `redirected`.
   *
   * Throws as `purchases.create` does; BursarOutcomeUnknown with `payment` and the `idempotencyKey` to repeat if the owner has to
   * approve, or if there is no reply to the request that carries the payment; BursarNotServed if the reply is 402 again; and
   * whatever `fetch` throws if there is no reply to the first request. `timeoutMs` is for each reply of the seller, in ms.
   *
   * @example
   * const response = await bursar.fetch('https://api.example.com/weather', {}, { maxAmount: '0.05' })
   * console.log(await response.json(), response.payment?.amount) // {…} 0.01
   */
  readonly fetch = async (
    input: string | URL | Request,
    init: RequestInit = {},
    options: FetchOptions = {},
  ): Promise<PaidResponse> =>
    paidFetch({ send: this.#send, purchases: this.purchases }, new Request(input, init), options)

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
   * The agent, its budget, what it may pay at most now, and its rules. Lists the first 100 contacts that it may pay, or those
   * that contain the text `contact`; `contacts_total` says how many there are.
   *
   * @example
   * const { budget, max_allowed_now } = await bursar.context()
   * console.log(budget.remaining, max_allowed_now) // 87.5 50
   */
  async context({ contact, signal }: { contact?: string } & CallOptions = {}): Promise<PaymentContext> {
    const { data, error, response } = await this.#client.GET('/v1/context', {
      ...(contact && { params: { query: { contact } } }),
      ...(signal && { signal }),
    })
    return unwrap(data, error, response)
  }

  /**
   * Prepares many payments as one run, once, however often the request has to be repeated. Nothing is paid: a person submits and
   * decides on the page at `url`. `verdicts` names the rows with errors, which are left out: correct them, and prepare all rows again
   * with `replaces`. `replayed`: an earlier call with this key had prepared it.
   *
   * Throws TypeError if an amount is not a string; BursarError `same_run` if these rows are a run already; otherwise as `pay` does.
   *
   * @example
   * const run = await bursar.prepareRun({ title: 'Salaries', rows: [{ to: 'ada@example.com', amount: '950' }] })
   * console.log(run.verdicts, run.url) // give the address to the person who decides
   */
  async prepareRun(
    options: RunTerms & { idempotencyKey?: string } & CallOptions,
  ): Promise<PayoutRun & { replayed: boolean }> {
    const { idempotencyKey, signal, ...terms } = options
    for (const { amount } of terms.rows ?? []) amountOf(amount)
    const header = { 'Idempotency-Key': keyOf(idempotencyKey) }
    const { data, error, response } = await this.#client.POST('/v1/runs', {
      params: { header },
      body: terms,
      ...(signal && { signal }),
    })
    return { ...unwrap<PayoutRun>(data, error, response), replayed: isReplayed(response) }
  }

  readonly runs = {
    /** The current state of a run that this agent has prepared. Throws BursarError `not_found`. */
    get: async (runId: string, { signal }: CallOptions = {}): Promise<PayoutRun> => {
      const { data, error, response } = await this.#client.GET('/v1/runs/{runId}', {
        params: { path: { runId } },
        ...(signal && { signal }),
      })
      return unwrap(data, error, response)
    },
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
    wait: async (paymentId: string, { until = 'sent', signal }: CallOptions & { until?: WaitUntil } = {}) => {
      checkUntil(until, 'until')
      return this.#wait(await this.payments.get(paymentId, { ...(signal && { signal }) }), until, { signal })
    },
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
      const { amount, reason, idempotencyKey, signal } = options
      const { data, error, response } = await this.#client.POST('/v1/budget-requests', {
        params: { header: { 'Idempotency-Key': keyOf(idempotencyKey) } },
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
    return waitFor(payment, {
      isOver: (current) => isFinal(current) || (until === 'sent' && current.status === 'PENDING'),
      look: ({ id }) => this.payments.get(id, { ...(signal && { signal }) }),
      signal,
      idempotencyKey,
    })
  }
}

function credentialsOf({ apiKey, clientId, clientSecret, accessToken }: BursarOptions): Credentials {
  if (!apiKey && accessToken) return { accessToken }
  if (!apiKey && clientId && clientSecret) return { clientId, clientSecret }
  const key = apiKey ?? environment('BURSAR_API_KEY')
  if (!key) throw new TypeError('apiKey: set BURSAR_API_KEY, or pass apiKey, accessToken, or clientId and clientSecret')
  return { apiKey: headerText(key, 'apiKey') }
}

/** Undefined where there are no environment variables, as in a browser. */
const environment = (name: string): string | undefined =>
  (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[name] || undefined
