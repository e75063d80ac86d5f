/** A node with faults: a proxy in front of a real node. It counts calls: POST /calls returns and resets the counts by method. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { serve } from '../../local/standIns/server.ts'

/**
 * down: forwards nothing and does not reply. slow: replies `delayMs` late. lie: returns "not found" for receipts and
 * logs. swallow: forwards the request, but loses the reply. refuse: replies with the error `message`. forge: replaces
 * results with `results`, by method; of an object only the given fields. `methods` limits down, slow, swallow and refuse
 * to requests with one of these methods.
 */
export type Fault = {
  mode: 'none' | 'down' | 'slow' | 'lie' | 'swallow' | 'refuse' | 'forge'
  methods?: string[]
  delayMs?: number
  message?: string
  results?: Record<string, string | object>
}

export type RpcProxy = {
  url: string
  /** Tests inside workerd use POST /fault instead. */
  setFault(fault: Fault): void
  stop(): Promise<void>
}

type Request = { id: number; method: string }
type Answer = { id: number; result?: unknown }

const emptyAnswers: Record<string, unknown> = { eth_getTransactionReceipt: null, eth_getLogs: [] }

export async function startRpcProxy(target: string): Promise<RpcProxy> {
  let fault: Fault = { mode: 'none' }
  let calls: Record<string, number> = {}

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    if (request.url === '/fault') {
      fault = JSON.parse(body) as Fault
      response.end()
      return
    }
    if (request.url === '/calls') {
      response.end(JSON.stringify(calls))
      calls = {}
      return
    }
    const { mode, methods, delayMs = 0, message = 'refused' } = fault
    const parsed = JSON.parse(body) as Request | Request[]
    const requests = Array.isArray(parsed) ? parsed : [parsed]
    for (const { method } of requests) calls[method] = (calls[method] ?? 0) + 1
    const isHit = !methods || requests.some(({ method }) => methods.includes(method))
    if (mode === 'down' && isHit) return void request.socket.destroy()
    if (mode === 'refuse' && isHit) {
      const refusals = requests.map(({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32000, message } }))
      response.setHeader('content-type', 'application/json')
      return void response.end(JSON.stringify(Array.isArray(parsed) ? refusals : refusals[0]))
    }
    const answer = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const answerText = await answer.text()
    if (mode === 'swallow' && isHit) return void request.socket.destroy()
    if (mode === 'slow' && isHit) await new Promise((resolve) => setTimeout(resolve, delayMs))
    response.setHeader('content-type', 'application/json')
    // Uses the current fault, not that of the request's start: a reply that was fetched before `lie` was set may contain
    // a receipt that was mined after it.
    if (fault.mode === 'lie') response.end(forge(requests, answerText, emptyAnswers))
    else response.end(fault.mode === 'forge' ? forge(requests, answerText, fault.results ?? {}) : answerText)
  }

  const server = await serve((request, response) => {
    handle(request, response).catch(() => request.socket.destroy())
  })
  return {
    ...server,
    setFault(next) {
      fault = next
    },
  }
}

function forge(requests: Request[], answerText: string, results: Record<string, unknown>): string {
  const methods = new Map(requests.map(({ id, method }) => [id, method]))
  const change = (answer: Answer): Answer => {
    const method = methods.get(answer.id) ?? ''
    if (!(method in results)) return answer
    const result = results[method]
    const isPartial = typeof result === 'object' && result !== null && !Array.isArray(result)
    return { ...answer, result: isPartial ? { ...(answer.result as object), ...result } : result }
  }
  const answers = JSON.parse(answerText) as Answer | Answer[]
  return JSON.stringify(Array.isArray(answers) ? answers.map(change) : change(answers))
}

async function text(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
