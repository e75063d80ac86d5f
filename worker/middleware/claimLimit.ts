import { createMiddleware } from 'hono/factory'
import { limitsFrom } from '#domain/limits.ts'
import type { AppEnv } from '../appEnv.ts'
import { claimQuota } from '../services/quotas.ts'
import { callerAddress } from './callerAddress.ts'
import { rateLimit } from './rateLimit.ts'

/** Limits public calls about payouts per network address. `tries` are calls that try a code or request a new one. */
export const claimLimit = (kind: 'reads' | 'tries') =>
  createMiddleware<AppEnv>(async (c, next) => {
    const { claimReadsPerMinute, claimTriesPerMinute } = limitsFrom(c.env)
    const perMinute = kind === 'reads' ? claimReadsPerMinute : claimTriesPerMinute
    rateLimit(c, claimQuota(`claim-${kind}`, perMinute), callerAddress(c))
    await next()
  })
