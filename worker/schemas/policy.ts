import { z } from 'zod'
import { maxContacts, maxContactsInWords } from '#domain/contactRules.ts'
import { maxAmount, parseUsdc } from '#domain/money.ts'
import { agentMemo as agentMemoRule, agentName as agentNameRule, groupName } from '#domain/nameRules.ts'
import type { ChainName } from '#domain/networks.ts'
import { visibleScopes } from '#domain/scopes.ts'
import { ownerPassword, shownText, usdcAmount } from './common.ts'
import { type RuleViews, ruleFields } from './rules.ts'

/** With its rules (domain/rules/). Amounts are decimal USDC strings, except `spendLimit`, which the specification defines as a number. */
export type PolicyGroup = RuleViews & {
  id: string
  name: string
  status: 'active' | 'paused'
  /** USDC as a number, for display; `spendLimitUsdc` is exact. Null if there is no limit. */
  spendLimit: number | null
  spendLimitUsdc: string | null
  currentSpent: string
  held: string
  /** Null without a limit. */
  remaining: string | null
  walletId: string
  /** `paused`: nothing can leave the wallet. `canPay`: active, with a valid session key. */
  wallet: {
    name: string | null
    address: string
    chain: ChainName
    paused: boolean
    canPay: boolean
  } | null
  scopes: string[]
  /** The first 100, in lists of groups the first 20; those that have changed come first. */
  whitelistedContacts: WhitelistedContact[]
  whitelistedCount: number
  /** Sum of the unclaimed payouts; part of `held`. */
  unclaimed: string
  agentCount: number
  /** What deleted agents contributed to the group's figures, so that the parts add up. */
  formerAgents: { count: number; spent: string; held: string }
  totalTransactions: number
  /** ISO 8601, or null if never. */
  lastActivity: string | null
  /** Incremented by every change to what is allowed. An edit based on an older version is refused with 409. */
  version: number
  /** An approver has confirmed this version: a second person is behind what it allows. */
  isConfirmed: boolean
  createdAt: string
}
/**
 * A contact as it was when it was whitelisted; payments use these values. `stale`: it has since changed to `current`, and
 * payments to it are refused until the owner confirms it.
 */
export type WhitelistedContact = {
  contact: { id: string; name: string; address: string | null; email: string | null; phone: string | null }
  stale: boolean
  current: { address: string | null; email: string | null; phone: string | null } | null
}
export type Agent = {
  id: string
  name: string
  memo: string | null
  policyGroupId: string
  policyGroup: { name: string }
  clientId: string
  status: 'active' | 'paused'
  transactionCount: number
  totalSpent: string
  /** Accepted and neither confirmed nor failed, including unclaimed payouts. */
  held: string
  /** What is left of the group's budget for all its agents together. Null without a limit. */
  remaining: string | null
  /** Until when the previous credential still works after a regeneration (ISO 8601). Null if it does not. */
  previousApiKeyUntil: string | null
  previousSecretUntil: string | null
  lastActivity: string | null
  createdAt: string
}
export type PolicyGroupWithAgents = {
  policyGroup: PolicyGroup
  agents: Agent[]
  agentCount: number
  totalTransactions: number
  lastActivity: string | null
}
/** POST /agents. Secrets are returned once; a repeat with the same key returns `shownOnce` instead. */
export type CreatedAgent = {
  agent: Agent
  clientId: string
  clientSecret: string | null
  apiKey: string | null
  shownOnce?: true
}

/** PUT /policy-groups/{id}. One entry per agent if the scopes changed. */
export type UpdatedPolicyGroup = PolicyGroup & {
  scopeUpdateResults?: { agentId: string; agentName: string; success: boolean; error?: string }[]
}
/** POST /policy-groups/{id}/top-up. Decimal USDC. */
export type ToppedUp = {
  budget: { limit: string; spent: string; held: string; remaining: string }
  policyGroup: PolicyGroup
}
/** DELETE /policy-groups/{id}/cascade and /agents/{id}. `stoppedPayments`: unsigned payments that failed. */
export type Removed = { id: string; agents: number; stoppedPayments: number }
/** POST …/pause and …/resume of an agent, a group, a wallet or (without id) all agents of the account. */
export type Paused = { id: string | null; paused: boolean; stoppedPayments: number }
/**
 * GET /account. `suspended`: by the operator; agents may not do anything, the owner may read and withdraw. `restored`: the
 * account was last restored `at` this time from a backup of `asOf` (ISO 8601); null if it never was.
 */
