import type { Context } from 'hono'
import type { AppEnv } from '../appEnv.ts'
import { AppError, statusOf } from '../errors.ts'
import { OAuthRefusal } from '../services/oauthClient.ts'

/** RFC 6749 section 5.2. Beyond its codes: `temporarily_unavailable` for limits and faults, from section 4.1.2.1. */
export function asOAuthError(error: Error, c: Context<AppEnv>): Response {
  c.header('pragma', 'no-cache')
  if (error instanceof OAuthRefusal) {
    const status = error.code === 'invalid_client' ? 401 : 400
    if (status === 401 && c.req.header('authorization'))
      c.header('WWW-Authenticate', 'Basic realm="Bursar", charset="UTF-8"')
    return c.json({ error: error.code, error_description: error.message }, status)
  }
  const known = error instanceof AppError ? error : new AppError('internal', 'Something went wrong.', { cause: error })
  const status = statusOf[known.code]
  if (status >= 500) console.error(known.code, known.cause ?? known)
  if (known.retryAfter) c.header('Retry-After', String(known.retryAfter))
  const code =
    status === 429 || status === 503 ? 'temporarily_unavailable' : status >= 500 ? 'server_error' : 'invalid_request'
  return c.json({ error: code, error_description: known.message }, status as 400)
}
