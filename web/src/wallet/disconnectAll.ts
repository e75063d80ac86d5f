import type { Config } from 'wagmi'
import { disconnect, getConnections } from 'wagmi/actions'

/** Disconnects every wallet. Otherwise wagmi would switch to another connected one. */
export async function disconnectAll(config: Config): Promise<void> {
  for (const { connector } of getConnections(config)) await disconnect(config, { connector })
}
