import { createHash } from 'node:crypto'
import { decodeJwt } from 'jose'
import { dayMs } from '#domain/time.ts'
import type { Deps } from '../appEnv.ts'
import { requestOfDevice } from '../db/connections.ts'
import { AppError, OAuthError } from '../errors.ts'
import { connectionOfToken, mintConnectionToken, nextRefreshToken } from '../identity/credentials.ts'
import { objectOfToken } from '../identity/objectTokens.ts'
import { newSecret, sha256 } from '../identity/secrets.ts'
import { accessTokenMs, signAgentToken, verifyAgentToken } from '../identity/tokens.ts'
import type { Result } from '../result.ts'
import type { Assertion, CodeProof, Granted } from '../treasury/account/connections/rpcTypes.ts'
import { treasuryOf } from '../treasuryOf.ts'
import { verifyAssertion } from './appAssertions.ts'
import { appDocument } from './appDocuments.ts'
import { AppUnreachable, AppUnusable } from './appFiles.ts'
import { pollSeconds } from './devices.ts'
import {
  type appGrants,
  deviceGrant,
  type OAuthRequest,
  principalOf,
  refuseRepeats,
  resourceOf,
  resources,
  type TokenReply,
} from './oauth.ts'
import { commandLine, isDocument } from './oauthClients.ts'
import { consumeQuota, devicePolls, tokenRequests, wrongCredentials } from './quotas.ts'

/** A connection that is not used for this long ends. Each refresh token is valid for as long. */
const refreshTokenMs = 60 * dayMs

/** Without `refresh_token` if a spent one was used, which the app keeps. */
export type AppTokenReply = TokenReply & { refresh_token?: string }

/**
 * The grants of apps that a person has connected. They have no secret: a code is bound to the app by PKCE. Those with a website
 * may authenticate with their keys.
 */
export async function issueAppToken(deps: Deps, request: OAuthRequest): Promise<AppTokenReply> {
  const { form } = request
  refuseRepeats(form)
  const call = { clientId: clientIdOf(request), resource: resourceOf(form.getAll('resource'), deps.env.API_ORIGIN) }
  switch (form.get('grant_type') as (typeof appGrants)[number]) {
    case 'authorization_code':
      return exchangeCode(deps, request, call)
    case 'refresh_token':
      return renew(deps, request, call)
    case deviceGrant:
      return collect(deps, request, call)
  }
}

type Call = { clientId: string; resource: string | null }

/** Also from a Basic header, in which some clients send their id with an empty secret, or from an assertion (RFC 7521). */
function clientIdOf({ form, authorization }: OAuthRequest): string {
  const clientId = form.get('client_id') || basicOf(authorization)?.name || subjectOf(form.get('client_assertion'))
  if (!clientId) throw new OAuthError('invalid_client', 'Missing client_id.')
  return clientId
}

function basicOf(authorization: string | undefined): { name: string; secret: string } | null {
  const basic = /^Basic +([A-Za-z0-9+/=_-]{1,2048})$/i.exec(authorization ?? '')?.[1]
  if (basic === undefined) return null
  const [name = '', secret = ''] = Buffer.from(basic, 'base64').toString('utf8').split(':')
  try {
    return { name: decodeURIComponent(name.replace(/%(?![\da-f]{2})/gi, '%25')), secret }
  } catch {
    throw new OAuthError('invalid_client', 'The Authorization header is not valid.')
  }
}

/** Whether the caller has a secret, as agents have. Some apps send an empty one. */
export const hasSecret = ({ form, authorization }: OAuthRequest): boolean =>
  Boolean(form.get('client_secret') || basicOf(authorization)?.secret)

/** Nothing is verified yet. */
function subjectOf(assertion: string | null): string | null {
  try {
    return assertion === null ? null : (decodeJwt(assertion).sub ?? null)
  } catch {
    throw new OAuthError('invalid_client', 'The client_assertion is not a JSON Web Token.')
  }
}

async function exchangeCode(deps: Deps, request: OAuthRequest, call: Call): Promise<AppTokenReply> {
  const { env, now } = deps
  const { form, address } = request
  const verifier = form.get('code_verifier')
  const redirectUri = form.get('redirect_uri')
  if (!verifier || !redirectUri) throw new OAuthError('invalid_request', 'code_verifier and redirect_uri are required.')
  const code = connectionOfToken(env, 'code', form.get('code') ?? '')
  if (!code || !/^[\w.~-]{43,128}$/.test(verifier)) return refuseGrant(deps, address)
  const { userId, connectionId, hash: codeHash } = code
  consumeQuota(tokenRequests, connectionId, now())
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const proof = { ...call, connectionId, codeHash, redirectUri, challenge }
  if (!isDocument(call.clientId)) return firstTokens(deps, userId, proof, null)
  granted(await treasuryOf(env, userId).connections().mayExchange(proof))
  return firstTokens(deps, userId, proof, await websiteNow(deps, form, call.clientId, userId))
}

/** What the app's website says now, and the app's assertion if it sent one. */
type Website = { document: string; assertion: Assertion | null }

/** Reads the app's website again, because it may have changed since the person consented. */
async function websiteNow(deps: Deps, form: URLSearchParams, clientId: string, userId: string): Promise<Website> {
  try {
    const { hash, keys } = await appDocument(deps, clientId, userId)
    const sent = keys !== null && form.has('client_assertion')
    const assertion = sent ? await verifyAssertion(deps, form, { clientId, keys, userId }) : null
    return { document: hash, assertion }
  } catch (error) {
    if (error instanceof AppUnusable)
      throw new OAuthError(
        error instanceof AppUnreachable ? 'temporarily_unavailable' : 'invalid_client',
        error.message,
      )
    throw error
  }
}

