import { Hono } from 'hono'
import type { AppEnv } from '../appEnv.ts'
import { addressLimit, callerAddress, rateLimit } from '../middleware/rateLimit.ts'
import { success } from '../result.ts'
import { checkHealth, checkReady, publicConfig } from '../services/deployment.ts'
import { readinessChecks } from '../services/quotas.ts'

/** /api/health, /api/ready and /api/config: public. Only operators can see why a server is not ready. */
export const meta = new Hono<AppEnv>()
  .get('/ready', async (c) => {
    await rateLimit(c, readinessChecks, callerAddress(c))
    return c.json(success(await checkReady(c.var.deps)))
  })
  .get('/health', addressLimit('health'), async (c) => c.json(success(await checkHealth(c.var.deps))))
  .get('/config', (c) => c.json(success(publicConfig(c.env))))
