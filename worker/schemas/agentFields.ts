import { z } from 'zod'
import { reasonMax } from '#domain/approval.ts'

/** Fields shared by the schemas of /v1. */

export const usdc = z
  .string()
  .meta({ description: 'Decimal USDC.', examples: ['12.5'], pattern: '^\\d+(\\.\\d{1,6})?$' })
export const instant = z.string().meta({ description: 'ISO 8601, UTC.', format: 'date-time' })

export const reason = z.string().trim().max(reasonMax, `The reason must be at most ${reasonMax} characters`).optional()

/** A policy group's budget. */
export const Budget = z
  .object({
    limit: usdc.nullable().describe('Null if there is no limit.'),
    spent: usdc.describe('Confirmed payments.'),
    held: usdc.describe('Accepted but not yet confirmed.'),
    remaining: usdc.nullable().describe('limit − spent − held; null without a limit.'),
  })
  .describe('The policy group’s total budget, shared by all its agents. Decimal USDC.')

/** The approval that the owner was asked for. */
export const ApprovalReference = z
  .object({
    id: z.string(),
    status: z.enum(['PENDING', 'APPROVED', 'DENIED', 'EXPIRED', 'CANCELLED']),
    requested_at: instant,
    decided_at: instant.nullable().describe('When it was decided, cancelled or expired.'),
    expires_at: instant.describe('When it expires without a decision.'),
    url: z
      .string()
      .meta({ format: 'uri' })
      .describe('Page where the signed-in owner decides. Opening it does not decide anything.'),
  })
  .describe('The owner’s approval.')
