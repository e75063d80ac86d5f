import { type Credentials, TokenSource } from './credentials.ts'
import { BursarError, BursarOutcomeUnknown, errorOf } from './errors.ts'
import { pause } from './pause.ts'
import type { Problem } from './types.ts'

export type TransportOptions = {
  credentials: Credentials
  /** Without a slash at its end. */
  url: string
  fetch: (request: Request) => Promise<Response>
  timeoutMs: number
  retryForMs: number
}

/** A reply, read to its end. `problem` is null unless the body is an error of Bursar. */
type Reply = { status: number; headers: Headers; text: string; isJson: boolean; problem: Problem | null }

/** What a reply means: it is final, it calls for another attempt, or neither Bursar nor another attempt will help. */
type Verdict =
  | { kind: 'final' }
  | { kind: 'again'; error: BursarError; mayBeDone: boolean }
  | { kind: 'pointless'; error: BursarError }

/** How long a server is asked that has never accepted a connection: its URL is probably wrong. */
const unreachedForMs = 3_000 // 3 seconds

/** The delay before the next attempt if the reply names none: 0.25 s, 0.5 s … 8 s, each up to a fifth longer. */
const delayMs = (attempt: number) => Math.min(8_000, 250 * 2 ** attempt) * (1 + Math.random() / 5)

/**
 * Sends each request until its reply is definite. Every request of /v1 may be repeated, because those that create something
 * carry an Idempotency-Key that stays the same.
 */
export class Transport {
  readonly #options: TransportOptions
  readonly #tokens: TokenSource
  #wasReached = false

  constructor(options: TransportOptions) {
    this.#options = options
    this.#tokens = new TokenSource(options.credentials, async (body, signal) => {
      const request = new Request(`${options.url}/oauth/token`, { method: 'POST', body, signal, redirect: 'manual' })
      const { text, status } = await this.#send(request, null)
      return new Response(text, { status })
    })
  }

  /**
   * Returns success, or an error of Bursar that another attempt would not change. Throws BursarError if there is neither, and
   * the signal's reason if it is aborted before the request can have had an effect.
   */
  readonly fetch = async (request: Request): Promise<Response> => {
    const { status, headers, text } = await this.#send(request, this.#tokens)
    const replayed = headers.get('idempotent-replayed')
    return new Response(text || null, { status, ...(replayed && { headers: { 'idempotent-replayed': replayed } }) })
  }

  async #send(request: Request, tokens: TokenSource | null): Promise<Reply> {
    const past = { mayBeDone: false }
    try {
      return await this.#untilDefinite(request, tokens, past)
    } catch (error) {
      const isUnknown = past.mayBeDone || error instanceof BursarOutcomeUnknown
      throw isUnknown ? outcomeUnknown(request, error) : error
    }
  }

  /** Sets `past.mayBeDone` once an attempt may have had an effect although its reply was not received. */
  async #untilDefinite(request: Request, tokens: TokenSource | null, past: { mayBeDone: boolean }): Promise<Reply> {
    const { retryForMs } = this.#options
    const { signal } = request
    const startedAt = performance.now()
    const hasEffect = request.method !== 'GET' && tokens !== null
    let hasRenewed = false
    let isConfirmed = false
    for (let attempt = 0; ; attempt++) {
      signal.throwIfAborted()
      const token = await tokens?.get(signal)
      const reply = await this.#attempt(request, token).catch((cause: unknown) => {
        past.mayBeDone ||= hasEffect && !isNotTrusted(cause)
        if (signal.aborted) throw signal.reason
        return cause
      })
      const isReply = isReplyOf(reply)
      if (isReply || !isUnreached(reply)) this.#wasReached = true
      if (isReply && reply.status === 401 && token && tokens?.canRenew && !hasRenewed) {
        hasRenewed = true
        await tokens.reject(token)
        continue
      }
      let verdict = isReply ? verdictOn(reply, request.url) : lost(request.url, reply)
      // A refusal may have overtaken an attempt whose reply was lost, so the first one is not believed.
      if (verdict.kind === 'final' && isReply && reply.problem && past.mayBeDone && !isConfirmed) {
        isConfirmed = true
        verdict = { kind: 'again', error: errorOf(reply.status, reply.problem), mayBeDone: false }
      }
      if (verdict.kind === 'final') return reply as Reply
      if (verdict.kind === 'pointless') throw verdict.error
      past.mayBeDone ||= hasEffect && verdict.mayBeDone
      const waitMs = (isReply && retryAfterMs(reply)) || delayMs(attempt)
      const forMs = this.#wasReached ? retryForMs : Math.min(retryForMs, unreachedForMs)
      if (performance.now() + waitMs > startedAt + forMs) throw verdict.error
      await pause(waitMs, signal)
    }
  }

  async #attempt(request: Request, token: string | undefined): Promise<Reply> {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(this.#options.timeoutMs)])
    const sent = new Request(request.clone(), { signal })
    sent.headers.set('accept', 'application/json')
    if (token) sent.headers.set('authorization', `Bearer ${token}`)
    const response = await this.#options.fetch(sent)
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, ...parsed(text) }
  }
}

