import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../appEnv.ts'
import { AppError } from '../errors.ts'
import type { Settings } from '../settings.ts'

/**
 * Serves only the configured origin. The Pages project forwards requests for all its addresses, among them those of old
 * deployments, which lack newer checks and to which neither Cloudflare Access nor the zone's firewall applies.
 */
export const requireOwnHost = createMiddleware<AppEnv>(async (c, next) => {
  const { host, pathname, search } = new URL(c.req.url)
  if (isOwnHost(c.env, host)) return next()
  const { API_ORIGIN } = c.env
  if (['GET', 'HEAD'].includes(c.req.method) && isPage(pathname))
    return c.redirect(`${API_ORIGIN}${pathname}${search}`, 308)
  throw new AppError('misdirected_request', `Bursar is not at this address. It is at ${API_ORIGIN}.`)
})

/** A local stack also answers to 127.0.0.1. */
function isOwnHost({ ENVIRONMENT, API_ORIGIN, APP_ORIGIN }: Settings, host: string): boolean {
  const asked = ENVIRONMENT === 'local' ? host.replace(/^127\.0\.0\.1(?=:|$)/, 'localhost') : host
  // A malformed setting is reported by /api/ready.
  return [API_ORIGIN, APP_ORIGIN].some((origin) => URL.parse(origin)?.host === asked)
}

const isPage = (path: string) => /^\/(docs|oauth\/authorize|dev\/.*)$/.test(path)
