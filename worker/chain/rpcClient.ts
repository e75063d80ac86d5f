import { type Hex, RpcError, RpcUnavailable } from './types.ts'

/** For all logs of a block, which may be many megabytes. */
const streamTimeoutMs = 20_000 // 20 seconds
/** Public nodes reject long batches. */
export const maxBatch = 20
/** Logs can be read in smaller ranges or as they arrive, so that a stranger's many logs do not fill an object's memory. */
const maxLogBytes = 1_000_000
const bufferBytes = 64 * 1024
/** Provider-specific codes for "too many requests". The node has not processed the call, so this is not an RpcError. */
const rateLimitCodes = new Set([-32005, -32016, -32097, 429])
/** Our own refusal, with the code of JSON-RPC servers for "limit exceeded". */
const tooLong = -32005

type Call = {
  method: string
  params: unknown[]
  isLimited: boolean
  resolve: (result: unknown) => void
  reject: (error: Error) => void
}

/**
 * JSON-RPC over HTTP. Requests made in the same microtask travel in one HTTP request, so that `Promise.all` takes one
 * round trip, and equal ones among them are sent once. Responses are matched by id, never by position: record 007 says why this is not viem's transport. Throws
 * RpcError (the node refused) or RpcUnavailable (the outcome is unknown).
 */
export class RpcClient {
  readonly #url: string
  readonly #timeoutMs: number
  #waiting: Call[] = []

  constructor(url: string, timeoutMs = 5_000) {
    this.#url = url
    this.#timeoutMs = timeoutMs
  }

  /** `isLimited`: the call is refused if the response is longer than `maxLogBytes`. */
  request(method: string, params: unknown[], isLimited = false): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ method, params, isLimited, resolve, reject })
      if (this.#waiting.length === 1) queueMicrotask(() => this.#flush())
    })
  }

  #flush(): void {
    const calls = merged(this.#waiting)
    this.#waiting = []
    for (let i = 0; i < calls.length; i += maxBatch) void this.#post(calls.slice(i, i + maxBatch))
  }

  async #post(calls: Call[]): Promise<void> {
    try {
      const responses = await this.#exchange(calls)
      if (responses === null) return this.#refuseLimited(calls)
      for (const [id, call] of calls.entries())
        try {
          call.resolve(resultOf(call.method, responses.get(id)))
        } catch (error) {
          call.reject(error as Error)
        }
    } catch (error) {
      for (const call of calls) call.reject(unavailable(error))
    }
  }

  /** Refuses the limited calls, and sends the others again. */
  #refuseLimited(calls: Call[]): void {
    const { true: limited = [], false: others = [] } = Object.groupBy(calls, ({ isLimited }) => `${isLimited}`)
    for (const { method, reject } of limited) reject(new RpcError(tooLong, `${method}: the response is too long`))
    if (others.length > 0) void this.#post(others)
  }

  /** Null if the response is too long. */
  async #exchange(calls: Call[]): Promise<Map<number, RpcResponse> | null> {
    const requests = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
    const response = await this.#fetch(requests.length === 1 ? requests[0] : requests, this.#timeoutMs)
    const text = calls.some(({ isLimited }) => isLimited) ? await shortText(response) : await response.text()
    if (text === null) return null
    const body: unknown = JSON.parse(text)
    const responses = new Map<number, RpcResponse>()
    for (const item of [body].flat()) {
      const response = asResponse(item)
      if (response) responses.set(response.id, response)
    }
    return responses
  }

  async #fetch(body: unknown, withinMs: number): Promise<Response> {
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(withinMs),
    })
    if (response.status !== 429 && response.status < 500) return response
    await response.body?.cancel()
    throw new RpcUnavailable(`HTTP ${response.status}`)
  }

  /**
   * For a list of any length, or a list of such lists: passes each innermost object to `take` as soon as it has arrived, so
   * that the response is never in memory as a whole.
   */
  async stream(method: string, params: unknown[], take: (item: unknown) => void): Promise<void> {
    try {
      const response = await this.#fetch({ jsonrpc: '2.0', id: 0, method, params }, streamTimeoutMs)
      let text = ''
      let isList = false
      for await (const more of textOf(response)) {
        text += more
        if (!isList && listStart.test(text)) {
          isList = true
          text = text.replace(listStart, '')
        }
        if (isList) text = takeObjects(text, take)
      }
      if (!isList) resultOf(method, asResponse(JSON.parse(text)))
      if (!isList || !listEnd.test(text)) throw new RpcUnavailable(`malformed result: ${method}`)
    } catch (error) {
      throw error instanceof RpcError ? error : unavailable(error)
    }
  }
}

