/** Runs a case of sdk/vectors.json with the TypeScript SDK. sdk/python/tests/vector_runner.py does the same with the Python SDK. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type * as Sdk from '#sdk'
import type * as LoginFiles from '../../sdk/src/cli/loginFile.ts'
import type * as LoginTokens from '../../sdk/src/cli/loginTokens.ts'
import { VectorClock } from './vectorClock.ts'
import type { Json, JsonObject, Vector, VectorReply, Vectors } from './vectors.ts'

type Loaded = Pick<typeof Sdk, 'Bursar' | 'verifyWebhook'> &
  Pick<typeof LoginFiles, 'LoginFile'> &
  Pick<typeof LoginTokens, 'loginTokens'>

/** `folder`: that of the SDK's source. */
export async function loadSdk(folder = join(import.meta.dirname, '../../sdk/src')): Promise<Loaded> {
  const load = (file: string) => import(/* @vite-ignore */ join(folder, file))
  const parts = await Promise.all(['index.ts', 'cli/loginFile.ts', 'cli/loginTokens.ts'].map(load))
  return Object.assign({}, ...parts) as Loaded
}

const origins: Record<string, string> = {
  bursar: 'https://bursar.example',
  seller: 'https://seller.example',
  other: 'https://other.example',
}
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const startedAt = Date.parse('2026-11-20T12:00:00Z')
const dayMs = 86_400_000

type Sent = { line: string; key: string | null; token: string | null; headers: JsonObject; body: Json; at: number }

/** Returns why the case fails, null if it passes. */
export async function failureOf(vectors: Vectors, vector: Vector, sdk: Loaded): Promise<string | null> {
  const clock = new VectorClock(startedAt)
  const seen: Sent[] = []
  const text = (value: Json) => filled(value, vectors, clock)
  const { expect } = text(vector as never) as unknown as Vector
  const send = serverOf(vector.replies ?? [], vectors, clock, seen)
  const home = mkdtempSync(join(tmpdir(), 'bursar-vector-'))
  const file = new sdk.LoginFile({ XDG_CONFIG_HOME: home })
  const ownFetch = globalThis.fetch
  globalThis.fetch = ((request: Request) => send(request)) as never // the login renews its tokens with it
  try {
    const outcome = await clock.during((vector.clock_off_days ?? 0) * dayMs, async () => {
      try {
        return { result: await callsOf(vector, text, sdk, { send, file, clock, vectors }) }
      } catch (error) {
        return { error: errorFields(error as Error) }
      }
    })
    return differenceOf(expect, outcome, seen, readLogin(file.path))
  } finally {
    globalThis.fetch = ownFetch
    rmSync(home, { recursive: true })
  }
}

type Parts = {
  send: (request: Request) => Promise<Response>
  file: InstanceType<Loaded['LoginFile']>
  clock: VectorClock
  vectors: Vectors
}

async function callsOf(vector: Vector, text: (value: Json) => Json, sdk: Loaded, parts: Parts) {
  const calls = [text(vector.call)].flat() as JsonObject[]
  if (calls[0]!.method === 'verify_webhook') return verify(calls[0]!, sdk, parts.vectors)
  const bursar = clientOf(text(vector.client ?? { api_key: 'bk_test' }) as JsonObject, sdk, parts)
  let result: unknown
  for (const { method, ...options } of calls) {
    if (method === 'elapse') parts.clock.now += Number(options.seconds) * 1000
    else result = await callOf(bursar, String(method), options)
  }
  return result
}

function clientOf(options: JsonObject, { Bursar, loginTokens }: Loaded, { send, file }: Parts) {
  const { api_key, client_id, client_secret, access_tokens, login, timeout_s, url = origins.bursar } = options
  const base = { url: String(url), fetch: send, ...(timeout_s ? { timeoutMs: Number(timeout_s) * 1000 } : {}) }
  if (login) {
    const { access_token, refresh_token, fresh_in_s } = login as Record<string, never>
    mkdirSync(dirname(file.path))
    const kept = { url, accessToken: access_token, refreshToken: refresh_token }
    writeFileSync(file.path, JSON.stringify({ ...kept, freshUntil: Date.now() + Number(fresh_in_s) * 1000 }))
    const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
    return new Bursar({ ...base, accessToken: loginTokens(file, { now: Date.now, pause }) })
  }
  if (access_tokens) {
    const [first, second] = access_tokens as string[]
    return new Bursar({ ...base, accessToken: async ({ rejected }) => (rejected === first ? second! : first!) })
  }
  if (client_id) return new Bursar({ ...base, clientId: String(client_id), clientSecret: String(client_secret) })
  return new Bursar({ ...base, apiKey: String(api_key) })
}

/** Options have the names of JSON in the file, and those of TypeScript here. */
const camelCased = (options: JsonObject) =>
  Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()),
      value,
    ]),
  )

