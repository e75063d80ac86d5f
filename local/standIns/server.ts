import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

export type LocalServer = { url: string; stop(): Promise<void> }

/** Starts a server on the loopback interface, by default on a free port. `stop` also closes its connections. */
export async function serve(handle: RequestListener, port = 0): Promise<LocalServer> {
  const server = createServer(handle)
  // Longer than workerd keeps an idle connection. If this side closed it, a request could arrive at that moment.
  server.keepAliveTimeout = 60_000
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Serves `handle` on the loopback interface; an error becomes a 500 with its message. */
export const serveLocally = (
  port: number,
  handle: (request: Request) => Promise<Response>,
  maxBytes = 1_000_000,
): Promise<LocalServer> =>
  serve(async (incoming, outgoing) => {
    const response = await readRequest(incoming, maxBytes)
      .then(handle)
      .catch((error: Error) => Response.json({ error: error.message }, { status: 500 }))
    outgoing.writeHead(response.status, [...response.headers].flat())
    outgoing.end(Buffer.from(await response.arrayBuffer()))
  }, port)

async function readRequest(incoming: IncomingMessage, maxBytes: number): Promise<Request> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming) {
    chunks.push(chunk as Buffer)
    size += (chunk as Buffer).length
    if (size > maxBytes) throw new Error('the request is too large')
  }
  const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values]) =>
    values!.map((value): [string, string] => [name, value]),
  )
  const method = incoming.method!
  const body = method === 'GET' || method === 'HEAD' ? null : Buffer.concat(chunks)
  return new Request(`http://${incoming.headers.host}${incoming.url}`, { method, headers, body })
}
