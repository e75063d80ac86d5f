import { type Hex, RpcError, RpcUnavailable } from './types.ts'

const timeoutMs = 5_000 // 5 seconds
/** Public nodes refuse long batches. */
const maxBatch = 20
/** "Too many requests" in the dialects of the node providers: no answer, so not a definite no. */
const rateLimitCodes = new Set([-32005, -32016, -32097, 429])

type Call = {
  method: string
  params: unknown[]
  resolve: (result: unknown) => void
  reject: (error: Error) => void
}

/**
 * JSON-RPC over HTTP. Requests made in the same turn of the event loop travel in one HTTP request, so that
 * `Promise.all` costs one round trip. Throws RpcError (the node's definite no) or RpcUnavailable (outcome unknown).
 */
export class RpcClient {
  readonly #url: string
  #waiting: Call[] = []

  constructor(url: string) {
    this.#url = url
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
      const answers = await this.#exchange(calls)
      for (const [id, call] of calls.entries()) settle(call, answers.get(id))
    } catch (error) {
      const unavailable = error instanceof RpcUnavailable ? error : new RpcUnavailable('no answer', { cause: error })
      for (const call of calls) call.reject(unavailable)
    }
  }

  async #exchange(calls: Call[]): Promise<Map<number, Answer>> {
    const requests = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(requests.length === 1 ? requests[0] : requests),
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (response.status === 429 || response.status >= 500) {
      await response.body?.cancel()
      throw new RpcUnavailable(`HTTP ${response.status}`)
    }
    const body: unknown = await response.json()
    const answers = new Map<number, Answer>()
    for (const answer of Array.isArray(body) ? body : [body]) {
      if (isAnswer(answer)) answers.set(answer.id, answer)
    }
    return answers
  }
}

type Answer = { id: number; result?: unknown; error?: { code?: unknown; message?: unknown; data?: unknown } }

function isAnswer(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null && typeof (value as Answer).id === 'number'
}

function settle(call: Call, answer: Answer | undefined): void {
  if (answer?.error) {
    const { code, message, data } = answer.error
    if (typeof code !== 'number' || rateLimitCodes.has(code)) {
      call.reject(new RpcUnavailable(`${call.method}: ${String(message)}`))
    } else call.reject(new RpcError(code, String(message), errorData(data)))
  } else if (answer && 'result' in answer) call.resolve(answer.result)
  else call.reject(new RpcUnavailable(`${call.method}: no answer in the batch`))
}

/** Revert data: a plain string, or wrapped once more by some nodes. */
function errorData(data: unknown): Hex | undefined {
  if (typeof data === 'string') return /0x[0-9a-fA-F]*$/.exec(data)?.[0] as Hex | undefined
  if (typeof data === 'object' && data !== null && 'data' in data) return errorData(data.data)
  return undefined
}