/** Each different call once, which settles all equal ones. */
function merged(calls: Call[]): Call[] {
  const groups = Map.groupBy(calls, ({ method, params, isLimited }) => JSON.stringify([method, params, isLimited]))
  return [...groups.values()].map((equal) => ({
    ...equal[0]!,
    resolve: (result) => {
      for (const { resolve } of equal) resolve(result)
    },
    reject: (error) => {
      for (const { reject } of equal) reject(error)
    },
  }))
}

const unavailable = (error: unknown): RpcUnavailable =>
  error instanceof RpcUnavailable ? error : new RpcUnavailable('no response', { cause: error })

/** Begin and end of a response whose result is a list. */
const listStart = /^\s*\{[^[{]*"result":\s*\[/
const listEnd = /\]\s*(?:,\s*"(?:id|jsonrpc)"[^\]{}]*)?\}\s*$/

/** Null, without reading the rest, if the body is longer than `maxLogBytes`. */
async function shortText(response: Response): Promise<string | null> {
  if (Number(response.headers.get('content-length')) > maxLogBytes) {
    await response.body?.cancel()
    return null
  }
  let text = ''
  for await (const more of textOf(response)) {
    text += more
    if (text.length > maxLogBytes) return null
  }
  return text
}

/** Reads into one buffer again and again: a new one for each piece would be in memory until the next garbage collection. */
async function* textOf({ body }: Response): AsyncGenerator<string> {
  if (!body) return
  const reader = body.getReader({ mode: 'byob' })
  const decoder = new TextDecoder()
  let buffer = new Uint8Array(bufferBytes)
  try {
    for (;;) {
      const { done, value } = await reader.read(buffer)
      if (done) return
      yield decoder.decode(value, { stream: true })
      buffer = new Uint8Array(value.buffer)
    }
  } finally {
    await reader.cancel()
  }
}

/** Passes on the objects in `text` that have no objects inside. Returns what follows them. */
function takeObjects(text: string, take: (item: unknown) => void): string {
  let end = 0
  for (const match of text.matchAll(/\{[^{}]*\}/g)) {
    take(JSON.parse(match[0]))
    end = match.index + match[0].length
  }
  return text.slice(end)
}

type RpcResponse = { id: number; result?: unknown; error?: { code?: unknown; message?: unknown; data?: unknown } }

const asResponse = (value: unknown): RpcResponse | undefined =>
  typeof value === 'object' && value !== null && typeof (value as RpcResponse).id === 'number'
    ? (value as RpcResponse)
    : undefined

/** Throws RpcError or RpcUnavailable. */
function resultOf(method: string, response: RpcResponse | undefined): unknown {
  if (response?.error) {
    const { code, message, data } = response.error
    if (typeof code !== 'number' || isRateLimit(code, String(message)))
      throw new RpcUnavailable(`${method}: ${String(message)}`)
    throw new RpcError(code, String(message), errorData(data))
  }
  if (!response || !('result' in response)) throw new RpcUnavailable(`${method}: no response in the batch`)
  return response.result
}

/** Some nodes use the same codes to refuse more than 10,000 logs. A smaller range avoids that; waiting does not. */
const isRateLimit = (code: number, message: string) =>
  rateLimitCodes.has(code) && !/\b(results|logs|range|blocks|response (size|too large|is too big))\b/i.test(message)

/** Extracts revert data: a string, which some nodes wrap in an object. */
function errorData(data: unknown): Hex | undefined {
  if (typeof data === 'string') return /0x[0-9a-fA-F]*$/.exec(data)?.[0] as Hex | undefined
  if (typeof data === 'object' && data !== null && 'data' in data) return errorData(data.data)
  return undefined
}
