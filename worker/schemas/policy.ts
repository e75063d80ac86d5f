import { z } from 'zod'
import { maxAmount, parseUsdc } from '../domain/money.ts'
import { type Period, periods } from '../domain/policyPeriod.ts'
import { normalCallingCode, normalDomain } from '../domain/policyRecipient.ts'
import { visibleScopes } from '../domain/scopes.ts'
import { usdcAmount } from './common.ts'

/** Amounts as numbers where the specification says so (`spendLimit`), else decimal USDC strings. */
export type PolicyGroup = {
  id: string
  name: string
  status: 'active' | 'paused'
  /** Null = no limit. Decimal USDC, as a number for display; exact in spendLimitUsdc. */
  spendLimit: number | null
  spendLimitUsdc: string | null
  currentSpent: string
  held: string
  /** Null without a limit. */
  remaining: string | null
  walletId: string
  /** `paused`: nothing leaves it. `canPay`: active, and its session key lives. */
  wallet: {
    name: string | null
    address: string
    chain: 'base' | 'base-sepolia'
    paused: boolean
    canPay: boolean
  } | null
  scopes: string[]
  whitelistedContacts: WhitelistedContact[]
  /** The most of one payment. Decimal USDC; null = no such limit, here and below. */
  maxPayment: string | null
  /** What may be reserved within one day, week or month (UTC); resetsAt is not part of it any more. */
  periodBudget: {
    period: Period
    limit: string
    used: string
    remaining: string
    startsAt: string
    resetsAt: string
  } | null
  /** The most that all unclaimed payouts may be together, and what they are; part of `held`. */
  maxUnclaimed: string | null
  unclaimed: string
  /** Payouts by message go to these alone: 'example.com', '+49'. Null = to any. */
  emailDomains: string[] | null
  phoneCodes: string[] | null
  agentCount: number
  /** Deleted agents' part of the group's figures, so that agents and they add up to it. */
  formerAgents: { count: number; spent: string; held: string }
  totalTransactions: number
  /** ISO 8601 or null = never. */
  lastActivity: string | null
  /** Raised by every change of what is allowed; an edit that names an older one is refused with 409. */
  version: number
  createdAt: string
}
/**
 * A contact as it was when it was whitelisted: that is what is paid. Stale = it changed since, to `current`; payments
 * to it are refused until the owner confirms.
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
  /** In flight: decided and neither confirmed nor failed, unclaimed payouts included. */
  held: string
  /** What the group leaves to all its agents together; null without a limit. */
  remaining: string | null
  /** Until when (ISO 8601) the credential before a regeneration still works; null when none does. */
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
/** POST /agents: the secrets are shown in this answer only; a repeat of the same key answers shownOnce instead. */
export type CreatedAgent = {
  agent: Agent
  clientId: string
  clientSecret: string | null
  apiKey: string | null
  shownOnce?: true
}

/** PUT /policy-groups/{id}. One entry per agent when the scopes changed. */
export type UpdatedPolicyGroup = PolicyGroup & {
  scopeUpdateResults?: { agentId: string; agentName: string; success: boolean; error?: string }[]
}
/** POST /policy-groups/{id}/top-up. Decimal USDC. */
export type ToppedUp = {
  budget: { limit: string; spent: string; held: string; remaining: string }
  policyGroup: PolicyGroup
}
/** DELETE /policy-groups/{id}/cascade and /agents/{id}: payments that were not signed yet have failed. */
export type Removed = { id: string; agents: number; stoppedPayments: number }
/** POST …/pause and …/resume of an agent, a group, a wallet or (without id) the account's agents. */
export type Paused = { id: string | null; paused: boolean; stoppedPayments: number }
/** GET /account */
export type AccountState = { paused: boolean }
export type RegeneratedApiKey = { apiKey: string; previousUntil: string | null }
export type RegeneratedCredentials = { clientId: string; clientSecret: string; previousUntil: string | null }
/** GET /agents/{id}/refusals: newest first. Amounts are decimal USDC; figures as in /v1 problems. */
export type AgentRefusal = {
  id: string
  at: string
  amount: string
  to: { type: string; address?: string; contactId?: string; email?: string; phone?: string }
  code: string
  message: string
  rule: string | null
  next: string | null
  maxAllowedNow: string | null
  resetsAt: string | null
  policyVersion: number | null
}

