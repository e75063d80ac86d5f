import { z } from 'zod'
import { allowanceProblem, durationProblem, limitProblem, type OwnerActionKind } from '#domain/sessionKey.ts'
import { address, checkedBy } from './common.ts'

/** A change to the wallet contract, signed by us (`rotate`) or by its owner. Limits are micro-USDC strings. */
export type WalletActionView = {
  id: string
  kind: 'rotate' | OwnerActionKind
  /** draining: waiting for payments signed under the old session to finish. */
  status: 'draining' | 'sent' | 'done' | 'failed'
  sessionKeyAddress: string | null
  spendingLimit: string | null
  /** The part of the limit that only purchases may use, in whole USDC. */
  purchaseAllowance: number | null
  /** Unix seconds. Null until it is signed. */
  validUntil: number | null
  toAddress: string | null
  /** Decimal USDC. */
  amount: string | null
  txHash: string | null
  error: string | null
  /** ISO 8601 UTC. */
  createdAt: string
  endedAt: string | null
}

/** Amounts are micro-USDC strings, `validUntil` is unix seconds, `nonce` the session's epoch. Never a private key. */
export type SessionKeyInfo = {
  address: string
  /** What sends and purchases may use together. */
  spendingLimit: string
  /** The part of the limit that only purchases may use, in whole USDC. Sends may use the rest. */
  purchaseAllowance: number
  /** By sends. */
  spentAmount: string
  heldAmount: string
  validUntil: number
  isExpired: boolean
  isActive: boolean
  /** Whether we can rotate the key. Otherwise the owner signs. */
  canRotate: boolean
  nonce: number
  /** The owner has permanently disabled our authority to rotate. */
  rotationDisabled: boolean
  /** The owner has ended the session. Only the owner can set the next one. */
  sessionRevoked: boolean
  actions: WalletActionView[]
}
/** POST rotate-session-key: the current key and the id of the started action (an item of `actions`). */
export type RotateReply = SessionKeyInfo & { actionId: string }

/** The values that the owner's signature must contain: the wallet's next owner nonce and a deadline (unix seconds). */
export type OwnerSigningContext = { ownerNonce: string; deadline: number /** micro-USDC */; balance: string }
/** POST session-offers: a new key of ours, which the owner accepts by signing. */
export type SessionOffer = OwnerSigningContext & {
  actionId: string
  sessionKeyAddress: string
  spendingLimit: string
  /** Whole USDC */
  purchaseAllowance: number
  validUntil: number
}
export type OwnerActionReply = { actionId: string }

const micro = (name: string) =>
  z
    .string({ error: `${name} must be a string of whole micro-USDC` })
    .regex(/^[0-9]{1,16}$/, `${name} must be a string of whole micro-USDC`)
    .transform(BigInt)

/** Whole USDC. */
export const purchaseAllowance = z
  .int({ error: 'Purchase allowance must be a whole number of USDC' })
  .min(0, 'Purchase allowance must be a whole number of USDC')

/** POST rotate-session-key and session-offers. Without `purchaseAllowance`, the present one stays. */
export const RotateSessionKey = z
  .object({
    spendingLimit: micro('spendingLimit').superRefine(checkedBy(limitProblem)),
    ttlHours: z.number({ error: 'ttlHours must be a number of hours' }).superRefine(checkedBy(durationProblem)),
    purchaseAllowance: purchaseAllowance.optional(),
  })
  .superRefine(({ spendingLimit, purchaseAllowance = 0 }, ctx) => {
    const problem = allowanceProblem(purchaseAllowance, spendingLimit)
    if (problem !== null) ctx.addIssue({ code: 'custom', message: problem, path: ['purchaseAllowance'] })
  })

const signed = {
  ownerNonce: z
    .string()
    .regex(/^[0-9]{1,78}$/, 'ownerNonce must be a whole number as a string')
    .transform(BigInt),
  deadline: z.number().int().positive().max(0xffff_ffff_ffff),
  signature: z
    .string()
    .regex(/^0x[0-9a-fA-F]{130}$/, 'Signature must be 65 bytes of hex')
    .transform((hex) => hex as `0x${string}`),
}

/** POST owner-actions: EIP-712, signed by the wallet's owner. */
export const SubmitOwnerAction = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('setSession'), actionId: z.string().min(1).max(64), ...signed }),
  z.object({ kind: z.literal('revokeSession'), ...signed }),
  z.object({ kind: z.literal('disableRotation'), ...signed }),
  z.object({
    kind: z.literal('withdraw'),
    to: address,
    amount: micro('amount').refine((amount) => amount > 0n, 'amount must be more than zero'),
    ...signed,
  }),
])
