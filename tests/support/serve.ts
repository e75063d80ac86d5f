import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Starts a server on a free port of the loopback interface. `stop` also closes its connections. */
export async function serve(handle: RequestListener) {
  const server = createServer(handle)
  // Longer than workerd keeps an idle connection. If this side closed it, a request could arrive at that moment.
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
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
