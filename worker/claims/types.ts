import type { Address, ChainId } from '../chain/types.ts'

/** What the claim page may know. Written by the Treasury, newest `edition` wins. */
export type DeskView = {
  edition: number
  userId: string
  payoutId: string
  chainId: ChainId
  /** Decimal USDC. */
  amount: string
  /** CREATING | CREATED | CLAIMING | RECLAIMING | WITHDRAWN | RECLAIMED | FAILED */
  status: string
  /** ms; what the recipient is shown. */
  expiresAt: number
  escrowAddress: Address
  payer: Address
  senderName: string | null
  memo: string | null
  channel: 'email' | 'sms'
  /** Already masked: `a***@example.com`, `+1 *** *** 42`. */
  recipientMasked: string
  /** Where the money went, once known. */
  txHash: string | null
  withdrawnTo: Address | null
  /** HMAC-SHA256 with CODE_PEPPER over payout id, code version and code, hex (treasury/payouts.ts). */
  codeHmac: string | null
  codeVersion: number
  /** Tries are counted per this: a new code of the sender's raises it. */
  triesVersion: number
}
