import { z } from 'zod'
import type { SignUpMode } from '#domain/signUpMode.ts'

/** The API of operators, under /ops/api. Times are ISO 8601 UTC. */

const reason = z
  .string({ error: 'Say why' })
  .trim()
  .min(1, 'Say why')
  .max(500, 'The reason must be at most 500 characters')
/** Null: no limit. */
const maxUses = z.int('Uses must be a whole number').min(1, 'Uses must be 1 or more').max(1_000_000).nullable()
/** Null: it does not expire. */
const expiresInDays = z.int('Days must be a whole number').min(1, 'Days must be 1 or more').max(3_650).nullable()

export const CreatePasscode = z.object({
  label: z.string().trim().min(1, 'Enter a label').max(100, 'The label must be at most 100 characters'),
  maxUses,
  expiresInDays,
  reason,
})
/** What is absent stays. Days count from now. */
export const EditPasscode = z.object({ maxUses: maxUses.optional(), expiresInDays: expiresInDays.optional(), reason })
export const Reason = z.object({ reason })

export type Passcode = {
  id: string
  label: string
  used: number
  maxUses: number | null
  createdAt: string
  expiresAt: string | null
  revokedAt: string | null
  /** Whether it still works. */
  state: 'active' | 'used_up' | 'expired' | 'revoked'
}
/** The passcode itself is shown once: only its HMAC is stored. */
export type CreatedPasscode = Passcode & { passcode: string }
export type PasscodeList = { signUp: SignUpMode; passcodes: Passcode[] }
export type OperatorAction = {
  id: string
  at: string
  actor: string
  action: string
  subject: string
  reason: string
  detail: Record<string, unknown>
}
