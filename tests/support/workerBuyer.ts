/** A payer whose agent buys from sellers, on the chain that mines only when a test asks for it. */
import { expect } from 'vitest'
import type { PaymentPayload } from '#domain/x402/paymentPayload.ts'
import { sellerPair } from '#domain/x402/seller.ts'
import { purchaseIn } from '../../worker/chain/purchase.ts'
import type { Address, Hex } from '../../worker/chain/types.ts'
import { unwrap } from '../../worker/result.ts'
import { payloadOf as handedOut } from '../../worker/treasury/payments/purchases/offers.ts'
import { allScopes, usdc } from './build.ts'
import { manualChain as chain, createPayer, fresh, type Payer } from './payer.ts'
import { settlePurchaseCall } from './purchases.ts'
import { inTreasury } from './treasuries.ts'
import { party } from './workerChain.ts'

export const createBuyer = (purchaseAllowance?: number) =>
  createPayer({
    ...{ on: chain, scopes: [...allScopes, 'x402_payments:write'] },
    ...(purchaseAllowance !== undefined && { purchaseAllowance }),
  })

/** Buys for 0.5 USDC from a host that has confirmed its address. */
export async function buy(payer: Payer, name: string) {
  const [host, address] = [`${name}.example`, fresh(name)]
  await inTreasury(payer, ({ context: { store, now } }) =>
    store.insert('seller', { pair: sellerPair(host, address), chain_id: 84532, confirmed_at: now(), asked_at: now() }),
  )
  const to = { type: 'x402', address, resource: `GET https://${host}/data` } as const
  const offer = { accepted: { scheme: 'exact', payTo: address, maxTimeoutSeconds: 60 } }
  const input = { ...payer.payment({ to, amount: usdc('0.5') }), offer }
  const { payment } = unwrap(await payer.treasury().payAsAgent(input))
  expect(payment.status).toBe('PROCESSING')
  return { id: payment.id, address }
}

/** What its seller was given. */
export const payloadOf = (payer: Payer, id: string) =>
  inTreasury(payer, ({ context: { store } }) => {
    const { payload } = handedOut(store, store.payment(id)!)!
    return (JSON.parse(payload) as PaymentPayload).payload
  })

/** The seller's facilitator submits it. */
export async function settle(payer: Payer, id: string): Promise<void> {
  const { authorization, signature } = await payloadOf(payer, id)
  const { from, to, value, validBefore, nonce } = authorization
  const content = { from: from as Address, to: to as Address, amount: BigInt(value), validBefore: Number(validBefore) }
  const call = settlePurchaseCall({ ...content, ...purchaseIn(nonce as Hex)! }, signature as Hex)
  await chain.act(party('facilitator').address, chain.contracts.usdc, call)
}
