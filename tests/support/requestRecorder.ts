import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export type RecordedRequest = { method: string; path: string; headers: IncomingHttpHeaders; body: string }
export type ScriptedReply = { status?: number; headers?: Record<string, string>; body?: unknown } | 'never'

/** A server on the loopback interface that records what it receives and replies as configured, with `200 {}` otherwise. */
export async function startRequestRecorder() {
  const requests: RecordedRequest[] = []
  const replies: ScriptedReply[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    requests.push({ method: request.method!, path: request.url!, headers: request.headers, body })
    const reply = replies.shift() ?? {}
    if (reply === 'never') return
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers })
    response.end(JSON.stringify(reply.body ?? {}))
  })
  // workerd reuses connections, and would find one closed between two tests.
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    /** Replies to the next requests, in order. */
    reply: (...next: ScriptedReply[]) => void replies.push(...next),
    /** The request that came last. */
    last: () => requests.at(-1)!,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
export type RequestRecorder = Awaited<ReturnType<typeof startRequestRecorder>>
