import { queryOptions } from '@tanstack/react-query'
import { RpcClient } from '#chain/rpcClient.ts'
import { formatUsdc } from '#domain/money.ts'
import type { PublicConfig } from '#schemas/account.ts'
import { api } from '../lib/api.ts'
import { chainConfig } from '../lib/chainConfig.ts'
import type { Chain } from '../lib/networks.ts'

const pollMs = 10_000 // 10 seconds
const minuteMs = 60_000

type Account = { address: string; chain: Chain; accessToken: string | null }

/** `clockAheadMinutes`: how far this device's clock is ahead of the server's, rounded; 0 if only a public node replied. */
export type KeptBalance = { balance: string; clockAheadMinutes: number }

/** The USDC of a kept account, decimal: from our server, or else from a public node, which also serves without a link. */
export const keptBalanceQuery = ({ address, chain, accessToken }: Account, config: PublicConfig) =>
  queryOptions({
    queryKey: ['kept-balance', chain, address],
    queryFn: async ({ signal }): Promise<KeptBalance> => {
      const ours =
        accessToken &&
        (await api('GET /escrow/kept-balance/:accessToken', { public: true, params: { accessToken }, signal }).catch(
          () => null,
        ))
      if (!ours) return { balance: await balanceAt(config, chain, address), clockAheadMinutes: 0 }
      return { balance: ours.balance, clockAheadMinutes: Math.round((Date.now() - ours.now) / minuteMs) }
    },
    refetchInterval: pollMs,
  })

/** `balanceOf(address)` of USDC, asked of a public node. */
async function balanceAt(config: PublicConfig, chain: Chain, address: string): Promise<string> {
  const { rpcUrl, contracts } = chainConfig(config, chain)
  const data = `0x70a08231${address.slice(2).toLowerCase().padStart(64, '0')}`
  const result = await new RpcClient(rpcUrl).request('eth_call', [{ to: contracts.usdc, data }, 'latest'])
  if (typeof result !== 'string' || !/^0x[0-9a-f]{64}$/i.test(result)) throw new Error('not a balance')
  return formatUsdc(BigInt(result))
}
