import { kindOf } from '#domain/kinds/kinds.ts'
import type { Accepted } from '#domain/x402/chooseOffer.ts'
import { paymentPayload } from '#domain/x402/paymentPayload.ts'
import type { Json } from '#domain/x402/paymentRequired.ts'
import type { PurchaseReceipt } from '#schemas/x402.ts'
import { authorizationSignature } from '../../../chain/authorization.ts'
import { purchaseIn, purchaseSignature } from '../../../chain/purchase.ts'
import type { Hex } from '../../../chain/types.ts'
import { fromColumn } from '../../core/storage/columns.ts'
import type { PurchaseRow } from '../../core/storage/purchaseTables.ts'
import type { PaymentRow } from '../../core/storage/rows.ts'
import type { Store } from '../../core/storage/store.ts'

/** What a payload repeats of the seller's challenge, word for word. `accepted` is the chosen offer. */
export type StoredOffer = { accepted: Accepted; resource?: Json; extensions?: Json }

/** Servers refuse longer headers, of which two thirds are this JSON. In bytes. */
export const maxOfferBytes = 8_192 // 8 kB

export function offerOf(store: Store, paymentId: string): StoredOffer | null {
  const row = store.first<PurchaseRow>('SELECT * FROM purchase WHERE id = ?', paymentId)
  return row?.offer ? (JSON.parse(row.offer) as StoredOffer) : null
}

export const insertOffer = (store: Store, id: string, offer: StoredOffer): void =>
  store.insert('purchase', { id, offer: JSON.stringify(offer) })

/** Null for all payments about which nothing was reported. */
export function receiptOf(store: Store, payment: Pick<PaymentRow, 'id' | 'kind'>): PurchaseReceipt | null {
  if (kindOf(payment).submittedBy !== 'seller') return null
  const row = store.first<PurchaseRow>('SELECT * FROM purchase WHERE id = ?', payment.id)
  return row?.reply ? (JSON.parse(row.reply) as PurchaseReceipt) : null
}

/**
 * What the agent hands to the seller. Null unless the payment is a purchase that is signed and may still be settled; then
 * every call returns the same. `payload`: JSON of a PaymentPayload. `validBefore` in unix seconds.
 */
export function payloadOf(store: Store, payment: PaymentRow): { payload: string; validBefore: number } | null {
  if (kindOf(payment).submittedBy !== 'seller' || payment.status !== 'PROCESSING' || payment.authorization === null)
    return null
  const offer = offerOf(store, payment.id)
  const wallet = store.wallet(payment.wallet_id)
  if (!offer || !wallet || payment.r === null || payment.vs === null) return null
  const signed = {
    from: wallet.address,
    validBefore: payment.deadline!,
    nonce: payment.authorization,
    signature: signatureOf(payment, payment.authorization, { r: payment.r, vs: payment.vs }),
  }
  const { accepted, ...challenge } = offer
  const payTo = payment.to_address!
  const chosen = { payTo, amount: fromColumn(payment.amount), accepted }
  return {
    payload: JSON.stringify(paymentPayload({ accepts: [accepted], ...challenge }, chosen, signed)),
    validBefore: payment.deadline!,
  }
}

/** A smart wallet checks a signature that has the purchase's numbers; an imported one's key signs as USDC expects. */
function signatureOf(payment: PaymentRow, nonce: Hex, { r, vs }: { r: Hex; vs: Hex }): Hex {
  const numbers = payment.epoch === null ? purchaseIn(nonce) : null
  if (!numbers) return authorizationSignature({ r, vs })
  const { to_address, amount, deadline } = payment
  return purchaseSignature(
    { to: to_address!, amount: BigInt(amount), validBefore: deadline!, class: numbers.class, number: numbers.number },
    { r, vs },
  )
}

/** Deletes the offers of purchases whose settlement is final. Before that, a reorganization may make them payable again. */
export const forgetOffers = (store: Store, walletId: string, toBlock: number): void =>
  void store.run(
    `UPDATE purchase SET offer = NULL
     WHERE id IN (SELECT ref FROM booking WHERE wallet_id = ? AND block <= ? AND kind = 'paid')`,
    walletId,
    toBlock,
  )
