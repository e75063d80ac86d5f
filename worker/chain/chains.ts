import type { ChainId } from '#domain/networks.ts'
import { type ContractSettings, contractSetsOf, type RpcSettings, rpcUrls } from './networkSettings.ts'
import { RpcChain } from './rpcChain.ts'
import type { Chain } from './types.ts'

/** The chains of this environment. No requests are made until first use. Must not be shared across requests. */
export function chainsFrom(settings: RpcSettings & ContractSettings): Record<ChainId, Chain> {
  const chain = (chainId: ChainId) =>
    new RpcChain(chainId, contractSetsOf(settings, chainId), rpcUrls(settings, chainId))
  return { 8453: chain(8453), 84532: chain(84532) }
}
