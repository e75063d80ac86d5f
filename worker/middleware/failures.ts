import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { routePath } from 'hono/route'
import type { Problem } from '#schemas/payment.ts'
import type { AppEnv } from '../appEnv.ts'
import { AppError, OAuthError, statusOf } from '../errors.ts'
import { toAppError } from '../failure.ts'
import { logError } from '../observability/log.ts'

/** Turns any thrown error into a response. The path decides its format; logging and Retry-After are the same for all. */
export function onFailure(thrown: Error, c: Context<AppEnv>): Response | Promise<Response> {
  const error = appErrorOf(thrown)
  // A stop or a restore by the operator is not a server error.
  if (statusOf[error.code] >= 500 && error.code !== 'payments_paused' && error.code !== 'account_restoring')
    logError(
      'request_failed',
      { code: error.code, method: c.req.method, route: routePath(c, -1) },
      error.cause ?? error,
    )
  if (error.retryAfter) c.header('Retry-After', String(error.retryAfter))
  return rendererOf(c.req.path)(error, c)
}

export const onNotFound = (c: Context<AppEnv>) => onFailure(new AppError('not_found', 'Not found.'), c)

export const onMethodNotAllowed = (c: Context<AppEnv>, methods: string[]) => {
  c.header('Allow', methods.join(', '))
  return onFailure(new AppError('method_not_allowed', 'Method not allowed; see the Allow header.'), c)
}

function appErrorOf(thrown: Error): AppError {
  // Hono throws this for a body that is not JSON.
  const isNotJson = thrown instanceof HTTPException && thrown.status === 400
  return isNotJson ? new AppError('invalid_input', 'The request body is not valid JSON.') : toAppError(thrown)
}

type Renderer = (error: AppError, c: Context<AppEnv>) => Response | Promise<Response>

function rendererOf(path: string): Renderer {
  if (path === '/mcp') return renderJsonRpc
  if (path.startsWith('/oauth/')) return renderOAuth
  return path.startsWith('/v1') ? renderProblem : renderEnvelope
}

/** /api and /ops: the failure envelope. */
const renderEnvelope: Renderer = ({ code, message, field, causes, existing }, c) =>
  c.json(
    {
      success: false as const,
      error: message,
      code,
      ...(field && { field }),
      ...(causes && { causes }),
      ...(existing && { existing }),
    },
    statusOf[code],
  )

/** /v1: RFC 9457, with the figures of the refusing rule. */
const renderProblem: Renderer = ({ code, message, field, refusal }, c) => {
  const { id: paymentId, ...figures } = refusal ?? {}
  const problem: Problem = {
    type: `${c.env.API_ORIGIN}/docs#error-${code}`,
    title: code.replaceAll('_', ' ').replace(/^./, (letter) => letter.toUpperCase()),
    status: statusOf[code],
    detail: message,
    instance: c.req.path,
    code,
    request_id: c.get('requestId'),
    ...figures,
    ...(paymentId && { payment_id: paymentId }),
    ...(field && !refusal && { errors: [{ pointer: `/${field.replaceAll('.', '/')}`, detail: message }] }),
  }
  return c.newResponse(JSON.stringify(problem), statusOf[code], { 'content-type': 'application/problem+json' })
}

/** /mcp: a refusal before there is a message to respond to. Uses -32000, with our code in `data`. */
const renderJsonRpc: Renderer = ({ code, message }, c) => {
  const data = { code, request_id: c.get('requestId') }
  return c.json({ jsonrpc: '2.0', id: null, error: { code: -32000, message, data } }, statusOf[code])
}

/** /oauth: RFC 6749 section 5.2, plus `temporarily_unavailable` and `server_error` of section 4.1.2.1. */
const renderOAuth: Renderer = (error, c) => {
  c.header('pragma', 'no-cache')
  const status = statusOf[error.code]
  if (status === 401 && c.req.header('authorization'))
    c.header('WWW-Authenticate', 'Basic realm="Bursar", charset="UTF-8"')
  return c.json({ error: oauthCodeOf(error), error_description: error.message }, status)
}

function oauthCodeOf(error: AppError): string {
  if (error instanceof OAuthError) return error.oauthCode
  const status = statusOf[error.code]
  if (status === 429 || status === 503) return 'temporarily_unavailable'
  return status >= 500 ? 'server_error' : 'invalid_request'
}
