import type { PayoutStatus } from '#domain/payment.ts'
import type { Address } from '../../chain/types.ts'

/** Who renews a payout's code. `desk` is its ClaimDesk, after too many wrong codes. */
export type RenewedBy = 'sender' | 'recipient' | 'desk'

export type ClaimInput = { payoutId: string; codeVersion: number; to: Address }

export type PayoutAction = { status: PayoutStatus; txHash: string | null }
