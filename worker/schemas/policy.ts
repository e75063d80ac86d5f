import { z } from 'zod'
import { maxAmount, parseUsdc } from '../domain/money.ts'
import { visibleScopes } from '../domain/scopes.ts'

/** Amounts as numbers where the specification says so (`spendLimit`), else decimal USDC strings. */
export type PolicyGroup = {
  id: string
  name: string
  /** Null = no limit. Decimal USDC, as a number for display; exact in spendLimitUsdc. */
  spendLimit: number | null
  spendLimitUsdc: string | null
  currentSpent: string
  held: string
  /** Null without a limit. */
  remaining: string | null
  walletId: string
  wallet: { name: string | null; address: string } | null
  scopes: string[]
  whitelistedContacts: {
    contact: { id: string; name: string; address: string | null; email: string | null; phone: string | null }
    stale: boolean
  }[]
  agentCount: number
  totalTransactions: number
  /** ISO 8601 or null = never. */
  lastActivity: string | null
  version: number
  createdAt: string
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

export const CreatePolicyGroup = z.object({
  name: z.string().trim().min(1, 'Policy name is required').max(60, 'Name must be at most 60 characters'),
  spendLimit: spendLimit.optional(),
  scopes: z.array(scope).max(10),
  walletId: z.string().min(1, 'Please select a wallet').max(64),
  whitelistedContactIds: z.array(z.string().max(64)).max(10_000).optional(),
})
export const CreateAgent = z.object({
  name: z.string().trim().min(1, 'Name is required').max(60, 'Name must be at most 60 characters'),
  memo: z.string().trim().max(200, 'Memo must be at most 200 characters').optional(),
  policyGroupId: z.string().min(1, 'Please select a policy group').max(64),
})
