import { z } from 'zod'
import { appName } from '#domain/appName.ts'
import { isRegisteredRedirect, redirectTarget } from '#domain/redirectUri.ts'
import type { ConnectingApp } from '#schemas/connection.ts'
import type { Deps } from '../appEnv.ts'
import { findClient, insertClient } from '../db/connections.ts'
import type { Env } from '../env.ts'
import { OAuthError } from '../errors.ts'
import { newId } from '../identity/secrets.ts'
import { appDocument, documentProblem } from './appDocuments.ts'
import { limitAttempts } from './attemptLimits.ts'

/** The client id of Bursar's own command line, the only one that may use the device grant. */
export const commandLine = 'bursar-cli'

export const ownOrigins = ({ API_ORIGIN, APP_ORIGIN }: Pick<Env, 'API_ORIGIN' | 'APP_ORIGIN'>) => [
  API_ORIGIN,
  APP_ORIGIN,
]

/** Whether a client id is the address of a metadata document, which only a signed-in person's request may fetch. */
export const isDocument = (clientId: string) => /^https?:/i.test(clientId)

/** Shown for a registered app whose name is missing or borrowed. */
export const unnamed = 'Unnamed app'

/**
 * What is known of a client. `document`: the hash of what its website says about it, null if it has none. `mustSign`: whether it
 * authenticates with its keys each time.
 */
export type KnownClient = { app: ConnectingApp; document: string | null; mustSign: boolean }

/**
 * The client with this redirect, which is verified; null if the client is not known or does not name the redirect. Fetches a
 * metadata document for this user: throws as `appDocument` does.
 */
export async function knownClient(
  deps: Deps,
  { id, redirectUri, userId }: { id: string; redirectUri: string | null; userId: string },
): Promise<KnownClient | null> {
  if (id === commandLine)
    return redirectUri === null
      ? { app: { name: 'Bursar CLI', kind: 'command_line', host: null }, ...withoutWebsite }
      : null
  if (redirectUri === null) return null
  if (isDocument(id)) {
    const { name, redirectUris, hash, mustSign } = await appDocument(deps, id, userId)
    const { host } = new URL(id)
    if (!isRegisteredRedirect(redirectUris, redirectUri)) return null
    return { app: { name: name ?? host, kind: 'website', host }, document: hash, mustSign }
  }
  const client = await findClient(deps.db, id)
  if (!client || !isRegisteredRedirect(client.redirectUris, redirectUri)) return null
  return { app: { name: client.name ?? unnamed, kind: 'registered', host: null }, ...withoutWebsite }
}

const withoutWebsite = { document: null, mustSign: false }

/** Why a client may not send a person here, as far as this is known without fetching anything. Null if it may. */
export async function clientProblem(deps: Deps, id: string, redirectUri: string): Promise<OAuthError | null> {
  if (redirectTarget(redirectUri, ownOrigins(deps.env)) === null)
    return new OAuthError('invalid_request', 'The redirect_uri is missing, or not one that a code may be sent to.')
  if (isDocument(id)) {
    const problem = documentProblem(deps.env, id)
    return problem === null ? null : new OAuthError('invalid_client', `The client_id is not usable: ${problem}.`)
  }
  const client = await findClient(deps.db, id)
  if (!client) return new OAuthError('invalid_client', 'This client is not known. It has to register first.')
  return isRegisteredRedirect(client.redirectUris, redirectUri)
    ? null
    : new OAuthError('invalid_request', 'The client has not registered this redirect_uri.')
}

const Registration = z.object({
  redirect_uris: z.array(z.string()).min(1).max(20),
  client_name: z.unknown().optional(),
  grant_types: z.array(z.string()).nullish(),
  response_types: z.array(z.string()).nullish(),
})

/**
 * RFC 7591, for any app: the name is shown as unverified. Redirects that no code may be sent to are left out of the
 * registration. Every client is public, whatever it asked for: it would store a secret where others can read it.
 */
export async function registerClient(deps: Deps, body: unknown, address: string) {
  const now = deps.now()
  await limitAttempts(deps, 'register', address)
  const parsed = Registration.safeParse(body)
  if (!parsed.success)
    throw parsed.error.issues[0]?.path[0] === 'redirect_uris'
      ? new OAuthError('invalid_redirect_uri', 'redirect_uris must be a list of 1 to 20 addresses.')
      : new OAuthError('invalid_client_metadata', 'The request is not the JSON of a client registration.')
  const { redirect_uris, client_name, grant_types, response_types } = parsed.data
  if (grant_types && !grant_types.includes('authorization_code'))
    throw new OAuthError('invalid_client_metadata', 'Apps are connected with the authorization_code grant.')
  if (response_types && !response_types.includes('code'))
    throw new OAuthError('invalid_client_metadata', 'The only supported response type is code.')
  const own = ownOrigins(deps.env)
  const redirectUris = [...new Set(redirect_uris)].filter((uri) => redirectTarget(uri, own) !== null)
  if (redirectUris.length === 0)
    throw new OAuthError(
      'invalid_redirect_uri',
      'A redirect must be an https address, one on this computer (http://127.0.0.1), or of a known assistant (cursor://).',
    )
  const client = { id: newId('client'), name: appName(client_name), redirectUris, createdAt: now }
  await insertClient(deps.db, client)
  return {
    client_id: client.id,
    client_id_issued_at: Math.floor(now / 1000),
    ...(client.name !== null && { client_name: client.name }),
    redirect_uris: redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
}
