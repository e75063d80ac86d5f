import { createHmac, randomBytes } from 'node:crypto'
import type { AccountId } from '#domain/accounts.ts'
import { dayMs } from '#domain/time.ts'
import type { KeyringSettings } from '../keyrings/keyring.ts'
import { newObjectToken, objectOfToken } from './objectTokens.ts'
import { newSecret, sha256 } from './secrets.ts'

/** How long a replaced credential keeps working, unless the owner revokes it immediately. */
export const replacedCredentialMs = dayMs

/** An agent and its account, as API keys and client ids name them. */
export type NamedAgent = { userId: string; agentId: string }

/** The agent that a credential names. Only its Treasury knows whether the credential is valid; it compares the hash. */
export type ClaimedAgent = NamedAgent & { credentialHash: string }

/** Creates an agent's credentials. The secrets are shown once, and their hashes stored. `now` in ms. */
export function mintCredentials(env: KeyringSettings, agent: NamedAgent, now: number) {
  return { ...mintClient(env, agent, now), ...mintApiKey(env, agent, now) }
}

/** A new secret. The client id stays the same until another version of its keyring is current. */
export function mintClient(env: KeyringSettings, agent: NamedAgent, now: number) {
  const clientSecret = newSecret(secretPrefix)
  const clientId = newObjectToken(env, 'client_id', nameOf(agent), randomBytes, now)
  return { clientId, clientSecret, secretHash: sha256(clientSecret) }
}

export function mintApiKey(env: KeyringSettings, agent: NamedAgent, now: number) {
  const apiKey = newObjectToken(env, 'api_key', nameOf(agent), randomBytes, now)
  return { apiKey, apiKeyHash: sha256(apiKey) }
}

/** Null if we did not issue this API key. */
export function agentOfApiKey(env: KeyringSettings, apiKey: string): ClaimedAgent | null {
  const name = objectOfToken(env, 'api_key', apiKey)
  return name === null ? null : { ...agentOf(name), credentialHash: sha256(apiKey) }
}

/** Null if we did not issue this client id, or if the secret is something else, such as an API key. */
export function agentOfClient(env: KeyringSettings, clientId: string, secret: string): ClaimedAgent | null {
  const name = objectOfToken(env, 'client_id', clientId)
  return name === null || !secret.startsWith(secretPrefix) ? null : { ...agentOf(name), credentialHash: sha256(secret) }
}

/** An invitation to an account, as the token of its link names it. */
export type NamedMember = { accountId: AccountId; memberId: string }

/** The token of an invitation's link and the hash that its Treasury stores. `now` in ms. */
export function mintInvitation(env: KeyringSettings, { accountId, memberId }: NamedMember, now: number) {
  const token = newObjectToken(env, 'invitation', `${memberId}/${accountId}`, randomBytes, now)
  return { token, hash: sha256(token) }
}

/** Null if we did not issue this token. */
export function memberOfInvitation(env: KeyringSettings, token: string): (NamedMember & { tokenHash: string }) | null {
  const name = objectOfToken(env, 'invitation', token)
  if (name === null) return null
  const slash = name.indexOf('/')
  return {
    ...{ memberId: name.slice(0, slash), accountId: name.slice(slash + 1) as AccountId },
    tokenHash: sha256(token),
  }
}

/** A connection of an app and its account, as codes and refresh tokens name them. */
export type NamedConnection = { userId: string; connectionId: string }

/** A token of a connection and the hash that its Treasury stores. `now` in ms. */
export function mintConnectionToken(
  env: KeyringSettings,
  kind: 'code' | 'refresh_token',
  { connectionId, userId }: NamedConnection,
  now: number,
): { token: string; hash: string } {
  const token = newObjectToken(env, kind, `${connectionId}/${userId}`, randomBytes, now)
  return { token, hash: sha256(token) }
}

/**
 * The refresh token that replaces `old` from `at` (ms) on. The same `seed`, of which only the Treasury knows, gives the same token,
 * so that a repeated exchange needs no stored token.
 */
export function nextRefreshToken(
  env: KeyringSettings,
  old: string,
  { connectionId, userId }: NamedConnection,
  { seed, at }: { seed: string; at: number },
): { token: string; hash: string } {
  const secret = () => createHmac('sha256', old).update(seed).digest()
  const token = newObjectToken(env, 'refresh_token', `${connectionId}/${userId}`, secret, at)
  return { token, hash: sha256(token) }
}

/** The connection that a code or refresh token names, whether or not it is still valid. Null if we did not issue it. */
export function connectionOfToken(
  env: KeyringSettings,
  kind: 'code' | 'refresh_token',
  token: string,
): (NamedConnection & { hash: string }) | null {
  const name = objectOfToken(env, kind, token)
  if (name === null) return null
  const end = name.indexOf('/')
  return { connectionId: name.slice(0, end), userId: name.slice(end + 1), hash: sha256(token) }
}

const secretPrefix = 'bs_'

const nameOf = ({ agentId, userId }: NamedAgent) => `${agentId}/${userId}`

function agentOf(name: string): NamedAgent {
  const end = name.indexOf('/')
  return { agentId: name.slice(0, end), userId: name.slice(end + 1) }
}
