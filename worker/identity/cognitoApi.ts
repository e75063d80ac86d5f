import { createHmac } from 'node:crypto'
import type { Env } from '../env.ts'
import { AppError } from '../errors.ts'
import { signAws } from './sigv4.ts'

const timeoutMs = 5_000 // 5 seconds

/** What Cognito refuses by name, for example `NotAuthorizedException`; callers say what it means to people. */
export class CognitoRefusal extends Error {
  override name = 'CognitoRefusal'
  readonly type: string
  constructor(type: string, message: string) {
    super(message)
    this.type = type
  }
}

/** The user pool of COGNITO_*, as the calls we need. */
export function cognitoApi(env: Env, now: () => number) {
  const { COGNITO_REGION: region, COGNITO_USER_POOL_ID: pool, COGNITO_CLIENT_ID: client } = env
  const { COGNITO_ACCESS_KEY_ID: accessKeyId, COGNITO_SECRET_ACCESS_KEY: secretAccessKey } = env
  if (!region || !pool || !client || !accessKeyId || !secretAccessKey)
    throw new Error('IDENTITY_DIRECTORY is cognito, but COGNITO_* is not complete')
  const url = env.COGNITO_ENDPOINT ?? `https://cognito-idp.${region}.amazonaws.com/`
  const headersOf = (action: string) => ({
    'content-type': 'application/x-amz-json-1.1',
    'x-amz-target': `AWSCognitoIdentityProviderService.${action}`,
  })

  async function send<Answer>(headers: Record<string, string>, body: string): Promise<Answer> {
    let response: Response
    let text: string
    try {
      response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(timeoutMs) })
      text = await response.text()
    } catch (cause) {
      throw unreachable(cause)
    }
    if (response.ok) return JSON.parse(text || '{}') as Answer
    const refusal = refusalIn(text)
    if (!refusal || response.status >= 500 || notOurs.has(refusal.type))
      throw unreachable(new Error(`Cognito answered ${response.status}: ${text}`))
    if (tooMany.has(refusal.type))
      throw new AppError('rate_limited', 'Too many attempts. Try again in 15 minutes.', {
        cause: refusal,
        retryAfter: 15 * 60,
      })
    throw refusal
  }

  return {
    /** A call that anyone may make who knows the client id. */
    asClient<Answer>(action: string, body: Record<string, unknown>): Promise<Answer> {
      return send(headersOf(action), JSON.stringify({ ClientId: client, ...body }))
    },

    /** A call of our own, signed with the configured keys. */
    asAdmin<Answer>(action: string, body: Record<string, unknown>): Promise<Answer> {
      const text = JSON.stringify({ UserPoolId: pool, ...body })
      const credentials = { accessKeyId, secretAccessKey }
      const headers = headersOf(action)
      const request = { method: 'POST', url, headers, body: text, region, service: 'cognito-idp', credentials }
      return send(signAws({ ...request, now: now() }), text)
    },

    /** A call with the access token of whoever just signed in. */
    asUser<Answer>(action: string, accessToken: string): Promise<Answer> {
      return send(headersOf(action), JSON.stringify({ AccessToken: accessToken }))
    },

    /** For app clients that have a secret; nothing for others. */
    secretHash(email: string): string | undefined {
      if (!env.COGNITO_CLIENT_SECRET) return undefined
      return createHmac('sha256', env.COGNITO_CLIENT_SECRET).update(`${email}${client}`).digest('base64')
    },
  }
}

const tooMany = new Set([
  'LimitExceededException',
  'TooManyRequestsException',
  'TooManyFailedAttemptsException',
  'ThrottlingException',
])

/** A pool, client or key that is not as configured: nothing the person can do about. */
const notOurs = new Set([
  'AccessDeniedException',
  'IncompleteSignatureException',
  'InvalidSignatureException',
  'ResourceNotFoundException',
  'UnrecognizedClientException',
])

const unreachable = (cause: unknown) =>
  new AppError('upstream_unavailable', 'The sign-in service cannot be reached. Please try again.', { cause })

/** `__type` may carry a namespace in front: `com.amazonaws…#NotAuthorizedException`. */
function refusalIn(text: string): CognitoRefusal | null {
  try {
    const { __type, message } = JSON.parse(text) as { __type?: unknown; message?: unknown }
    if (typeof __type !== 'string') return null
    return new CognitoRefusal(__type.split('#').at(-1) ?? '', String(message ?? ''))
  } catch {
    return null
  }
}
