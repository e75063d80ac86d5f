import type { PayoutStatus } from '#domain/payment.ts'
import type { SendOnState } from '#schemas/sendOn.ts'
import type { Address, ChainId, Hex } from '../chain/types.ts'
import { type Refused, type Result, refuse } from '../result.ts'

const invalid = 'This payout link is invalid or has expired.'
/** The reply to every link that leads nowhere: unknown, mistyped, or with a wrong secret. */
export const unknownLink: Refused = refuse('not_found', invalid)
/** The same text as for a link that never existed. */
export const expiredLink: Refused = refuse('gone', invalid)
/** Operators have taken the link down. */
export const linkDown: Refused = refuse('gone', 'This payout link is not available.')

/** What the claim page may show of a payout. Written by the Treasury; the newest `edition` wins. */
export type DeskView = {
  edition: number
  userId: string
  payoutId: string
  /** SHA-256 of the claim token, in hex. */
  tokenHash: string
  chainId: ChainId
  /** Decimal USDC. */
  amount: string
  status: PayoutStatus
  /** The expiry that the recipient is shown, in ms. */
  expiresAt: number
  escrowAddress: Address
  payer: Address
  senderName: string | null
  memo: string | null
  channel: 'email' | 'sms'
  /** Already masked: `a***@example.com`, `+1 *** *** 42`. */
  recipientMasked: string
  /** The transaction that paid the payout, and where the money went; null until known. */
  txHash: string | null
  withdrawnTo: Address | null
  /** The domain of the passkey that opens `withdrawnTo`; null for an ordinary address. */
  keptDomain: string | null
  /** When it was withdrawn, in ms. */
  withdrawnAt: number | null
  /** Computed by codeHmac.ts; null if there is no code to enter. */
  codeHmac: string | null
  codeVersion: number
  /** Attempts are counted per version. A new code from the sender raises it; one the recipient requests does not. */
  triesVersion: number
  /** True if operators have taken the link down. Missing in views of older versions. */
  isDown?: boolean
}

export type ClaimProof = { passcode?: string; sessionToken?: string }
/** `keptDomain`: the domain of the passkey that opens `to`; null or absent for an ordinary address. */
export type ClaimTarget = { to: Address; keptDomain?: string | null }
/** `txHash` is that of the claim, null until it is known. */
export type ClaimResult = { status: string; txHash: string | null; chainId: ChainId }

/** A transfer that the recipient of a kept payout signed. `amount` in micro-USDC, `validBefore` in unix seconds. */
export type SignedTransfer = { to: Address; amount: bigint; validBefore: number; nonce: Hex; signature: Hex }
/** `txHash` once it is known. `sendsLeft`: how many more transfers the payout pays for. */
export type SentOn = { nonce: Hex; state: SendOnState; txHash: string | null; sendsLeft: number }
export type SentOnDesk = SentOn & { chainId: ChainId }

/**
 * The RPC calls of the Treasury and the claim routes; claimDesk.ts implements them. `tokenHash` is that of the token in the
 * caller's link; with another one than the payout's, each call replies with `unknownLink`.
 */
export interface ClaimDeskApi extends Rpc.DurableObjectBranded {
  /** Called by the Treasury. The newest edition wins, so late and repeated calls are harmless. */
  update(view: DeskView): Promise<void>
  /** The payout's owner, for operators. Null before the Treasury's first update. */
  owner(): Promise<string | null>
  /** What the claim page shows. */
  view(tokenHash: string): Promise<Result<DeskView>>
  /** Opens a session for the right code. Each call counts as an attempt before the code is compared. */
  verify(tokenHash: string, passcode: string): Promise<Result<{ sessionToken: string; view: DeskView }>>
  /** Sends the recipient a new code to the same address. The Treasury enforces the limits. */
  resend(tokenHash: string): Promise<Result<{ recipientMasked: string }>>
  /** Sends a receipt for the money that was withdrawn to the payout's own mailbox, if it has one, once. */
  receipt(tokenHash: string): Promise<Result<{ recipientMasked: string }>>
  /** Checks the session, or the code if there is none; then the Treasury decides. The first accepted address wins. */
  claim(tokenHash: string, input: ClaimProof & ClaimTarget): Promise<Result<ClaimResult>>
  /** Passes a transfer that the recipient of a kept payout signed to the Treasury. */
  sendOn(tokenHash: string, input: SignedTransfer): Promise<Result<SentOnDesk>>
  /** The transfer with this nonce. */
  sentOn(tokenHash: string, nonce: Hex): Promise<Result<SentOnDesk>>
}
