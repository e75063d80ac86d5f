import type { RowCursor } from '#domain/lists.ts'
import type { MicroUsdc } from '#domain/money.ts'
import type { NoteFilters } from '#domain/paymentNotes.ts'
import type { PaymentTerms } from '#schemas/paymentTerms.ts'
import type { Address } from '../../chain/types.ts'
import type { Principal } from '../core/rpcTypes.ts'
import type { StoredOffer } from './purchases/offers.ts'

export type PayInput = {
  principal: Principal
  /** Null for dashboard calls without the header and when an approval is carried out; nothing is deduplicated then. */
  key: string | null
  terms: PaymentTerms
  /**
   * The agent's reason, shown to its owner if the payment needs approval. Not part of the terms: a model that words it
   * differently must get the same payment, not a second one.
   */
  reason?: string | null
  /** Of a purchase: what the seller asked for. */
  offer?: StoredOffer | undefined
  /** The user's contact that is paid, for lists only; `terms.to` decides where the money goes. */
  contact?: { id: string; name: string } | null
}

/** `agentId` is set if the owner makes a dry run as one of their agents. */
export type CheckInput = Pick<PaymentTerms, 'to' | 'amount'> & { agentId?: string }

export type RecipientInput = {
  amount: MicroUsdc
  /** The wallet that would pay; null: one on the primary network. */
  walletId?: string | undefined
  toAddress?: Address | undefined
  recipientEmail?: string | undefined
  recipientPhone?: string | undefined
}

/** `after` is the last row of the previous page. */
export type PaymentsInput = { limit: number; after: RowCursor | null; filters: NoteFilters }
