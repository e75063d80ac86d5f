import getPort from 'get-port'

/** Below the range that the system uses for outgoing connections, which could take a port before its server listens. */
const firstPort = 20_000
const portCount = 12_000

/** At random, since several processes look for ports at the same time. */
function* candidates(): Generator<number> {
  for (;;) yield firstPort + Math.floor(Math.random() * portCount)
}

export const freePort = (): Promise<number> => getPort({ port: candidates(), host: '127.0.0.1' })

export const isPortFree = async (port: number): Promise<boolean> =>
  (await getPort({ port, host: '127.0.0.1' })) === port
