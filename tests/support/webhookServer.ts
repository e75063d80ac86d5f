/** A webhook's receiver on loopback, as a customer would run it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Received = { headers: Record<string, string>; body: string; type: string; data: Record<string, unknown> }
type Respond = (request: IncomingMessage, response: ServerResponse) => void

const accept: Respond = (_, response) => response.end()

/** Starts a receiver that keeps what it receives. `respond` decides the reply; by default 200. */
export async function startReceiver(respond: Respond = accept) {
  const received: Received[] = []
  let reply = respond
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    received.push({ headers: request.headers as Record<string, string>, body, ...JSON.parse(body) })
    reply(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    respond: (next: Respond) => {
      reply = next
    },
    stop: () => {
      server.closeAllConnections()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
