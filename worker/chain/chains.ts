import type { Env } from '../env.ts'
import { RpcChain } from './rpcChain.ts'
import type { Chain, ChainId, Contracts } from './types.ts'

type ChainEnv = Pick<Env, 'RPC_URLS_8453' | 'RPC_URLS_84532' | 'CONTRACTS_8453' | 'CONTRACTS_84532'>

/** The chains of this environment. Cheap: nothing is asked before the first call. Not to be shared across requests. */
export function chainsFrom(env: ChainEnv): Record<ChainId, Chain> {
  return {
    8453: rpcChain(8453, env.RPC_URLS_8453, env.CONTRACTS_8453),
    84532: rpcChain(84532, env.RPC_URLS_84532, env.CONTRACTS_84532),
  }
}

function rpcChain(chainId: ChainId, urls: string, contracts: string): Chain {
  const list = urls.split(',').map((url) => url.trim())
  return new RpcChain(chainId, JSON.parse(contracts) as Contracts, list.filter(Boolean))
}
