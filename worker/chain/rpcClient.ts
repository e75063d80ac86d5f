import { type Hex, RpcError, RpcUnavailable } from './types.ts'

/** Public nodes reject long batches. */
export const maxBatch = 20
/** Provider-specific codes for "too many requests". The node has not processed the call, so this is not an RpcError. */
const rateLimitCodes = new Set([-32005, -32016, -32097, 429])

type Call = {
  method: string
  params: unknown[]
  resolve: (result: unknown) => void
  reject: (error: Error) => void
}

/**
 * JSON-RPC over HTTP. Requests made in the same microtask travel in one HTTP request, so that `Promise.all` takes one
 * round trip. Responses are matched by id, never by position: record 023 says why this is not viem's transport. Throws
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

  request(method: string, params: unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ method, params, resolve, reject })
      if (this.#waiting.length === 1) queueMicrotask(() => this.#flush())
    })
  }

  #flush(): void {
    const calls = this.#waiting
    this.#waiting = []
    for (let i = 0; i < calls.length; i += maxBatch) void this.#post(calls.slice(i, i + maxBatch))
  }

  async #post(calls: Call[]): Promise<void> {
    try {
      const responses = await this.#exchange(calls)
      for (const [id, call] of calls.entries()) settle(call, responses.get(id))
    } catch (error) {
      const unavailable = error instanceof RpcUnavailable ? error : new RpcUnavailable('no response', { cause: error })
      for (const call of calls) call.reject(unavailable)
    }
  }

  async #exchange(calls: Call[]): Promise<Map<number, RpcResponse>> {
    const requests = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(requests.length === 1 ? requests[0] : requests),
      signal: AbortSignal.timeout(this.#timeoutMs),
    })
    if (response.status === 429 || response.status >= 500) {
      await response.body?.cancel()
      throw new RpcUnavailable(`HTTP ${response.status}`)
    }
    const body: unknown = await response.json()
    const responses = new Map<number, RpcResponse>()
    for (const item of Array.isArray(body) ? body : [body]) if (isResponse(item)) responses.set(item.id, item)
    return responses
  }
}

type RpcResponse = { id: number; result?: unknown; error?: { code?: unknown; message?: unknown; data?: unknown } }

function isResponse(value: unknown): value is RpcResponse {
  return typeof value === 'object' && value !== null && typeof (value as RpcResponse).id === 'number'
}

function settle(call: Call, response: RpcResponse | undefined): void {
  if (response?.error) {
    const { code, message, data } = response.error
    if (typeof code !== 'number' || isRateLimit(code, String(message))) {
      call.reject(new RpcUnavailable(`${call.method}: ${String(message)}`))
    } else call.reject(new RpcError(code, String(message), errorData(data)))
  } else if (response && 'result' in response) call.resolve(response.result)
  else call.reject(new RpcUnavailable(`${call.method}: no response in the batch`))
}

/** Some nodes also use -32005 to refuse more than 10,000 logs. A smaller range avoids that; waiting does not. */
const isRateLimit = (code: number, message: string) =>
  rateLimitCodes.has(code) && !/more than \d+ (results|logs)|too many (results|logs)|response size/i.test(message)

/** Extracts revert data: a string, which some nodes wrap in an object. */
function errorData(data: unknown): Hex | undefined {
  if (typeof data === 'string') return /0x[0-9a-fA-F]*$/.exec(data)?.[0] as Hex | undefined
  if (typeof data === 'object' && data !== null && 'data' in data) return errorData(data.data)
  return undefined
}
