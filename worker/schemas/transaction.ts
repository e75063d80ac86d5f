import { z } from 'zod'
import type { TransactionCategory, TransactionStatus } from '#domain/lists.ts'
import type { ChainName } from '#domain/networks.ts'
import type { PaymentNotes } from '#domain/paymentNotes.ts'
import { checksumAddress } from '#domain/validators.ts'
import { address, email, phone, usdcAmount } from './common.ts'
import { commonTerms } from './paymentTerms.ts'

export type { TransactionCategory, TransactionStatus }

/**
 * How money moved without a payment: a transfer that was read from the chain, a day's deposits below 0.01 USDC, the balance
 * of a wallet when it was added, or a withdrawal that its owner signed in Bursar.
 */
export type MovementOrigin = 'transfer' | 'small' | 'start' | 'owner'

/** An item of GET /transactions/user and GET /transactions/{id}. */
export type Transaction = PaymentNotes & {
  id: string
  category: TransactionCategory
  status: TransactionStatus
  /** Decimal USDC. */
  amountUsdc: string
  /** When it was accepted; until then, and if it was refused, when it was requested. Lists are sorted by it. */
  createdAt: string
  agentId: string | null
  agent: { name: string } | null
  contactId: string | null
  contact: { name: string } | null
  toAddress: string | null
  /** The user's own wallet at `toAddress`; null if it is somebody else's address. */
  toWallet: { name: string | null; address: string } | null
  /** Who sent a deposit; null for other rows, and for deposits that are listed together. */
  fromAddress: string | null
  /** Null unless it is a deposit or a withdrawal. */
  origin: MovementOrigin | null
  /** The wallet whose balance the row is about: that of the payer, or that which received a deposit. */
  fromWalletId: string | null
  fromWallet: { name: string | null; address: string } | null
  fromWalletChain: ChainName
  txHash: string | null
  /** A sentence for people. Null unless it failed or was refused. */
  errorMessage: string | null
  recipientEmail: string | null
  recipientPhone: string | null
  /** Of a purchase: the method, and the address without its query. */
  resource: string | null
  /** Until when the seller may take a purchase that was handed out (ISO 8601); null once that is settled, and for others. */
  validBefore: string | null
  /** Of a purchase: whether its agent says that it got the resource; null if it has not said, and for others. */
  served: boolean | null
  escrowId: string | null
  policyGroupId: string | null
  /** The payout run that it is part of. */
  runId: string | null
  /** The approval that the payment waits or waited for. While it is open, status is PENDING. */
  approvalId: string | null
  /** Why it was refused: the rule, what to do next, and the figures (decimal USDC) of the decision. */
  refusal: {
    rule: string
    next: string
    policyVersion: number | null
    limit: string | null
    spent: string | null
    held: string | null
    remaining: string | null
    /** Of a rule that counts payments. */
    count: { limit: number; used: number } | null
    maxAllowedNow: string | null
  } | null
  /** ISO 8601. Null for steps not reached yet. */
  timeline: { decidedAt: string; signedAt: string | null; broadcastAt: string | null; confirmedAt: string | null }
}

export const SendTransaction = z.object({
  walletId: z.string({ error: 'Please select a wallet' }).min(1, 'Please select a wallet').max(64),
  toAddress: address.transform(checksumAddress),
  ...commonTerms,
  /** An addition: the contact with this address, so that lists can name it. */
  contactId: z.string().max(64).optional(),
})
/** `txHash` is set only if the Relayer has broadcast within 300 ms. `transaction` (an addition): its row in the list. */
export type SendReply = { id: string; status: string; txHash?: string; transaction: Transaction }

/** POST /transactions/recipient-check (an addition): information about a recipient before paying. */
export const RecipientCheck = z
  .object({
    amount: usdcAmount,
    walletId: z.string().max(64).optional(),
    toAddress: address.optional(),
    recipientEmail: email.optional(),
    recipientPhone: phone.optional(),
  })
  .refine(
    ({ toAddress, recipientEmail, recipientPhone }) =>
      [toAddress, recipientEmail, recipientPhone].filter(Boolean).length === 1,
    { path: ['toAddress'], message: 'Specify exactly one recipient: an address, an email or a phone number' },
  )
export type RecipientHistory = {
  /** Number of payments by the user or their agents that did not fail. */
  payments: number
  /** When the newest was accepted (ISO 8601), even if that one failed since. */
  lastPaidAt: string | null
  /** Time of the newest payment of the same amount within ten minutes. */
  sameAmountAt: string | null
  /** A different address that was paid before and looks like this one. */
  lookAlike: string | null
  /** Of a first payment to an address: whether nobody has used it on the wallet's network. Null if that is not known. */
  unused: boolean | null
}
