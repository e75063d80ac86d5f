/** A webhook's receiver on loopback, as a customer would run it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { serve } from '../../local/standIns/server.ts'

export type Received = { headers: Record<string, string>; body: string; type: string; data: Record<string, unknown> }
type Respond = (request: IncomingMessage, response: ServerResponse) => void

const accept: Respond = (_, response) => response.end()

/** Starts a receiver that keeps what it receives. `respond` decides the reply; by default 200. */
export async function startReceiver(respond: Respond = accept) {
  const received: Received[] = []
  let reply = respond
  const { url, stop } = await serve(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    received.push({ headers: request.headers as Record<string, string>, body, ...JSON.parse(body) })
    reply(request, response)
  })
  return {
    url: `${url}/hook`,
    received,
    respond: (next: Respond) => {
      reply = next
    },
    stop,
  }
}