async function callOf(bursar: Sdk.Bursar, method: string, given: JsonObject): Promise<unknown> {
  const { id, timeout_s, http_method, take, url, ...rest } = given
  const signal = timeout_s ? { signal: AbortSignal.timeout(Number(timeout_s) * 1000) } : {}
  const options = { ...camelCased(rest), ...(http_method ? { method: http_method } : {}), ...signal } as never
  if (method === 'fetch') {
    const { headers, body, ...others } = rest
    const init = { ...(http_method && { method: http_method }), ...(headers && { headers }), ...(body && { body }) }
    const response = await bursar.fetch(String(url), init as never, camelCased(others) as never)
    return { status: response.status, text: await response.text(), payment: response.payment }
  }
  if (method === 'payments.list') {
    const found: unknown[] = []
    for await (const payment of bursar.payments.list(options)) {
      found.push(payment)
      if (found.length === take) break
    }
    return found
  }
  const [group, name] = camelPath(method)
  const target = (name ? bursar[group as 'payments'] : bursar) as unknown as Record<
    string,
    (...args: unknown[]) => unknown
  >
  return target[name ?? group!]!(...(id === undefined ? [options] : [id, options]))
}

const camelPath = (method: string) =>
  method.split('.').map((part) => part.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()))

async function verify(call: JsonObject, { verifyWebhook }: Loaded, { webhooks }: Vectors) {
  const hook = webhooks[String(call.webhook)]!
  const sentAt = Number(hook.headers['webhook-timestamp'])
  const changes = Object.entries((call.headers ?? {}) as Record<string, string | null>).map(([name, value]) => [
    name,
    value?.replace('{signature}', hook.headers['webhook-signature']!).replace('{timestamp+1}', `${sentAt + 1}`),
  ])
  const merged = { ...hook.headers, ...Object.fromEntries(changes) } as Record<string, string | undefined>
  const titled = (name: string) => name.replace(/\b\w/g, (letter) => letter.toUpperCase())
  const entries = Object.entries(merged).map(([name, value]) => [call.headers_as ? titled(name) : name, value])
  const [from, to] = (call.replace ?? ['', '']) as [string, string]
  return verifyWebhook({
    body: hook.body.replace(from, to),
    headers: Object.fromEntries(entries),
    secret: String(call.secret ?? hook.secret),
    ...(call.tolerance_seconds ? { toleranceSeconds: Number(call.tolerance_seconds) } : {}),
    now: (sentAt + Number(call.after_s)) * 1000,
  })
}

/** Replies to one request after another, and follows redirects for the caller that asks for it, as `fetch` does. */
function serverOf(replies: VectorReply[], vectors: Vectors, clock: VectorClock, seen: Sent[]) {
  let count = 0
  return async function send(request: Request): Promise<Response> {
    const { pathname, search, origin, searchParams } = new URL(request.url)
    searchParams.sort()
    const shown = origin === origins.bursar ? pathname : request.url.split(/[?#]/)[0]!
    const headers = Object.fromEntries(request.headers)
    const body = await request.clone().text()
    seen.push({
      line: `${request.method} ${shown}${search && `?${searchParams}`}`,
      key: headers['idempotency-key'] ?? null,
      token: headers.authorization ?? null,
      headers,
      body: headers['content-type'] === 'application/json' ? JSON.parse(body) : body,
      at: clock.now,
    })
    const response = await replyTo(replies[Math.min(count++, replies.length - 1)]!, request, vectors, clock)
    const location = response.headers.get('location')
    Object.defineProperty(response, 'url', { value: request.url.split('#')[0], configurable: true })
    if (request.redirect !== 'follow' || !location || response.status < 300 || response.status >= 400) return response
    const target = new URL(location, request.url)
    const next = new Request(target.href, request)
    if (target.origin !== origin) next.headers.delete('authorization')
    const last = await send(next)
    Object.defineProperty(last, 'redirected', { value: true })
    return last
  }
}

/** What Node calls them. */
const codes = {
  silence: 'ETIMEDOUT',
  lost: 'ECONNRESET',
  certificate: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  refused: 'ECONNREFUSED',
  unknown_host: 'ENOTFOUND',
}

async function replyTo(reply: VectorReply, request: Request, vectors: Vectors, clock: VectorClock): Promise<Response> {
  if (reply.fails === 'silence')
    await new Promise((_, reject) => {
      request.signal.addEventListener('abort', () => reject(request.signal.reason))
    })
  if (reply.fails) throw new TypeError('fetch failed', { cause: { code: codes[reply.fails] } })
  const { status, headers, text } = wholeReply(reply, vectors)
  const sent = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    String(filled(value, vectors, clock)),
  ])
  const bytes = new TextEncoder().encode(text)
  if (reply.cut === undefined) return new Response(text || null, { status, headers: sent })
  const part = bytes.slice(0, reply.cut < 0 ? bytes.length + reply.cut : reply.cut)
  let isSent = part.length === 0
  const body = new ReadableStream({
    pull(controller) {
      if (isSent) controller.error(new TypeError('terminated'))
      else controller.enqueue(part)
      isSent = true
    },
  })
  return new Response(body, { status, headers: sent })
}

