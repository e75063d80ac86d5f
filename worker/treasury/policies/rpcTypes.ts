import type { MicroUsdc } from '#domain/money.ts'
import type { RuleEdits } from '#domain/rules/values.ts'
import type { CodeDestination, ConnectingApp } from '#schemas/connection.ts'
import type { PaymentContext } from '#schemas/payment.ts'
import type { GasAllowance, RateState } from '../limits/rpcTypes.ts'

export type ContactMethods = { address: string | null; email: string | null; phone: string | null }

/** A whitelisted contact; payments to a stale one are refused. */
export type ListedContact = ContactSnapshot & { stale: boolean }

export type ContactSnapshot = ContactMethods & { id: string; name: string }

export type GroupInput = {
  key: string | null
  name: string
  spendLimit: MicroUsdc | null
  scopes: string[]
  walletId: string
  contacts: ContactSnapshot[]
  limits?: RuleEdits
}

/** A group to add. `spendLimit` in micro-USDC; `rules`: JSON of domain/rules/values.ts. */
export type GroupTerms = {
  name: string
  spendLimit: number | null
  scopes: string[]
  walletId: string
  contacts: ContactSnapshot[]
  rules: string
}

/** The whitelist stays unchanged without `contactIds`. `contacts` has the current data of those that exist. */
export type GroupEdit = {
  version: number | undefined
  name: string
  scopes: string[]
  walletId: string | undefined
  spendLimit: MicroUsdc | null | undefined
  contactIds: string[] | undefined
  contacts: ContactSnapshot[]
  limits: RuleEdits
  passwordChecked?: boolean
}

export type PauseSubject = { kind: 'account' } | { kind: 'agent' | 'group' | 'wallet'; id: string }

type JsonValue = string | number | boolean | string[] | null | JsonEntry | JsonEntry[]
type JsonEntry = { [name: string]: string | number | string[] | null }
/** A rule as agents see it: its names in refusals, its value as in the API, and what it has counted. */
export type RuleInForce = {
  names: string[]
  field: string
  sentence: string
  value: JsonValue
  resetsAt: string | null
}

/** Of the group's contacts that the call asks for, `contacts` are the first. */
export type AgentContext = Pick<PaymentContext, 'agent' | 'budget'> & {
  group: Omit<PaymentContext['policy_group'], 'contacts'>
  contacts: ListedContact[]
  contactsTotal: number
  maxAllowedNow: string
  maxWithoutAsking: string
  rules: RuleInForce[]
  rates: RateState[]
  gas: GasAllowance
}

/** `rules`: JSON of domain/rules/values.ts. */
export type GroupRules = { rules: string; scopes: string[] }

export type AgentInput = {
  key: string | null
  id: string
  name: string
  memo: string | null
  policyGroupId: string
  clientId: string
  secretHash: string
  apiKeyHash: string
  /** When the credentials were made (ms). */
  issuedAt?: number
  passwordChecked?: boolean
}
/**
 * `endsAt` is when existing ones expire, `issuedAt` when the new one was made (ms). `clientId`: the client id that belongs to
 * a new secret.
 */
export type NewCredential = {
  kind: 'secret' | 'api_key'
  hash: string
  clientId?: string
  endsAt: number
  issuedAt?: number
  passwordChecked?: boolean
}

/** Why a connection of an app ended. `reused`: a code was used again. */
export type ConnectionEnd =
  | 'owner'
  | 'app'
  | 'reused'
  | 'connected_again'
  | 'agent_deleted'
  | 'group_deleted'
  | 'account_restored'

/** What the list of connected apps shows. */
export type ConnectedApp = { app: ConnectingApp; destination: CodeDestination }
