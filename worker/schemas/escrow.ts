import { z } from 'zod'
import type { DeliveryState } from '#domain/delivery.ts'
import type { payoutStatuses } from '#domain/lists.ts'
import type { ChainName } from '#domain/networks.ts'
import { type ClaimStatus, defaultExpiryDays, expiryDays } from '#domain/payment.ts'
import type { PaymentNotes } from '#domain/paymentNotes.ts'
import { senderNameRule } from '#domain/sendRules.ts'
import { claimToken as accessToken, address, email, phone, shownText, sixDigits } from './common.ts'
import { commonTerms } from './paymentTerms.ts'
import type { Transaction } from './transaction.ts'

export type EscrowStatus = (typeof payoutStatuses)[number]
export type Terms = {
  payer: string
  claimKey: string
  reclaimKey: string
  /** micro-USDC */
  amount: string
  /** Unix seconds. One hour after the displayed expiry. */
  expiry: number
  /** Version of the contract set. */
  contractSet: number
  /** Missing if the settings lack that set. */
  escrow?: string
}

/** Delivery state of the newest message to the recipient. `at` is when the state was recorded. */
export type Delivery = { channel: 'email' | 'sms'; state: DeliveryState; at: string }

/** An item of GET /escrow/list (`data: {escrows: EscrowItem[]}`). `delivery` is null until a message's state is known. */
export type EscrowItem = Escrow & { delivery: Delivery | null }

/** A payout as its Treasury knows it. */
export type Escrow = PaymentNotes & {
  id: string
  escrowId: string
  sourceWallet: { id: string; name: string | null; address: string; chain: ChainName } | null
  amount: string
  /** Status for the sender: CLAIMING and RECLAIMING are shown as CREATED with `inProgress`. */
  status: EscrowStatus
  inProgress: 'claim' | 'reclaim' | null
  recipientEmail: string | null
  recipientPhone: string | null
  createdAt: string
  updatedAt: string
  expiresAt: string
  /** When its money reached the payout's own address; null until then. */
  fundedAt: string | null
  claimedAt: string | null
  withdrawnAt: string | null
  /** When its money was back in the wallet. */
  reclaimedAt: string | null
  withdrawnToAddress: string | null
  escrowSubwalletAddress: string
  /** Newest transaction: funding, then withdraw or reclaim. */
  txHash: string | null
  fundingTxHash: string | null
  errorMessage: string | null
  agent: { id: string; name: string } | null
  terms: Terms
  /** Only set if the operator has taken the claim link down. */
  linkTakenDown?: true
}

export const CreateEscrow = z
  .object({
    sourceWalletId: z
      .string({ error: 'Please select a source wallet' })
      .min(1, 'Please select a source wallet')
      .max(64),
    ...commonTerms,
    recipientEmail: email.optional(),
    recipientPhone: phone.optional(),
    expiresInDays: z.literal(expiryDays, { error: 'Expiry must be 1, 7, 30 or 90 days' }).default(defaultExpiryDays),
    senderName: shownText(senderNameRule)
      .optional()
      .transform((text) => text || null),
    /** An addition: the contact with this email or phone, so that lists can name it. */
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
/** Link and code are returned here only. The code is null in replays after 10 minutes. */
export type CreateEscrowReply = {
  escrowId: string
  id: string
  claimUrl: string
  passcode: string | null
  escrowSubwalletAddress: string
  fundingTxHash: string | null
  expiresAt: string
  terms: Terms
  /** Its rows in the lists (an addition). */
  rows: { escrow: Escrow; transaction: Transaction }
}

/**
 * GET /escrow/claim/{accessToken}. `status` is what the recipient sees: CANCELLED if the sender reclaimed it, FAILED if it
 * was never funded.
 */
export type ClaimPayout = {
  escrowId: string
  amount: string
  /** On base-sepolia the money is test money. */
  chain: ChainName
  status: ClaimStatus
  expiresAt: string
  escrowSubwalletAddress: string
  /** Masked. */
  recipientEmail: string | null
  recipientPhone: string | null
  senderName: string | null
  memo: string | null
  /** Transaction hash of the claim, once broadcast. */
  txHash: string | null
  explorerUrl: string | null
  /** Where the money went, as the transaction shows, and when (ISO). Null before. */
  withdrawnToAddress: string | null
  withdrawnAt: string | null
  /**
   * The domain (rpId) of the passkeys that open accounts of recipients: of the payout's, if it is `kept`, else the
   * deployment's. Null if keeping the money is not offered.
   */
  passkeyDomain: string | null
  /** Whether it was withdrawn to an account that its recipient's passkey opens, as the recipient's page said. */
  kept: boolean
}
const passcode = sixDigits('Passcode')
export const VerifyPasscode = z.object({ accessToken, passcode })
export type VerifyReply = { verified: true; sessionToken: string; balance: string }
export const Claim = z
  .object({
    accessToken,
    passcode: passcode.optional(),
    sessionToken: z.string().max(200).optional(),
    recipientAddress: address,
    /** An addition: the address is of an account that a passkey opens, with the domain (rpId) of the passkey. */
    kept: z.literal(true, 'kept must be true or left out').optional(),
    passkeyDomain: z.string().max(253).optional(),
  })
  .superRefine((value, ctx) => {
    if (!value.passcode && !value.sessionToken)
      ctx.addIssue({ code: 'custom', path: ['passcode'], message: 'Passcode must be 6 digits' })
    if (value.kept && !value.passkeyDomain)
      ctx.addIssue({ code: 'custom', path: ['passkeyDomain'], message: 'passkeyDomain is required with kept' })
  })
/** POST /escrow/resend-passcode, by the recipient: a new code to the same address. */
export const ResendPasscode = z.object({ accessToken })
export type ResendPasscodeReply = { sentTo: string }
/** POST /escrow/receipt (an addition), by the recipient of a withdrawn payout: a receipt to the same email address, once. */
export const SendReceipt = z.object({ accessToken })
export type ReceiptReply = { sentTo: string }
/** GET /escrow/{id}/link: the link can be seen again, the code cannot. */
export type ClaimLink = { claimUrl: string }
/** POST /escrow/{id}/resend, by the sender. */
export type ResendReply = { resendsLeft: number }

/** txHash once broadcast; poll GET /escrow/claim/{token} until WITHDRAWN. */
export type ClaimReply = { status: 'CLAIMING' | 'WITHDRAWN'; txHash: string | null; explorerUrl: string | null }
export type ReclaimReply = { id: string; status: 'RECLAIMING' | 'RECLAIMED'; txHash: string | null }

/** POST /escrow/reclaim-all: number of payouts being reclaimed, and the sum of those on Base in decimal USDC. */
export type ReclaimAllReply = { count: number; total: string }