const scope = z.enum([...visibleScopes, 'payment_context:read'], {
  error: `Unknown scope; use ${visibleScopes.join(', ')}`,
})
/** spendLimit is a JSON number in the specification; a decimal string is taken too. */
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

const name = z
  .string('Policy name is required')
  .trim()
  .min(1, 'Policy name is required')
  .max(60, 'Name must be at most 60 characters')

/** At least one: an empty list would read as "none" to some and as "any" to others. */
const list = (what: string, normal: (text: string) => string | null, example: string) =>
  z
    .array(
      z.string().transform((text, ctx) => {
        const value = normal(text)
        if (value === null) {
          ctx.addIssue({ code: 'custom', message: `${text.slice(0, 60)} is no ${what}; write it as ${example}` })
          return z.NEVER
        }
        return value
      }),
    )
    .min(1, `Name at least one ${what}, or send null to allow any`)
    .max(100, `At most 100 entries`)
    .transform((values) => [...new Set(values)].sort())

/** Limits beyond the specification: absent = as it is (none for a new group), null = no such limit. */
const limits = {
  maxPayment: usdcAmount.nullable().optional(),
  periodBudget: z
    .strictObject({ period: z.enum(periods), limit: usdcAmount })
    .nullable()
    .optional(),
  maxUnclaimed: usdcAmount.nullable().optional(),
  emailDomains: list('email domain', normalDomain, 'example.com').nullable().optional(),
  phoneCodes: list('country code', normalCallingCode, '+49').nullable().optional(),
}
const whitelistedContactIds = z.array(z.string().min(1).max(64)).max(10_000, 'At most 10,000 contacts').optional()

/** POST /policy-groups. Unknown fields are refused: a limit with a typing error in its name must not be lost. */
export const CreatePolicyGroup = z.strictObject({
  name,
  spendLimit: spendLimit.nullable().optional(),
  scopes: z.array(scope).max(10),
  walletId: z.string().min(1, 'Please select a wallet').max(64),
  whitelistedContactIds,
  ...limits,
})
/** PUT /policy-groups/{id}. Absent fields stay. `version`: as the editor loaded it. */
export const UpdatePolicyGroup = z.strictObject({
  name,
  scopes: z.array(scope).max(10),
  walletId: z.string().max(64).optional(),
  whitelistedContactIds,
  spendLimit: spendLimit.nullable().optional(),
  version: z.int().min(1).optional(),
  ...limits,
})
/** POST /policy-groups/{id}/top-up */
export const TopUp = z.strictObject({ amount: usdcAmount })
const exactly = z.string().max(254).nullable()
/** POST /policy-groups/{id}/contacts/{contactId}/confirm: the present values as the owner was shown them. */
export const ConfirmContact = z.strictObject({ address: exactly, email: exactly, phone: exactly })

const agentName = z
  .string('Name is required')
  .trim()
  .min(1, 'Name is required')
  .max(60, 'Name must be at most 60 characters')
const agentMemo = z.string().trim().max(200, 'Memo must be at most 200 characters').optional()
export const CreateAgent = z.object({
  name: agentName,
  memo: agentMemo,
  policyGroupId: z.string().min(1, 'Please select a policy group').max(64),
})
/** PUT /agents/{id} */
export const UpdateAgent = z.strictObject({ name: agentName, memo: agentMemo })
/** POST /agents/{id}/regenerate-…: without revokeNow the previous one works for another 24 hours. */
export const Regenerate = z.strictObject({ revokeNow: z.boolean().optional() })