function wholeReply({ reply, status, headers, body, pad = 0 }: VectorReply, { replies }: Vectors) {
  const recorded = reply === undefined ? null : replies[reply]!
  const content = recorded ? { ...recorded.body, ...(body as JsonObject) } : (body ?? '')
  const text = typeof content === 'string' ? content : JSON.stringify(content) + ' '.repeat(pad)
  return { status: status ?? recorded?.status ?? 200, headers: { ...recorded?.headers, ...headers }, text }
}

/** Fills in `{bursar}`, `{date+10}` (the true time in ten seconds) and `{of:reply.field}`. */
function filled(value: Json, { replies }: Vectors, clock: VectorClock): Json {
  if (Array.isArray(value)) return value.map((each) => filled(each, { replies } as Vectors, clock))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, filled(each, { replies } as Vectors, clock)]),
    )
  if (typeof value !== 'string') return value
  const path = /^\{of:(.*)\}$/.exec(value)?.[1]?.split('.')
  if (path) return path.slice(1).reduce<Json>((found, name) => (found as JsonObject)[name]!, replies[path[0]!]!.body)
  return value
    .replaceAll(/\{(bursar|seller|other)\}/g, (_, name: string) => origins[name]!)
    .replaceAll(/\{date\+(\d+)\}/g, (_, seconds) => new Date(startedAt + clock.now + seconds * 1000).toUTCString())
}

function readLogin(path: string): Json {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The fields of an error under their names in JSON. */
function errorFields(error: Error): JsonObject {
  const names = [...Object.keys(error), 'requestId'].map((name) => [snake(name), error[name as never] ?? null])
  const kind = error.name === 'TimeoutError' ? 'TimeoutError' : error.constructor.name
  return { ...Object.fromEntries(names), class: kind, message: snakeOptions(error.message) }
}

/** Messages name options as the language does. */
const snakeOptions = (message: string) =>
  message.replaceAll(/\b(apiKey|idempotencyKey|maxAmount|clientSecret)\b/g, snake)

function differenceOf(
  expect: Vector['expect'],
  outcome: { result?: unknown; error?: JsonObject },
  seen: Sent[],
  login: Json,
): string | null {
  const { result, error, requests, requests_at_least, sent = [], waits = [] } = expect
  const lines = seen.map(({ line }) => line)
  const got = JSON.stringify({ ...outcome, lines })
  if (error ? !outcome.error || !fitsError(error, outcome.error) : outcome.error) return `another outcome: ${got}`
  if (result !== undefined && !fits(result, outcome.result)) return `another result: ${got}`
  if (requests && !isDeepStrictEqual(requests, lines)) return `other requests: ${got}`
  if (requests_at_least !== undefined && lines.length < requests_at_least) return `too few requests: ${got}`
  const wrong = sent.find((each, i) => !fits(each, seen[i]))
  if (wrong) return `sent something else than ${JSON.stringify(wrong)}: ${JSON.stringify(seen)}`
  for (const [i, [least, most]] of waits.entries()) {
    const waited = (seen[i + 1]!.at - seen[i]!.at) / 1000
    if (waited < least || waited > most)
      return `waited ${waited} seconds after request ${i + 1}, not ${least} to ${most}`
  }
  const repeated = new Map<string, Sent>()
  for (const request of seen.filter(({ key }) => key !== null)) {
    const first = repeated.get(request.line) ?? request
    repeated.set(request.line, first)
    if (first.key !== request.key || !isDeepStrictEqual(first.body, request.body)) return 'repeated something else'
  }
  if ('login' in expect && !fits(expect.login as Json, login)) return `another login: ${JSON.stringify(login)}`
  return null
}

function fitsError({ message_starts, message_has, ...rest }: JsonObject, error: JsonObject): boolean {
  const message = String(error.message)
  if (message_starts !== undefined && !message.startsWith(String(message_starts))) return false
  if (message_has !== undefined && !message.includes(String(message_has))) return false
  return fits(rest, error)
}

/** Whether a value has all that is expected. Lists have to be as long. */
function fits(expected: Json | undefined, got: unknown): boolean {
  if (expected === '{uuid}') return typeof got === 'string' && uuid.test(got)
  if (Array.isArray(expected))
    return Array.isArray(got) && got.length === expected.length && expected.every((each, i) => fits(each, got[i]))
  if (typeof expected === 'object' && expected !== null)
    return (
      typeof got === 'object' &&
      got !== null &&
      Object.entries(expected).every(([name, each]) => fits(each, (got as JsonObject)[name]))
    )
  return Object.is(expected ?? null, got ?? null)
}
