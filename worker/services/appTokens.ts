import { createHash } from 'node:crypto'
import { dayMs } from '#domain/time.ts'
import type { Deps } from '../appEnv.ts'
import { pollRequest } from '../db/connections.ts'
import { AppError, OAuthError } from '../errors.ts'
import { connectionOfToken, mintConnectionToken, type NamedConnection } from '../identity/credentials.ts'
import { sha256 } from '../identity/secrets.ts'
import { accessTokenMs, signAgentToken, verifyAgentToken } from '../identity/tokens.ts'
import type { Result } from '../result.ts'
import type { Granted } from '../treasury/connections/rpcTypes.ts'
import { treasuryOf } from '../treasuryOf.ts'
import { appDocument } from './appDocuments.ts'
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
import { consumeQuota, requireQuota, tokenRequests, wrongCredentials } from './quotas.ts'

/** A connection that is not used for this long ends. Each refresh token is valid for as long. */
const refreshTokenMs = 60 * dayMs

export type AppTokenReply = TokenReply & { refresh_token: string }

/** The grants of apps that a person has connected. They have no secret: a code is bound to the app by PKCE. */
export async function issueAppToken(deps: Deps, request: OAuthRequest): Promise<AppTokenReply> {
  const { form, address } = request
  refuseRepeats(form)
  requireQuota(wrongCredentials, address, deps.now())
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

/** Also from a Basic header, in which some clients send their id with an empty secret. */
function clientIdOf({ form, authorization }: OAuthRequest): string {
  const basic = /^Basic +([A-Za-z0-9+/=_-]{1,2048})$/i.exec(authorization ?? '')?.[1]
  const [named] = basic === undefined ? [] : Buffer.from(basic, 'base64').toString('utf8').split(':')
  const clientId = form.get('client_id') ?? decodeURIComponent(named?.replace(/%(?![\da-f]{2})/gi, '%25') ?? '')
  if (!clientId) throw new OAuthError('invalid_client', 'Missing client_id.')
  return clientId
}

async function exchangeCode(deps: Deps, { form, address }: OAuthRequest, call: Call): Promise<AppTokenReply> {
  const verifier = form.get('code_verifier')
  const redirectUri = form.get('redirect_uri')
  if (!verifier || !redirectUri) throw new OAuthError('invalid_request', 'code_verifier and redirect_uri are required.')
  const code = connectionOfToken(deps.env, 'code', form.get('code') ?? '')
  if (!code || !/^[\w.~-]{43,128}$/.test(verifier)) return refuseGrant(deps, address)
  consumeQuota(tokenRequests, code.connectionId, deps.now())
  const document = isDocument(call.clientId) ? await documentNow(deps, call.clientId) : null
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  return tokensFor(deps, code, call, (connections, refresh) =>
    connections.exchange({
      ...{ ...call, connectionId: code.connectionId, codeHash: code.hash, redirectUri, challenge, document },
      refresh,
    }),
  )
}

/** The hash of the app's document, which is read again because it may have changed since the person consented. */
async function documentNow(deps: Deps, clientId: string): Promise<string> {
  try {
    return (await appDocument(deps, clientId)).hash
  } catch (error) {
    if (error instanceof AppError && error.code === 'unprocessable')
      throw new OAuthError('invalid_client', error.message)
    throw error
  }
}

async function renew(deps: Deps, { form, address }: OAuthRequest, call: Call): Promise<AppTokenReply> {
  const token = connectionOfToken(deps.env, 'refresh_token', form.get('refresh_token') ?? '')
  if (!token) return refuseGrant(deps, address)
  consumeQuota(tokenRequests, token.connectionId, deps.now())
  return tokensFor(deps, token, call, (connections, refresh) =>
    connections.refresh({ ...call, connectionId: token.connectionId, oldHash: token.hash, refresh }),
  )
}

/** RFC 8628 section 3.4. */
async function collect(deps: Deps, { form, address }: OAuthRequest, call: Call): Promise<AppTokenReply> {
  const now = deps.now()
  const row =
    call.clientId === commandLine ? await pollRequest(deps.db, sha256(form.get('device_code') ?? ''), now) : null
  if (!row) return refuseGrant(deps, address)
  if (row.expiresAt <= now) throw new OAuthError('expired_token', 'Nobody has allowed this in time. Start again.')
  if (row.answer === 'denied') throw new OAuthError('access_denied', 'The person has denied the request.')
  if (row.answer === null || row.userId === null || row.connectionId === null)
    throw row.polledAt !== null && now - row.polledAt < pollSeconds * 1000
      ? new OAuthError('slow_down', `Ask at most every ${pollSeconds} seconds.`)
      : new OAuthError('authorization_pending', 'Nobody has entered the code yet.')
  const { userId, connectionId } = row
  const none = { codeHash: null, redirectUri: null, challenge: null, document: null }
  return tokensFor(deps, { userId, connectionId }, call, (connections, refresh) =>
    connections.exchange({ ...call, ...none, connectionId, refresh }),
  )
}

type Connections = ReturnType<ReturnType<typeof treasuryOf>['connections']>

async function tokensFor(
  { env, now }: Deps,
  connection: NamedConnection,
  { clientId }: Call,
  grant: (connections: Connections, refresh: { hash: string; expiresAt: number }) => Promise<Result<Granted>>,
): Promise<AppTokenReply> {
  const at = now()
  const { userId } = connection
  const refreshToken = mintConnectionToken(env, 'refresh_token', connection, at)
  const refresh = { hash: refreshToken.hash, expiresAt: at + refreshTokenMs }
  const granted = await grant(treasuryOf(env, userId).connections(), refresh)
  if (!granted.ok) {
    if (granted.code === 'gone') throw new OAuthError('invalid_grant', `The grant is not valid. ${granted.message}`)
    if (granted.code === 'invalid_input') throw new OAuthError('invalid_target', granted.message)
    throw new AppError(granted.code, granted.message, granted.retryAfter ? { retryAfter: granted.retryAfter } : {})
  }
  const { agentId, credentialHash, scopes, resource } = granted.value
  const accessToken = await signAgentToken(env, { userId, agentId, clientId, credentialHash, scopes }, resource, at)
  return {
    ...{ access_token: accessToken, token_type: 'Bearer', expires_in: accessTokenMs / 1000 },
    ...{ refresh_token: refreshToken.token, scope: scopes.join(' ') },
  }
}

/** For a code or token that we did not issue, before any object is asked. */
function refuseGrant({ now }: Deps, address: string): never {
  wrongCredentials.take(address, now())
  throw new OAuthError('invalid_grant', 'The grant is not valid. It was not issued here.')
}

/**
 * RFC 7009, for apps: a refresh token ends the connection with all its tokens, an access token only itself. Has no effect on
 * tokens of other clients, but still succeeds.
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
