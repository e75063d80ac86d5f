import type { Scope } from '#domain/scopes.ts'
import type { ConnectedApp, GroupInput, GroupTerms } from '../../policies/rpcTypes.ts'

/** The agent as which an app will act. */
type AgentChoice<Group> =
  | { type: 'existing'; agentId: string }
  | {
      type: 'new'
      name: string
      policyGroup: { type: 'existing'; policyGroupId: string } | ({ type: 'new' } & Group)
    }

/** What the owner allowed. `redirectUri` and `challenge` (PKCE) are null for a device; `scopes` null if the app named none. */
type Allowed<Group> = {
  redirectUri: string | null
  challenge: string | null
  resource: string
  scopes: Scope[] | null
  /** Hash of what the app says about itself (services/appDocuments.ts), null if it is not read from its website. */
  document: string | null
  /** Whether the app authenticates with an assertion each time. */
  mustSign: boolean
  agent: AgentChoice<Group>
}

/**
 * `code`: the hash of the authorization code, null for a device. `newAgent`: the ids for an agent that the exchange may have to
 * create. `passwordChecked`: the owner entered the password with this call, or signed in with it for this request.
 */
export type AllowInput = {
  id: string
  requestId: string
  clientId: string
  redirectKey: string
  app: ConnectedApp
  allowed: Allowed<{ group: Omit<GroupInput, 'key'> }>
  newAgent: { id: string; clientId: string }
  codeHash: string | null
  /** ms */
  expiresAt: number
  passwordChecked: boolean
}

/** `connection.consent`, as JSON. */
export type Consent = { allowed: Allowed<{ group: GroupTerms }>; newAgent: { id: string; clientId: string } }

/** A verified assertion of the app. `id` is null if it may be used again; `usableUntil` in ms. */
export type Assertion = { id: string | null; usableUntil: number }

/**
 * What proves a code, or what a person allowed on a device. `codeHash`, `redirectUri` and `challenge` (of the verifier) are null for a device;
 * `resource` null if it was not repeated.
 */
export type CodeProof = {
  connectionId: string
  clientId: string
  codeHash: string | null
  redirectUri: string | null
  challenge: string | null
  resource: string | null
}

/** `document`: as in `Allowed`, now. `assertion`: null if the app sent none. */
export type ExchangeInput = CodeProof & {
  document: string | null
  assertion: Assertion | null
  refresh: NewRefreshToken
}

export type RefreshProof = { connectionId: string; clientId: string; oldHash: string; resource: string | null }

export type RefreshInput = RefreshProof & { assertion: Assertion | null; refresh: NextRefreshToken }

/** `expiresAt` in ms. */
export type NewRefreshToken = { hash: string; expiresAt: number }

/** A refresh token that was derived from the one before it and `seed`. */
export type NextRefreshToken = NewRefreshToken & { seed: string }

/** What an access token of the connection says. */
export type Granted = { agentId: string; credentialHash: string; scopes: Scope[]; resource: string }

/** From which the new refresh token is derived. `at`: when the old one was exchanged (ms). */
export type Successor = { seed: string; at: number }

/** `successor` is null if a spent token was used, which gives access only. */
export type Renewed = Granted & { successor: Successor | null }

export type ExistingAgent = { agentId: string; agentName: string; policyGroupId: string }
