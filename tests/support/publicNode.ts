/** A node with the limits of public nodes: a proxy in front of a real node, in the process of the test. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { serve } from '../../local/standIns/server.ts'

type Call = { id: number; method: string; params: unknown[] }
type Reply = { id: number; result?: unknown; error?: { code: number; message: string } }

type Limits = {
  /** The most logs in a reply to eth_getLogs. */
  logs?: number
  /** The widest range of eth_getLogs. */
  blocks?: number
  /** The most calls in one HTTP request. */
  batch?: number
  /** HTTP requests that are still answered; then every one gets 429. */
  requests?: number
  /** Calls for which this returns true are refused. */
  refuses?: (call: Call) => boolean
}

type PublicNode = {
  url: string
  limits: Limits
  /** HTTP requests so far. */
  requests: number
  stop(): Promise<void>
}

export async function startPublicNode(target: string): Promise<PublicNode> {
  const node: PublicNode = { ...(await serve(answer)), limits: {}, requests: 0 }
  return node

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray()).toString()
    const calls = JSON.parse(body) as Call | Call[]
    node.requests += 1
    const { limits } = node
    if (limits.requests !== undefined && limits.requests-- <= 0) {
      response.statusCode = 429
      return void response.end('Too Many Requests')
    }
    if (Array.isArray(calls) && calls.length > (limits.batch ?? Number.POSITIVE_INFINITY)) {
      const error = { code: -32600, message: 'batch too large' }
      return void response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }))
    }
    const headers = { 'content-type': 'application/json' }
    const replies = (await (await fetch(target, { method: 'POST', headers, body })).json()) as Reply | Reply[]
    const limited = [replies].flat().map((reply) => limit([calls].flat().find(({ id }) => id === reply.id)!, reply))
    response.end(JSON.stringify(Array.isArray(replies) ? limited : limited[0]))
  }

  function limit(call: Call, reply: Reply): Reply {
    const { logs, blocks, refuses } = node.limits
    const refused = (code: number, message: string) => ({ jsonrpc: '2.0', id: call.id, error: { code, message } })
    if (refuses?.(call)) return refused(-32000, 'refused')
    if (call.method !== 'eth_getLogs') return reply
    const { fromBlock, toBlock } = call.params[0] as { fromBlock: string; toBlock: string }
    if (blocks && Number(toBlock) - Number(fromBlock) >= blocks)
      return refused(-32602, `block range too large, max ${blocks}`)
    if (logs && (reply.result as unknown[]).length > logs)
      return refused(-32005, `query returned more than ${logs} results`)
    return reply
  }
}
