import type { IncomingHttpHeaders } from 'node:http'
import { serve } from '../../local/standIns/server.ts'

export type RecordedRequest = { method: string; path: string; headers: IncomingHttpHeaders; body: string }
export type ScriptedReply = { status?: number; headers?: Record<string, string>; body?: unknown } | 'never'

/** A server on the loopback interface that records what it receives and replies as configured, with `200 {}` otherwise. */
export async function startRequestRecorder() {
  const requests: RecordedRequest[] = []
  const replies: ScriptedReply[] = []
  const server = await serve(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    requests.push({ method: request.method!, path: request.url!, headers: request.headers, body })
    const reply = replies.shift() ?? {}
    if (reply === 'never') return
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers })
    response.end(JSON.stringify(reply.body ?? {}))
  })
  return {
    ...server,
    requests,
    /** Replies to the next requests, in order. */
    reply: (...next: ScriptedReply[]) => void replies.push(...next),
    /** The request that came last. */
    last: () => requests.at(-1)!,
  }
}
export type RequestRecorder = Awaited<ReturnType<typeof startRequestRecorder>>
