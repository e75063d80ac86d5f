import type { ChainId } from '#domain/networks.ts'
import type { Settings } from '../settings.ts'
import { parseContractSets } from './contractSets.ts'
import type { Address, ContractSets } from './types.ts'

/** Settings that exist once per network (settings.ts). */

export type RpcSettings = Pick<Settings, `RPC_URLS_${ChainId}`>
export type ContractSettings = Pick<Settings, `CONTRACTS_${ChainId}`>

/** One or two URLs; see `Settings`. */
export const rpcUrls = (settings: RpcSettings, chainId: ChainId): string[] =>
  settings[`RPC_URLS_${chainId}`]
    .split(',')
    .map((url) => url.trim())
    .filter(Boolean)

/** Throws if the setting is malformed. Readiness reports the problem in words. */
export function contractSetsOf(settings: ContractSettings, chainId: ChainId): ContractSets {
  const parsed = parseContractSets(settings[`CONTRACTS_${chainId}`])
  if (typeof parsed === 'string') throw new Error(`CONTRACTS_${chainId} ${parsed}`)
  return parsed
}

/** The network that smart wallets are deployed on, and the only one whose money counts. */
export const primaryChain = (settings: Pick<Settings, 'PRIMARY_CHAIN'>): ChainId =>
  settings.PRIMARY_CHAIN === '84532' ? 84532 : 8453

/** False for a network whose setting is `{}`: nothing was deployed there, and nothing can be paid on it. */
export const isInUse = (settings: ContractSettings, chainId: ChainId): boolean =>
  Object.keys(contractSetsOf(settings, chainId).sets).length > 0

type ScreeningSettings = Pick<Settings, `SANCTIONS_ORACLE_${ChainId}`>

/** The contract that recipients are screened with; null if they are not. */
export const sanctionsOracle = (settings: ScreeningSettings, chainId: ChainId): Address | null =>
  (settings[`SANCTIONS_ORACLE_${chainId}`] || null) as Address | null

/** An RPC URL for browsers, without a key. */
export const publicRpcUrl = (settings: Pick<Settings, `PUBLIC_RPC_URL_${ChainId}`>, chainId: ChainId): string =>
  settings[`PUBLIC_RPC_URL_${chainId}`]

type ExplorerSettings = Pick<Settings, `EXPLORER_URL_${ChainId}`>

export const explorerUrl = (settings: ExplorerSettings, chainId: ChainId): string => settings[`EXPLORER_URL_${chainId}`]

/** Null if there is no transaction hash. */
export const transactionUrl = (settings: ExplorerSettings, chainId: ChainId, hash: string | null): string | null =>
  hash === null ? null : `${explorerUrl(settings, chainId)}/tx/${hash}`
