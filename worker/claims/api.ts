import type { Address, ChainId } from '../chain/types.ts'
import { type Refused, type Result, refuse } from '../result.ts'

/** The reply to every link that leads nowhere: unknown, mistyped, or with a wrong secret. */
export const unknownLink: Refused = refuse('not_found', 'This payout link is invalid or has expired.')

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
  /** CREATING | CREATED | CLAIMING | RECLAIMING | WITHDRAWN | RECLAIMED | FAILED */
  status: string
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
  /** Computed by codeHmac.ts; null if there is no code to enter. */
  codeHmac: string | null
  codeVersion: number
  /** Attempts are counted per version. A new code from the sender raises it; one the recipient requests does not. */
  triesVersion: number
  /** True if operators have taken the link down. Missing in views of older versions. */
  isDown?: boolean
}

export type ClaimProof = { passcode?: string; sessionToken?: string }
/** `txHash` is that of the claim, null until it is known. */
export type ClaimResult = { status: string; txHash: string | null; chainId: ChainId }

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
  /** Sends the recipient a new code. The Treasury enforces the limits. */
  resend(tokenHash: string): Promise<Result<{ recipientMasked: string }>>
  /** Sends the recipient a receipt for the money that was withdrawn, once. */
  receipt(tokenHash: string): Promise<Result<{ recipientMasked: string }>>
  /** Requires a session or a code. The first accepted address wins. */
  claim(tokenHash: string, input: ClaimProof & { to: Address }): Promise<Result<ClaimResult>>
}
