/** The Worker's variables, and a check that the Worker accepts them and the secrets. */

import { contractSetting } from '../../worker/chain/contractSets.ts'
import type { ContractSets } from '../../worker/chain/types.ts'
import type { ChainId } from '../../worker/domain/networks.ts'
import type { Env } from '../../worker/env.ts'
import { settingProblems } from '../../worker/readiness/settingProblems.ts'
import type { ProductionConfig } from '../config.ts'
import { LaunchError } from '../steps.ts'
import type { Secrets } from './secrets.ts'

/** Undefined removes wrangler.toml's public node: that name is a secret here, so it must not be a variable as well. */
export function productionVariables(
  config: ProductionConfig,
  chainId: ChainId,
  contractSets: ContractSets,
): Record<string, string | undefined> {
  const { origin, chain, relayer, email, sms, operators } = config
  return {
    ENVIRONMENT: 'production',
    API_ORIGIN: origin,
    APP_ORIGIN: origin,
    ...(config.betaAccessUrl && { BETA_ACCESS_URL: config.betaAccessUrl }),
    PRIMARY_CHAIN: String(chainId),
    [`EXPLORER_URL_${chainId}`]: chain.explorerUrl,
    [`PUBLIC_RPC_URL_${chainId}`]: chain.publicRpcUrl,
    [`RPC_URLS_${chainId}`]: undefined,
    CONTRACTS_8453: '{}',
    CONTRACTS_84532: '{}',
    [`CONTRACTS_${chainId}`]: contractSetting(contractSets),
    CONFIRM_DEPTH: String(chain.confirmDepth),
    RELAYER_SHARDS: String(relayer.shards),
    SIGN_UP: config.signUp,
    EMAIL_PROVIDER: email.provider,
    MAIL_FROM: email.from,
    ...(email.provider === 'ses' && { SES_REGION: email.region }),
    ...(email.provider === 'postmark' && email.stream && { POSTMARK_STREAM: email.stream }),
    ...(sms && {
      SMS_COUNTRIES: sms.countries.join(','),
      TWILIO_ACCOUNT_SID: sms.accountSid,
      TWILIO_FROM: sms.from,
    }),
    ACCESS_TEAM_ORIGIN: operators.accessTeamOrigin,
    ACCESS_AUDIENCE: operators.accessAudience,
    ...(config.alertEmail && { ALERT_EMAIL: config.alertEmail }),
    ...(config.walletConnectProjectId && { WALLETCONNECT_PROJECT_ID: config.walletConnectProjectId }),
    ...(config.limits && { LIMITS: JSON.stringify(config.limits) }),
  }
}

/** Throws LaunchError with the problems that the Worker would find at start. `workerConfig` is the JSON for wrangler. */
export function checkSettings(workerConfig: string, secrets: Secrets): void {
  const { vars, send_email = [] } = JSON.parse(workerConfig) as {
    vars: Record<string, string>
    send_email?: { name: string }[]
  }
  const bound = [
    ...['DB', 'BACKUP', 'TREASURY', 'CLAIM_DESK', 'RELAYER', 'WEBHOOK_SENDER'],
    ...send_email.map(({ name }) => name),
  ]
  const bindings = Object.fromEntries(bound.map((name) => [name, {}]))
  const problems = settingProblems({ ...vars, ...secrets, ...bindings } as unknown as Env)
  if (problems.length > 0) throw new LaunchError(problems.map(({ name, problem }) => `${name} ${problem}`).join('; '))
}
