import type { PayoutStatus } from '#domain/payment.ts'
import type { Address } from '../../../chain/types.ts'
import type { SignedTransfer } from '../../../claims/api.ts'

/** Who renews a payout's code. `desk` is its ClaimDesk, after too many wrong codes. */
export type RenewedBy = 'sender' | 'recipient' | 'desk'

/** `keptDomain`: the domain of the passkey that opens `to`; null or absent for an ordinary address. */
export type ClaimInput = { payoutId: string; codeVersion: number; to: Address; keptDomain?: string | null }

export type PayoutAction = { status: PayoutStatus; txHash: string | null }

export type SendOnInput = SignedTransfer & { payoutId: string }