export type AccountState = { paused: boolean; suspended: boolean; restored: { at: string; asOf: string } | null }
/**
 * An item of GET /account/handed-out: purchases of an agent that were handed out and not settled. Whatever is paused, their sellers
 * can take `amount` (decimal USDC) together, the last of them until `until` (ISO 8601). A new session key of a smart wallet ends them.
 */
export type HandedOut = {
  walletId: string
  policyGroupId: string | null
  agentId: string | null
  count: number
  amount: string
  until: string
}
export type RegeneratedApiKey = { apiKey: string; previousUntil: string | null }
export type RegeneratedCredentials = { clientId: string; clientSecret: string; previousUntil: string | null }
/** GET /agents/{id}/refusals: newest first. Amounts are decimal USDC; figures as in /v1 problems. */
export type AgentRefusal = {
  id: string
  at: string
  amount: string
  to: { type: string; address?: string; contactId?: string; email?: string; phone?: string; resource?: string }
  code: string
  message: string
  rule: string | null
  next: string | null
  maxAllowedNow: string | null
  resetsAt: string | null
  policyVersion: number | null
}

const scope = z.enum([...visibleScopes, 'payment_context:read'], {
  error: `Unknown scope. The known scopes are ${visibleScopes.join(', ')}`,
})
/** A JSON number, as the specification defines it, or a decimal string. */
const spendLimit = z
  .union([z.number(), z.string()], { error: 'Budget limit must be a number of USDC' })
  .transform((value, ctx) => {
    const amount = parseUsdc(String(value))
    if (amount === null || amount === 0n || amount > maxAmount) {
      ctx.addIssue({ code: 'custom', message: 'Budget limit must be greater than 0 with at most 6 decimals' })
      return z.NEVER
    }
    return amount
  })

const name = shownText(groupName)

const whitelistedContactIds = z
  .array(z.string().min(1).max(64))
  .max(maxContacts, `At most ${maxContactsInWords} contacts`)
  .optional()

/** POST /policy-groups. Unknown fields are rejected, so that a misspelled limit is not ignored. */
export const CreatePolicyGroup = z.strictObject({
  name,
  spendLimit: spendLimit.nullable().optional(),
  scopes: z.array(scope).max(10),
  walletId: z.string().min(1, 'Please select a wallet').max(64),
  whitelistedContactIds,
  ...ruleFields,
})
/** PUT /policy-groups/{id}. Absent fields keep their values. `version` is the version that the edit is based on. */
export const UpdatePolicyGroup = z.strictObject({
  name,
  scopes: z.array(scope).max(10),
  walletId: z.string().max(64).optional(),
  whitelistedContactIds,
  spendLimit: spendLimit.nullable().optional(),
  version: z.int().min(1).optional(),
  password: ownerPassword,
  ...ruleFields,
})
/** GET /contacts/{id}/groups (an addition): the groups whose agents may pay the contact. */
export type GroupName = { id: string; name: string }
/** GET /policy-groups/{id}/whitelist (an addition): all of its contacts. */
export type Whitelist = { contactIds: string[] }
/** POST /policy-groups/{id}/top-up */
export const TopUp = z.strictObject({ amount: usdcAmount, password: ownerPassword })
/** POST /policy-groups/{id}/confirm, by an approver: the version that was shown. */
export const ConfirmRules = z.strictObject({ version: z.int('version must be that of the policy group').min(1) })

const exactly = z.string().max(254).nullable()
/** POST /policy-groups/{id}/contacts/{contactId}/confirm: the values that the owner was shown. */
export const ConfirmContact = z.strictObject({
  address: exactly,
  email: exactly,
  phone: exactly,
  password: ownerPassword,
})

export const agentName = shownText(agentNameRule)
const agentMemo = shownText(agentMemoRule).optional()
export const CreateAgent = z.object({
  name: agentName,
  memo: agentMemo,
  policyGroupId: z.string().min(1, 'Please select a policy group').max(64),
})
/** PUT /agents/{id} */
export const UpdateAgent = z.strictObject({ name: agentName, memo: agentMemo })
/** POST /agents/{id}/regenerate-…: without `revokeNow`, the previous credential works for another 24 hours. */
export const Regenerate = z.strictObject({ revokeNow: z.boolean().optional(), password: ownerPassword })
