import { z } from 'zod'
import { reasonMax } from '#domain/approval.ts'

/** Fields that the schemas of /v1 share. */

export const usdc = z
  .string()
  .meta({ description: 'Decimal USDC.', examples: ['12.5'], pattern: '^\\d+(\\.\\d{1,6})?$' })
export const instant = z.string().meta({ description: 'ISO 8601, UTC.', format: 'date-time' })

export const reason = z.string().trim().max(reasonMax, `The reason must be at most ${reasonMax} characters`).optional()

/** A policy group's budget. */
export const Budget = z
  .object({
    limit: usdc.nullable().describe('Null = no limit.'),
    spent: usdc.describe('Confirmed payments.'),
    held: usdc.describe('Accepted but not yet confirmed.'),
    remaining: usdc.nullable().describe('limit − spent − held; null without a limit.'),
  })
  .describe('The policy group’s total budget, shared by all its agents. Decimal USDC.')

/** What the owner has been asked. */
export const ApprovalReference = z
  .object({
    id: z.string(),
    status: z.enum(['PENDING', 'APPROVED', 'DENIED', 'EXPIRED', 'CANCELLED']),
    requested_at: instant,
    decided_at: instant.nullable().describe('When it ended, whoever ended it.'),
    expires_at: instant.describe('Without an answer it ends then, as EXPIRED.'),
    url: z
      .string()
      .meta({ format: 'uri' })
      .describe('Where the owner, signed in, decides. Opening it decides nothing.'),
  })
  .describe('The owner’s approval.')
