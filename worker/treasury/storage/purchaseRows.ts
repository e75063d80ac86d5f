import type { ChainId } from '../../chain/types.ts'

/** Rows of the tables in purchaseTables.ts. */

/** `offer`: JSON of a StoredOffer (purchases/offers.ts). `reply`: JSON of what the agent reported. */
export type PurchaseRow = { id: string; offer: string | null; reply: string | null }

/** domain/x402/purchaseClasses.ts */
export type PurchaseClassRow = {
  wallet_id: string
  epoch: number
  class: number
  next_number: number
  taken: number
  settled: number
}

export type SellerRow = { pair: string; chain_id: ChainId; confirmed_at: number | null; asked_at: number }
