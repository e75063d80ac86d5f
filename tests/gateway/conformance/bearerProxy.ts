/** A proxy that adds credentials, which the conformance suite cannot send, and changes nothing else. */
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export async function startBearerProxy(target: string, bearer: string) {
  const { origin, hostname, port, host } = new URL(target)
  const server = createServer((incoming, answer) => {
    const own = `http://localhost:${(server.address() as AddressInfo).port}`
    const headers = { ...incoming.headers, host, authorization: `Bearer ${bearer}` }
    // The target expects its own origin in place of the proxy's.
    if (headers.origin === own) headers.origin = origin
    const { method, url: path } = incoming
    const outgoing = request({ hostname, port, method, path, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      answer.flushHeaders()
      response.pipe(answer)
    })
    outgoing.on('error', () => answer.destroy())
    answer.on('close', () => outgoing.destroy())
    incoming.pipe(outgoing)
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
