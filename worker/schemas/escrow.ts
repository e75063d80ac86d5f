import { z } from 'zod'
import { address, email, memo, phone, usdcAmount } from './common.ts'

export type EscrowStatus = 'CREATING' | 'CREATED' | 'WITHDRAWN' | 'RECLAIMED' | 'FAILED'
export type Terms = {
  payer: string
  claimKey: string
  reclaimKey: string /** micro-USDC */
  amount: string /** unix seconds on chain = shown expiry + 1 h */
  expiry: number
}

/** An item of GET /escrow/list (`data: {escrows: Escrow[]}`). */
export type Escrow = {
  id: string
  escrowId: string
  sourceWallet: { id: string; name: string | null; address: string; chain: 'base' | 'base-sepolia' } | null
  amount: string
  /** What the sender sees. CLAIMING and RECLAIMING are shown as CREATED, with `inProgress`. */
  status: EscrowStatus
  inProgress: 'claim' | 'reclaim' | null
  recipientEmail: string | null
  recipientPhone: string | null
  memo: string | null
  createdAt: string
  updatedAt: string
  expiresAt: string
  claimedAt: string | null
  withdrawnAt: string | null
  withdrawnToAddress: string | null
  escrowSubwalletAddress: string
  /** Newest transaction: funding, then withdraw or reclaim. */
  txHash: string | null
  fundingTxHash: string | null
  errorMessage: string | null
  agent: { id: string; name: string } | null
  terms: Terms
}

export const CreateEscrow = z
  .object({
    sourceWalletId: z
      .string({ error: 'Please select a source wallet' })
      .min(1, 'Please select a source wallet')
      .max(64),
    amount: usdcAmount,
    recipientEmail: email.optional(),
    recipientPhone: phone.optional(),
    expiresInDays: z
      .union([z.literal(1), z.literal(7), z.literal(30), z.literal(90)], {
        error: 'Expiry must be 1, 7, 30 or 90 days',
      })
      .default(30),
    memo,
    senderName: z.string().trim().max(60, 'Sender name must be at most 60 characters').optional(),
    /** An addition: the contact whose email or phone this is, so that lists can name it. */
    contactId: z.string().max(64).optional(),
  })
  .superRefine((value, ctx) => {
    if (!value.recipientEmail && !value.recipientPhone)
      ctx.addIssue({
        code: 'custom',
        path: ['recipientEmail'],
        message: 'Please enter an email address for the recipient',
      })
    if (value.recipientEmail && value.recipientPhone)
      ctx.addIssue({
        code: 'custom',
        path: ['recipientPhone'],
        message: 'Choose either an email address or a phone number',
      })
  })
/** link and code are shown in this answer only; the code is null in replays after 10 minutes. */
export type CreateEscrowReply = {
  escrowId: string
  id: string
  claimUrl: string
  passcode: string | null
  escrowSubwalletAddress: string
  fundingTxHash: string | null
  expiresAt: string
  terms: Terms
}

/** GET /escrow/claim/{accessToken}. status is what the recipient sees: CANCELLED when the sender reclaimed. */
export type ClaimPayout = {
  escrowId: string
  amount: string
  /** On base-sepolia it is test money without value. */
  chain: 'base' | 'base-sepolia'
  status: 'CREATING' | 'CREATED' | 'CLAIMING' | 'WITHDRAWN' | 'CANCELLED'
  expiresAt: string
  escrowSubwalletAddress: string
  /** Masked. */
  recipientEmail: string | null
  recipientPhone: string | null
  senderName: string | null
  memo: string | null
  txHash: string | null
  explorerUrl: string | null
}
export const VerifyPasscode = z.object({
  accessToken: z.string().min(1).max(200),
  passcode: z.string().regex(/^[0-9]{6}$/, 'Passcode must be 6 digits'),
})
export type VerifyReply = { verified: true; sessionToken: string; balance: string }
export const Claim = z
  .object({
    accessToken: z.string().min(1).max(200),
    passcode: z
      .string()
      .regex(/^[0-9]{6}$/, 'Passcode must be 6 digits')
      .optional(),
    sessionToken: z.string().max(200).optional(),
    recipientAddress: address,
  })
  .superRefine((value, ctx) => {
    if (!value.passcode && !value.sessionToken)
      ctx.addIssue({ code: 'custom', path: ['passcode'], message: 'Passcode must be 6 digits' })
  })
/** POST /escrow/resend-passcode, by the recipient: a new code to the same address. */
export const ResendPasscode = z.object({ accessToken: z.string().min(1).max(200) })
export type ResendPasscodeReply = { sentTo: string }
/** POST /escrow/{id}/resend, by the sender. */
export type ResendReply = { resendsLeft: number }

/** txHash once broadcast; poll GET /escrow/claim/{token} until WITHDRAWN. */
export type ClaimReply = { status: 'CLAIMING' | 'WITHDRAWN'; txHash: string | null; explorerUrl: string | null }
export type ReclaimReply = { id: string; status: 'RECLAIMING' | 'RECLAIMED'; txHash: string | null }

/** POST /escrow/reclaim-all: how many payouts were asked for, and their sum in decimal USDC. */
export type ReclaimAllReply = { count: number; total: string }
