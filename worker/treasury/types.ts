import type { Address, ChainId } from '../chain/types.ts'
import type { MicroUsdc } from '../domain/money.ts'
import type { Period } from '../domain/policyPeriod.ts'

/**
 * Who asks: the signed-in user, or one of their agents with the credential it used (re-checked on every call) and, if
 * that led to an access token, the token's id.
 */
export type Principal = { type: 'user' } | { type: 'agent'; agentId: string; credentialHash: string; tokenId?: string }

/** A recipient as asked for. For contacts the whitelist snapshot decides where the money goes. */
export type Recipient =
  | { type: 'address'; address: Address }
  | { type: 'email'; email: string }
  | { type: 'phone'; phone: string }
  | { type: 'contact'; contactId: string; method?: 'address' | 'email' | 'phone' }

export type PayInput = {
  principal: Principal
  /** Null only for dashboard calls without the header: then one is made up. */
  key: string | null
  /** Agents pay from their group's wallet; the user names one. */
  walletId: string | null
  to: Recipient
  amount: MicroUsdc
  memo: string | null
  /** The user's own contact that this goes to, for lists alone: `to` says where the money goes. */
  contact?: { id: string; name: string } | null
  /** Payouts only. */
  expiresInDays?: 1 | 7 | 30 | 90
  senderName?: string | null
}
export type DeployInput = { key: string | null; owner: Address; chainId: ChainId; name: string | null }
export type GroupInput = {
  key: string | null
  name: string
  spendLimit: MicroUsdc | null
  scopes: string[]
  walletId: string
  contacts: ContactSnapshot[]
  limits?: GroupLimits
}
export type ContactMethods = { address: string | null; email: string | null; phone: string | null }
export type ContactSnapshot = ContactMethods & { id: string; name: string }
/** Absent = unchanged (none for a new group), null = no such limit. */
export type GroupLimits = {
  maxPayment?: MicroUsdc | null | undefined
  periodBudget?: { period: Period; limit: MicroUsdc } | null | undefined
  maxUnclaimed?: MicroUsdc | null | undefined
  emailDomains?: string[] | null | undefined
  phoneCodes?: string[] | null | undefined
}
/** `contactIds` absent: the whitelist stays. `contacts`: those of them that exist, as they are now. */
export type GroupEdit = {
  version: number | undefined
  name: string
  scopes: string[]
  walletId: string | undefined
  spendLimit: MicroUsdc | null | undefined
  contactIds: string[] | undefined
  contacts: ContactSnapshot[]
  limits: GroupLimits
}
export type PauseSubject = { kind: 'account' } | { kind: 'agent' | 'group' | 'wallet'; id: string }
export type AgentInput = {
  key: string | null
  id: string
  name: string
  memo: string | null
  policyGroupId: string
  clientId: string
  secretHash: string
  apiKeyHash: string
}
export type ClaimInput = { payoutId: string; codeVersion: number; to: Address }
/** A wallet's ledger beside the chain, for anyone who checks the books (design.md I1). Decimal USDC. */
export type LedgerView = {
  walletId: string
  address: Address
  deposits: string
  returns: string
  out: string
  withdrawn: string
  held: string
  available: string
  escrowed: string
  spent: string
  /** USDC balance on chain at the block below; null when it can't be read. */
  chainBalance: string | null
  scannedBlock: number
}
