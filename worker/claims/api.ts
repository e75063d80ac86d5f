import type { Address, ChainId } from '../chain/types.ts'
import type { Result } from '../result.ts'

/** What the claim page may show of a payout. Written by the Treasury; the newest `edition` wins. */
export type DeskView = {
  edition: number
  userId: string
  payoutId: string
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

/** The RPC calls of the Treasury and the claim routes; claimDesk.ts implements them. */
export interface ClaimDeskApi extends Rpc.DurableObjectBranded {
  /** Called by the Treasury. The newest edition wins, so late and repeated calls are harmless. */
  update(view: DeskView): Promise<void>
  /** What the claim page shows; null before the Treasury's first update. */
  view(): Promise<DeskView | null>
  /** Opens a session for the right code. Each call counts as an attempt before the code is compared. */
  verify(passcode: string): Promise<Result<{ sessionToken: string; view: DeskView }>>
  /** Sends the recipient a new code. The Treasury enforces the limits. */
  resend(): Promise<Result<{ recipientMasked: string }>>
  /** Requires a session or a code. The first accepted address wins. */
  claim(input: {
    passcode?: string
    sessionToken?: string
    to: Address
  }): Promise<Result<{ status: string; txHash: string | null }>>
}
