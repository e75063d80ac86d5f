import { buffer } from 'node:stream/consumers'
import { serve } from '../../local/standIns/server.ts'

/** A push service for the stack of the browser tests: it keeps the newest message to each subscription, for tests to fetch. */
export function startPushService() {
  const messages = new Map<string, Buffer>()
  return serve(async (request, response) => {
    const path = request.url!
    if (request.method === 'POST') {
      messages.set(path, await buffer(request))
      response.writeHead(201).end()
    } else response.writeHead(messages.has(path) ? 200 : 404).end(messages.get(path))
  })
}
