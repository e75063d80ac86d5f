import { createMiddleware } from 'hono/factory'
import { secureHeaders } from 'hono/secure-headers'
import type { AppEnv } from '../appEnv.ts'

/** Security headers of every response. Values that a route has set itself are kept. */
export const securityHeaders = secureHeaders({
  overwrite: false,
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    frameAncestors: ["'none'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
  },
  strictTransportSecurity: 'max-age=31536000; includeSubDomains',
  xFrameOptions: 'DENY',
  // These have no effect on JSON and on pages without script.
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
  removePoweredBy: false,
})

/** Responses are private and uncached unless a route says otherwise. */
export const cacheHeaders = createMiddleware<AppEnv>(async (c, next) => {
  await next()
  const { headers } = c.res
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
  headers.append('vary', 'Authorization')
})
