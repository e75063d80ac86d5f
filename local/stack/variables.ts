import { contractSetting } from '../../worker/chain/contractSets.ts'
import type { ChainId, ContractSets } from '../../worker/chain/types.ts'
import { relayerShards } from './chains.ts'

/** The Worker's variables on this machine; worker/settings.ts describes them. */
export const localVariables = (
  url: string,
  rpc: Record<ChainId, string>,
  contractSets: Record<ChainId, ContractSets>,
): Record<string, string> => ({
  ENVIRONMENT: 'local',
  API_ORIGIN: url,
  APP_ORIGIN: url,
  BETA_ACCESS_URL: `${url}/dev/beta`,
  EXPLORER_URL_8453: `${url}/dev`,
  EXPLORER_URL_84532: `${url}/dev`,
  PUBLIC_RPC_URL_8453: `${url}/dev/rpc/8453`,
  PUBLIC_RPC_URL_84532: `${url}/dev/rpc/84532`,
  RPC_URLS_8453: rpc[8453],
  RPC_URLS_84532: rpc[84532],
  CONTRACTS_8453: contractSetting(contractSets[8453]),
  CONTRACTS_84532: contractSetting(contractSets[84532]),
  CONFIRM_DEPTH: '1',
  // Tests move the chains' time.
  MAX_CLOCK_SKEW_SECONDS: '',
  RELAYER_SHARDS: String(relayerShards),
  SMS_COUNTRIES: '*',
})
