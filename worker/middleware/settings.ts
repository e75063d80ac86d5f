import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../appEnv.ts'
import { refuseMisconfigured } from '../readiness/refuseWork.ts'

/** Paths that a Worker with a missing or malformed secret still serves, because they tell operators what is wrong. */
const exempt = new Set(['/api/ready', '/ops/api/ready'])

export const requireSettings = createMiddleware<AppEnv>(async (c, next) => {
  if (!exempt.has(c.req.path)) refuseMisconfigured(c.env)
  await next()
})
