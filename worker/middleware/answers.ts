import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { HTTPException } from 'hono/http-exception'
import type { AppEnv } from '../appEnv.ts'
import { AppError, type ErrorCode, onError, statusOf } from '../errors.ts'
import type { Problem } from '../schemas/payment.ts'
import { asOAuthError } from './oauthErrors.ts'

/** Headers of every answer of the Worker. A route that wants another policy or caching sets its own first. */
export const answerHeaders = createMiddleware<AppEnv>(async (c, next) => {
  await next()
  const headers: Record<string, string> = {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    'referrer-policy': 'no-referrer',
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cross-origin-resource-policy': 'same-origin',
  }
  const own = c.res.headers
  for (const [name, value] of Object.entries(headers)) if (!own.has(name)) own.set(name, value)
  own.append('vary', 'Authorization')
})

/** The envelope under /api, RFC 9457 under /v1, JSON-RPC under /mcp, RFC 6749 under /oauth. */
export function onFailure(error: Error, c: Context<AppEnv>): Response {
  const known = error instanceof HTTPException ? fromHono(error) : error
  if (c.req.path === '/mcp') return asJsonRpc(known, c)
  if (c.req.path.startsWith('/oauth/')) return asOAuthError(known, c)
  return c.req.path.startsWith('/v1') ? asProblem(known, c) : onError(known, c)
}

export const onNotFound = (c: Context<AppEnv>) =>
  onFailure(new AppError('not_found', 'There is nothing at this address.'), c)

export const onMethodNotAllowed = (c: Context<AppEnv>, methods: string[]) => {
  c.header('Allow', methods.join(', '))
  return onFailure(new AppError('method_not_allowed', `This address takes ${methods.join(', ')} only.`), c)
}

/** application/problem+json; `extra` carries a rule's figures. */
export function problem(
  c: Context<AppEnv>,
  code: ErrorCode | string,
  status: number,
  detail: string,
  extra: Partial<Problem> = {},
) {
  const body: Problem = {
    type: `${c.env.API_ORIGIN}/docs#error-${code}`,
    title: code.replaceAll('_', ' ').replace(/^./, (letter) => letter.toUpperCase()),
    status,
    detail,
    instance: c.req.path,
    code,
    request_id: c.get('requestId'),
    ...extra,
  }
  return c.newResponse(JSON.stringify(body), status as 400, { 'content-type': 'application/problem+json' })
}

function asProblem(error: Error, c: Context<AppEnv>): Response {
  const known = error instanceof AppError ? error : new AppError('internal', 'Something went wrong.', { cause: error })
  const status = statusOf[known.code]
  if (status >= 500) console.error(known.code, known.cause ?? known)
  if (known.retryAfter) c.header('Retry-After', String(known.retryAfter))
  const { field, code, message } = known
  const errors = field ? { errors: [{ pointer: `/${field.replaceAll('.', '/')}`, detail: message }] } : {}
  return problem(c, code, status, message, errors)
}

/** What HTTP refuses before there is a message to answer: -32000, with our code in `data`. */
function asJsonRpc(error: Error, c: Context<AppEnv>): Response {
  const known = error instanceof AppError ? error : new AppError('internal', 'Something went wrong.', { cause: error })
  const status = statusOf[known.code]
  if (status >= 500) console.error(known.code, known.cause ?? known)
  if (known.retryAfter) c.header('Retry-After', String(known.retryAfter))
  const data = { code: known.code, request_id: c.get('requestId') }
  return c.json({ jsonrpc: '2.0', id: null, error: { code: -32000, message: known.message, data } }, status)
}

/** Hono's own refusals, such as a body that is no JSON. */
function fromHono(error: HTTPException): AppError {
  if (error.status === 400) return new AppError('invalid_input', 'The request body is not valid JSON.')
  return new AppError('internal', 'Something went wrong.', { cause: error })
}
