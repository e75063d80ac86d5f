import { sql } from 'drizzle-orm'
import { type ChainId, chainNameOf } from '#domain/networks.ts'
import { signUpModeOf } from '#domain/signUpMode.ts'
import type { PublicConfig } from '#schemas/account.ts'
import type { Deps } from '../appEnv.ts'
import { contractSetsOf, explorerUrl, primaryChain, publicRpcUrl } from '../chain/networkSettings.ts'
import type { Contracts } from '../chain/types.ts'
import type { Env } from '../env.ts'
import { AppError } from '../errors.ts'
import { smsCountries } from '../notifications/smsCountries.ts'
import { onrampFrom } from '../onramp/onramp.ts'
import { readinessProblems } from '../readiness/readiness.ts'

/** Throws `unavailable` if the database does not respond. */
export async function checkHealth({ db }: Deps): Promise<{ status: 'ok' }> {
  await db.run(sql`SELECT 1`).catch((cause) => {
    throw new AppError('unavailable', 'The database is not responding.', { cause })
  })
  return { status: 'ok' }
}

/** Throws `unavailable` if this deployment cannot serve payments. Only operators can see the cause. */
export async function checkReady(deps: Deps): Promise<{ status: 'ready' }> {
  const problems = await readinessProblems(deps)
  if (problems.length === 0) return { status: 'ready' }
  const isOperator = deps.env.ENVIRONMENT === 'local'
  throw new AppError('unavailable', 'This server is not ready.', {
    cause: problems.join('; '),
    ...(isOperator && { causes: problems }),
  })
}

/** Public configuration of this deployment, for browsers. */
export function publicConfig(env: Env): PublicConfig {
  const chain = (chainId: ChainId) => {
    const { newest, sets } = contractSetsOf(env, chainId)
    return {
      explorerUrl: explorerUrl(env, chainId),
      rpcUrl: publicRpcUrl(env, chainId),
      contracts: sets[newest] ?? ({} as Contracts),
      contractSets: sets,
    }
  }
  return {
    environment: env.ENVIRONMENT,
    betaAccessUrl: env.BETA_ACCESS_URL || null,
    signUp: signUpModeOf(env),
    walletConnectProjectId: env.WALLETCONNECT_PROJECT_ID || null,
    onramp: onrampFrom(env, Date.now) !== null,
    sms: smsCountries(env.SMS_COUNTRIES) !== 'none',
    passkeyDomain: env.PASSKEY_DOMAIN || null,
    primaryChain: chainNameOf(primaryChain(env)),
    chains: { 8453: chain(8453), 84532: chain(84532) },
  }
}
