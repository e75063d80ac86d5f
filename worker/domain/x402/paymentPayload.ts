import type { Offer } from './chooseOffer.ts'
import type { Json, PaymentRequired } from './paymentRequired.ts'

type Hex = `0x${string}`

/** What the buyer sends: https://github.com/coinbase/x402 specs/x402-specification-v2.md §5.2. */
export type PaymentPayload = {
  x402Version: 2
  accepted: Json
  resource?: Json
  extensions?: Json
  payload: {
    signature: Hex
    /** Integers as decimal strings, times in unix seconds. */
    authorization: { from: string; to: string; value: string; validAfter: string; validBefore: string; nonce: Hex }
  }
}

/** `validBefore` is in unix seconds. */
export function paymentPayload(
  { resource, extensions }: PaymentRequired,
  { payTo, amount, accepted }: Offer,
  signed: { from: string; validBefore: number; nonce: Hex; signature: Hex },
): PaymentPayload {
  const { from, validBefore, nonce, signature } = signed
  return {
    x402Version: 2,
    accepted,
    ...(resource && { resource }),
    ...(extensions && { extensions }),
    payload: {
      signature,
      authorization: {
        from,
        to: payTo,
        value: String(amount),
        validAfter: '0',
        validBefore: String(validBefore),
        nonce,
      },
    },
  }
}

/** The value of the header PAYMENT-SIGNATURE. */
export function paymentHeader(payload: PaymentPayload): string {
  let bytes = ''
  for (const byte of new TextEncoder().encode(JSON.stringify(payload))) bytes += String.fromCharCode(byte)
  return btoa(bytes)
}
