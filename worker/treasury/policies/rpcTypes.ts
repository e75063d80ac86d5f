import type { MicroUsdc } from '#domain/money.ts'
import type { Period } from '#domain/policyPeriod.ts'
import type { Agent, PolicyGroup } from '#schemas/policy.ts'
import type { GasAllowance, RateState } from '../limits/rpcTypes.ts'

export type ContactMethods = { address: string | null; email: string | null; phone: string | null }

export type ContactSnapshot = ContactMethods & { id: string; name: string }

/** Missing: unchanged (no limit for a new group). Null: no limit. */
export type GroupLimits = {
  maxPayment?: MicroUsdc | null | undefined
  periodBudget?: { period: Period; limit: MicroUsdc } | null | undefined
  maxUnclaimed?: MicroUsdc | null | undefined
  emailDomains?: string[] | null | undefined
  phoneCodes?: string[] | null | undefined
  approveAbove?: MicroUsdc | null | undefined
  approveNewRecipient?: boolean | undefined
  approvalTtlHours?: number | undefined
  duplicateMinutes?: number | undefined
}

export type GroupInput = {
  key: string | null
  name: string
  spendLimit: MicroUsdc | null
  scopes: string[]
  walletId: string
  contacts: ContactSnapshot[]
  limits?: GroupLimits
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
  limits: GroupLimits
  passwordChecked?: boolean
}

export type PauseSubject = { kind: 'account' } | { kind: 'agent' | 'group' | 'wallet'; id: string }

export type AgentContext = {
  agent: Agent
  group: PolicyGroup
  maxAllowedNow: string
  rates: RateState[]
  gas: GasAllowance
}

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
