import { createHmac } from 'node:crypto'
import type { Env } from '../env.ts'
import { AppError } from '../errors.ts'
import { signAws } from './sigv4.ts'

const timeoutMs = 5_000 // 5 seconds

/** A refusal by Cognito with its type, for example `NotAuthorizedException`. Callers translate it for people. */
export class CognitoRefusal extends Error {
  override name = 'CognitoRefusal'
  readonly type: string
  constructor(type: string, message: string) {
    super(message)
    this.type = type
  }
}

/** Calls to the user pool of COGNITO_*. Throws if the settings are incomplete. */
export function cognitoApi(env: Env, now: () => number) {
  const { COGNITO_REGION: region, COGNITO_USER_POOL_ID: pool, COGNITO_CLIENT_ID: client } = env
  const { COGNITO_ACCESS_KEY_ID: accessKeyId, COGNITO_SECRET_ACCESS_KEY: secretAccessKey } = env
  if (!region || !pool || !client || !accessKeyId || !secretAccessKey)
    throw new Error('IDENTITY_DIRECTORY is cognito, but COGNITO_* is incomplete')
  const url = env.COGNITO_ENDPOINT ?? `https://cognito-idp.${region}.amazonaws.com/`
  const headersOf = (action: string) => ({
    'content-type': 'application/x-amz-json-1.1',
    'x-amz-target': `AWSCognitoIdentityProviderService.${action}`,
  })

  async function send<Reply>(headers: HeadersInit, body: string): Promise<Reply> {
    let response: Response
    let text: string
    try {
      response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(timeoutMs) })
      text = await response.text()
    } catch (cause) {
      throw unreachable(cause)
    }
    if (response.ok) return JSON.parse(text || '{}') as Reply
    const refusal = refusalIn(text)
    if (!refusal || response.status >= 500 || misconfigured.has(refusal.type))
      throw unreachable(new Error(`Cognito returned ${response.status}: ${text}`))
    if (throttled.has(refusal.type))
      throw new AppError('rate_limited', 'Too many attempts. Try again in 15 minutes.', {
        cause: refusal,
        retryAfter: 15 * 60,
      })
    throw refusal
  }

  return {
    /** An unauthenticated call: it needs only the client id. */
    asClient<Reply>(action: string, body: Record<string, unknown>): Promise<Reply> {
      return send(headersOf(action), JSON.stringify({ ClientId: client, ...body }))
    },

    /** An administrative call, signed with the configured keys. */
    async asAdmin<Reply>(action: string, body: Record<string, unknown>): Promise<Reply> {
      const text = JSON.stringify({ UserPoolId: pool, ...body })
      const credentials = { accessKeyId, secretAccessKey }
      const headers = headersOf(action)
      const request = { method: 'POST', url, headers, body: text, region, service: 'cognito-idp', credentials }
      return send(await signAws({ ...request, now: now() }), text)
    },

    /** A call with the access token of the user who just signed in. */
    asUser<Reply>(action: string, accessToken: string): Promise<Reply> {
      return send(headersOf(action), JSON.stringify({ AccessToken: accessToken }))
    },

    /** Required if the app client has a secret; undefined, which JSON leaves out, otherwise. */
    secretHash(email: string): string | undefined {
      if (!env.COGNITO_CLIENT_SECRET) return undefined
      return createHmac('sha256', env.COGNITO_CLIENT_SECRET).update(`${email}${client}`).digest('base64')
    },
  }
}

const throttled = new Set([
  'LimitExceededException',
  'TooManyRequestsException',
  'TooManyFailedAttemptsException',
  'ThrottlingException',
])

/** The pool, client or key is misconfigured, which users can do nothing about. */
const misconfigured = new Set([
  'AccessDeniedException',
  'IncompleteSignatureException',
  'InvalidSignatureException',
  'ResourceNotFoundException',
  'UnrecognizedClientException',
])

const unreachable = (cause: unknown) =>
  new AppError('upstream_unavailable', 'The sign-in service is unreachable. Please try again.', { cause })

/** `__type` may have a namespace: `com.amazonaws…#NotAuthorizedException`. */
function refusalIn(text: string): CognitoRefusal | null {
  try {
    const { __type, message } = JSON.parse(text) as { __type?: unknown; message?: unknown }
    if (typeof __type !== 'string') return null
    return new CognitoRefusal(__type.split('#').at(-1) ?? '', String(message ?? ''))
  } catch {
    return null
  }
}