const isReplyOf = (reply: unknown): reply is Reply => typeof reply === 'object' && reply !== null && 'isJson' in reply

function parsed(text: string): { isJson: boolean; problem: Problem | null } {
  try {
    const body = JSON.parse(text) as Partial<Problem> | null
    const isProblem = typeof body?.code === 'string' && typeof body.detail === 'string'
    return { isJson: typeof body === 'object' && body !== null, problem: isProblem ? (body as Problem) : null }
  } catch {
    return { isJson: false, problem: null }
  }
}

function verdictOn({ status, headers, isJson, problem }: Reply, url: string): Verdict {
  if (status === 429 || status >= 500) {
    const error = problem && status === 429 ? errorOf(status, problem) : unclear(status, headers, url, problem)
    return { kind: 'again', error, mayBeDone: status >= 500 }
  }
  if (isJson && status < 300) return { kind: 'final' }
  if (status < 300) return { kind: 'again', error: unclear(status, headers, url, null), mayBeDone: true }
  // Another attempt could also be refused for want of credentials after an earlier one was accepted.
  if (problem && status === 401) return { kind: 'pointless', error: errorOf(status, problem) }
  if (problem || (isJson && new URL(url).pathname === '/oauth/token')) return { kind: 'final' }
  return { kind: 'pointless', error: notBursar(status, headers, url) }
}

function lost(url: string, cause: unknown): Verdict {
  const where = `${new URL(url).origin}: ${reasonOf(cause)}.`
  const message = isUnreached(cause)
    ? `No connection to ${where} Is this the URL of Bursar, and is it running?`
    : `No reply from ${where}`
  if (isNotTrusted(cause)) return { kind: 'pointless', error: new BursarError('not_trusted', message, { cause }) }
  return { kind: 'again', error: new BursarOutcomeUnknown(message, { cause }), mayBeDone: true }
}

/** Node refuses the server's certificate before it sends anything. Browsers do not tell. */
const isNotTrusted = (cause: unknown): boolean =>
  /(^|_)CERT(_|$)|UNABLE_TO_VERIFY_LEAF_SIGNATURE/.test(cause instanceof Error ? reasonOf(cause) : '')

/** Whether there was not even a connection. Browsers do not tell. */
const isUnreached = (cause: unknown): boolean => ['ECONNREFUSED', 'ENOTFOUND'].includes(reasonOf(cause))

/** Node hides the reason of a failed connection in the cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause as { code?: string; message?: string } | undefined
  return cause?.code ?? cause?.message ?? error.message
}

const unclear = (status: number, headers: Headers, url: string, problem: Problem | null) =>
  new BursarOutcomeUnknown(problem?.detail ?? whatReplied(status, headers, url), {
    status,
    problem: problem ?? undefined,
  })

const notBursar = (status: number, headers: Headers, url: string) =>
  new BursarError('unexpected_reply', `${whatReplied(status, headers, url)} Is this the URL of Bursar?`, { status })

function whatReplied(status: number, headers: Headers, url: string): string {
  const location = headers.get('location')
  const what = location ? `a redirect to ${location}` : (headers.get('content-type') ?? 'no content type')
  return `${new URL(url).origin} replied with status ${status} and ${what}.`
}

/** Seconds, or a date as a proxy may send it. Zero if absent, NaN if it is neither. */
function retryAfterMs({ headers }: Reply): number {
  const value = headers.get('retry-after')
  if (!value) return 0
  const seconds = Number(value)
  // The server's clock counts, because ours may be wrong.
  const now = Date.parse(headers.get('date') ?? '') || Date.now()
  const ms = Number.isNaN(seconds) ? Date.parse(value) - now : seconds * 1000
  return Math.max(ms, 0)
}

/** The error of a request whose effect is not known, with the key to repeat it under. */
function outcomeUnknown(request: Request, error: unknown): BursarOutcomeUnknown {
  const idempotencyKey = request.headers.get('idempotency-key') ?? undefined
  const { status, problem } = error instanceof BursarError ? error : {}
  const message = error instanceof Error ? error.message : String(error)
  return new BursarOutcomeUnknown(message, { idempotencyKey, status, problem, cause: error })
}
