import { relayerShards } from '../../local/stack/chains.ts'
import { contractSetting } from '../../worker/chain/contractSets.ts'
import type { ContractSets } from '../../worker/chain/types.ts'

/** Identifiers that the Worker and the stand-ins share. */
export const twilioAccount = `AC${'0'.repeat(32)}`
export const accessAudience = 'local-production'

/** The Worker's variables, under the same rules as in production; only the addresses are local. */
export const localProductionVariables = (urls: {
  worker: string
  chain: string
  inbox: string
  access: string
  contractSets: ContractSets
}): Record<string, string> => ({
  ENVIRONMENT: 'production',
  API_ORIGIN: urls.worker,
  APP_ORIGIN: urls.worker,
  PUBLIC_RPC_URL_8453: urls.chain,
  RPC_URLS_8453: urls.chain,
  CONTRACTS_8453: contractSetting(urls.contractSets),
  CONTRACTS_84532: '{}',
  CONFIRM_DEPTH: '2',
  RELAYER_SHARDS: String(relayerShards),
  SIGN_UP: 'passcode',
  EMAIL_PROVIDER: 'resend',
  EMAIL_ENDPOINT: urls.inbox,
  MAIL_FROM: 'bursar@bursar.test',
  SMS_COUNTRIES: 'US,DE,GB',
  SMS_ENDPOINT: urls.inbox,
  TWILIO_ACCOUNT_SID: twilioAccount,
  TWILIO_FROM: '+15005550006',
  ACCESS_TEAM_ORIGIN: urls.access,
  ACCESS_AUDIENCE: accessAudience,
})
