import { sql } from 'drizzle-orm'
import { Hono } from 'hono'
import type { AppEnv } from '../appEnv.ts'
import type { Env } from '../env.ts'
import { AppError, ok } from '../errors.ts'
import { onrampFrom } from '../onramp/onramp.ts'
import type { PublicConfig } from '../schemas/account.ts'

/** /api/health and /api/config: public, the same for everyone. */
export const meta = new Hono<AppEnv>()
  .get('/health', async (c) => {
    await c.var.deps.db.run(sql`SELECT 1`).catch((cause) => {
      throw new AppError('unavailable', 'The database does not answer.', { cause })
    })
    return c.json(ok({ status: 'ok' as const }))
  })
  .get('/config', (c) => c.json(ok(publicConfig(c.env))))

function publicConfig(env: Env): PublicConfig {
  const chain = (explorerUrl: string, rpcUrl: string, contracts: string) => ({
    explorerUrl,
    rpcUrl,
    contracts: JSON.parse(contracts),
  })
  return {
    environment: env.ENVIRONMENT,
    betaAccessUrl: env.BETA_ACCESS_URL,
    walletConnectProjectId: env.WALLETCONNECT_PROJECT_ID || null,
    onramp: onrampFrom(env, Date.now) !== null,
    chains: {
      8453: chain(env.EXPLORER_URL_8453, env.PUBLIC_RPC_URL_8453, env.CONTRACTS_8453),
      84532: chain(env.EXPLORER_URL_84532, env.PUBLIC_RPC_URL_84532, env.CONTRACTS_84532),
    },
  }
}