async function renew(deps: Deps, { form, address }: OAuthRequest, call: Call): Promise<AppTokenReply> {
  const { env, now } = deps
  const text = form.get('refresh_token') ?? ''
  const token = connectionOfToken(env, 'refresh_token', text)
  if (!token) return refuseGrant(deps, address)
  const { userId, connectionId, hash: oldHash } = token
  consumeQuota(tokenRequests, connectionId, now())
  const connections = treasuryOf(env, userId).connections()
  const proof = { ...call, connectionId, oldHash }
  const isSigned = isDocument(call.clientId) && form.has('client_assertion')
  if (isSigned) granted(await connections.mayRefresh(proof))
  const assertion = isSigned ? (await websiteNow(deps, form, call.clientId, userId)).assertion : null
  const proposed = { seed: newSecret(), at: now() }
  const { hash } = nextRefreshToken(env, text, token, proposed)
  const refresh = { hash, expiresAt: proposed.at + refreshTokenMs, seed: proposed.seed }
  const { successor, ...grant } = granted(await connections.refresh({ ...proof, assertion, refresh }))
  return replyOf(deps, userId, call, grant, successor && nextRefreshToken(env, text, token, successor).token)
}

/** RFC 8628 section 3.4. A device that asks too often is refused before D1 is read. */
async function collect(deps: Deps, { form, address }: OAuthRequest, call: Call): Promise<AppTokenReply> {
  const now = deps.now()
  const deviceCode = form.get('device_code') ?? ''
  if (call.clientId !== commandLine || objectOfToken(deps.env, 'device_code', deviceCode) === null)
    return refuseGrant(deps, address)
  const deviceHash = sha256(deviceCode)
  if (devicePolls.take(deviceHash, now) < 0)
    throw new OAuthError('slow_down', `Ask at most every ${pollSeconds} seconds.`)
  const row = await requestOfDevice(deps.db, deviceHash)
  if (!row || row.expiresAt <= now)
    throw new OAuthError('expired_token', 'Nobody has allowed this in time. Start again.')
  if (row.answer === 'denied') throw new OAuthError('access_denied', 'The person has denied the request.')
  if (row.answer === null || row.userId === null || row.connectionId === null)
    throw new OAuthError('authorization_pending', 'Nobody has entered the code yet.')
  const { userId, connectionId } = row
  return firstTokens(deps, userId, { ...call, connectionId, codeHash: null, redirectUri: null, challenge: null }, null)
}

/** `website` is null for an app that has none. */
async function firstTokens(
  deps: Deps,
  userId: string,
  proof: CodeProof,
  website: Website | null,
): Promise<AppTokenReply> {
  const { env, now } = deps
  const connection = { userId, connectionId: proof.connectionId }
  const { token, hash } = mintConnectionToken(env, 'refresh_token', connection, now())
  const refresh = { hash, expiresAt: now() + refreshTokenMs }
  const { document, assertion } = website ?? { document: null, assertion: null }
  const result = await treasuryOf(env, userId)
    .connections()
    .exchange({ ...proof, document, assertion, refresh })
  return replyOf(deps, userId, proof, granted(result), token)
}

/** Throws the OAuthError of a grant that was refused. */
function granted<Value>(result: Result<Value>): Value {
  if (result.ok) return result.value
  const { code, message, retryAfter } = result
  if (code === 'gone') throw invalidGrant(message)
  if (code === 'invalid_input') throw new OAuthError('invalid_target', message)
  if (code === 'unauthenticated') throw new OAuthError('invalid_client', message)
  throw new AppError(code, message, retryAfter ? { retryAfter } : {})
}

async function replyOf(
  { env, now }: Deps,
  userId: string,
  { clientId }: Pick<Call, 'clientId'>,
  { agentId, credentialHash, scopes, resource }: Granted,
  refreshToken: string | null,
): Promise<AppTokenReply> {
  const accessToken = await signAgentToken(env, { userId, agentId, clientId, credentialHash, scopes }, resource, now())
  return {
    ...{ access_token: accessToken, token_type: 'Bearer', expires_in: accessTokenMs / 1000 },
    ...(refreshToken !== null && { refresh_token: refreshToken }),
    scope: scopes.join(' '),
  }
}

/** For a code or token that we did not issue, before any object is asked. */
function refuseGrant({ now }: Deps, address: string): never {
  consumeQuota(wrongCredentials, address, now())
  throw invalidGrant('It was not issued here.')
}

const invalidGrant = (why: string) => new OAuthError('invalid_grant', `The grant is not valid. ${why}`)

/**
 * RFC 7009, for apps: a refresh token ends the connection with all its tokens, an access token only itself. Has no effect on
 * tokens of other clients, but still succeeds. An assertion is not verified: whoever has a token may give it back.
 */
export async function revokeAppToken({ env, now }: Deps, request: OAuthRequest): Promise<void> {
  refuseRepeats(request.form)
  const clientId = clientIdOf(request)
  const text = request.form.get('token')
  if (!text) throw new OAuthError('invalid_request', 'Missing token.')
  const refreshToken = connectionOfToken(env, 'refresh_token', text)
  if (refreshToken)
    return treasuryOf(env, refreshToken.userId).connections().endByApp(refreshToken.connectionId, clientId)
  const audiences = resources.map((resource) => `${env.API_ORIGIN}${resource}`)
  const token = await verifyAgentToken(env, text, audiences, now()).catch((error) => {
    if (error instanceof AppError && error.code === 'unauthenticated') return null
    throw error
  })
  if (token?.clientId !== clientId) return
  const ends = { id: token.tokenId, endsAt: token.expiresAt }
  await treasuryOf(env, token.userId).policies().revokeToken(principalOf(token), ends)
}
