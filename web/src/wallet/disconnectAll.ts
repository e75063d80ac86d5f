import type { Config } from 'wagmi'
import { disconnect, getConnections } from 'wagmi/actions'

/** Disconnects every wallet, so that no other one takes the place of the one that was shown. */
export async function disconnectAll(config: Config): Promise<void> {
  for (const { connector } of getConnections(config)) await disconnect(config, { connector })
}
