import { useMutation } from '@tanstack/react-query'
import { type Config, type CreateConnectorFn, createConfig, createStorage, http, useConfig } from 'wagmi'
import { disconnect, getConnections, reconnect } from 'wagmi/actions'
import { coinbaseWallet } from 'wagmi/connectors/coinbaseWallet'
import { injected } from 'wagmi/connectors/injected'
import { walletConnect } from 'wagmi/connectors/walletConnect'
import type { PublicConfig } from '#schemas/account.ts'
import { appName } from '../lib/app.ts'
import { chainIdOf, networkName } from '../lib/networks.ts'
import { browserStorage } from '../lib/storage.ts'
import { onForget } from './walletStorage.ts'

export const chainIds = [chainIdOf('base'), chainIdOf('base-sepolia')] as const
export type ChainId = (typeof chainIds)[number]
export const chainNames: Record<ChainId, string> = { 8453: networkName('base'), 84532: networkName('base-sepolia') }

export const isSupported = (chainId: number | undefined): chainId is ChainId => chainIds.some((id) => id === chainId)

/** Disconnects every wallet. Otherwise wagmi would switch to another connected one. */
async function disconnectAll(config: Config): Promise<void> {
  for (const { connector } of getConnections(config)) await disconnect(config, { connector })
}

/** The name that wallets show for this site. */
const siteName = `${appName} agent payments`
const blockTimeMs = 2_000 // 2 seconds
/** viem doubles the delay from one attempt to the next. */
const transport = { timeout: 10_000, retryCount: 3, retryDelay: 150, batch: { batchSize: 1_000 } }

let config: Config | null = null

/**
 * This page's wagmi configuration. The first call reconnects wallets that still authorize us, the most recent one first.
 */
export function walletConfig(deployment: PublicConfig): Config {
  if (config) return config
  const made = makeConfig(deployment)
  config = made
  onForget(() => disconnectAll(made))
  void restore(made)
  return made
}

function makeConfig({ chains, walletConnectProjectId }: PublicConfig): Config {
  const chain = (id: ChainId) => ({
    id,
    name: chainNames[id],
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    blockTime: blockTimeMs,
    rpcUrls: { default: { http: [chains[id].rpcUrl] } },
    blockExplorers: { default: { name: 'Explorer', url: chains[id].explorerUrl } },
    testnet: id === 84532,
  })
  const connectors: CreateConnectorFn[] = [
    injected(),
    coinbaseWallet({ appName: siteName, preference: { options: 'eoaOnly' } }),
  ]
  if (walletConnectProjectId) connectors.push(walletConnectBy(walletConnectProjectId))
  return createConfig({
    chains: [chain(8453), chain(84532)],
    connectors,
    storage: createStorage({
      storage: { getItem: browserStorage.get, setItem: browserStorage.set, removeItem: browserStorage.remove },
    }),
    transports: { 8453: http(chains[8453].rpcUrl, transport), 84532: http(chains[84532].rpcUrl, transport) },
  })
}

function walletConnectBy(projectId: string): CreateConnectorFn {
  quietRelay()
  const { origin } = location
  const create = walletConnect({
    projectId,
    showQrModal: false,
    telemetryEnabled: false,
    metadata: { name: siteName, description: 'Budgets in USDC for AI agents', url: origin, icons: [] },
  })
  return (parameters) => {
    // Its setup would load the SDK and connect to the relay on every page; connecting a wallet does both on demand.
    const { setup: _, ...connector } = create(parameters)
    return connector
  }
}

/** Suppresses a message that the relay's client logs whenever the machine wakes up. The client reconnects by itself. */
function quietRelay(): void {
  const { error } = console
  console.error = (...parts: unknown[]) => {
    const text = parts.map((part) => (part instanceof Error ? part.message : part)).join(' ')
    if (!text.includes('Connection interrupted')) error(...parts)
  }
}

/** Reconnects browser wallets, which respond immediately. Loads another wallet's SDK only if that wallet was used last. */
async function restore(wallets: Config): Promise<void> {
  const recent = await wallets.storage?.getItem('recentConnectorId')
  const candidates = wallets.connectors.filter(({ id, type }) => type === injected.type || id === recent)
  await reconnect(wallets, { connectors: candidates })
}

export function useDisconnectAll() {
  const config = useConfig()
  return useMutation({ retry: false, mutationFn: () => disconnectAll(config) })
}
