import { concat, numberToHex } from 'viem/utils'
import { type PurchaseClass, purchaseClasses } from '#domain/x402/purchaseClasses.ts'
import { authorizationDigest } from './authorizationDigest.ts'
import { plain } from './calls.ts'
import { type CompactSignature, signCompact } from './sign.ts'
import type { Address, Hex } from './types.ts'

/** A purchase from a smart wallet: an authorisation of USDC with a number, which the wallet confirms (Purchase.sol). */
export type Purchase = {
  from: Address
  to: Address
  /** micro-USDC */
  amount: bigint
  /** unix seconds, exclusive */
  validBefore: number
  /** Of the session that signs. */
  epoch: number
  class: PurchaseClass
  number: number
}

/** `epoch 32 | class 8 | number 32 | 0`. */
export const purchaseNonce = (purchase: Pick<Purchase, 'epoch' | 'class' | 'number'>): Hex =>
  numberToHex((BigInt(purchase.epoch) << 224n) | (BigInt(purchase.class) << 216n) | (BigInt(purchase.number) << 184n), {
    size: 32,
  })

/** The numbers in a nonce of this form; null for any other nonce. */
export function purchaseIn(nonce: Hex): { epoch: number; class: PurchaseClass; number: number } | null {
  const word = BigInt(nonce)
  const ofClass = purchaseClasses.find((each) => BigInt(each) === ((word >> 216n) & 0xffn))
  if ((word & ((1n << 184n) - 1n)) !== 0n || ofClass === undefined) return null
  return {
    epoch: Number(word >> 224n),
    class: ofClass,
    number: Number((word >> 184n) & 0xffff_ffffn),
  }
}

/** The authorisation's digest in USDC's domain, which the session key signs. */
export function purchaseDigest(usdcDomainSeparator: Hex, purchase: Purchase): Hex {
  const { from, to, amount, validBefore } = purchase
  return authorizationDigest(usdcDomainSeparator, { from, to, amount, validBefore, nonce: purchaseNonce(purchase) })
}

/** 103 bytes: `to 20 | value 8 | validBefore 6 | class 1 | number 4 | r 32 | vs 32`. Throws if a value is too large for its field. */
export const signPurchase = (usdcDomainSeparator: Hex, purchase: Purchase, sessionKey: Hex): Hex =>
  purchaseSignature(purchase, signCompact(purchaseDigest(usdcDomainSeparator, purchase), sessionKey))

/** The wallet's form of a signature that the session key has made. */
export function purchaseSignature(purchase: Omit<Purchase, 'from' | 'epoch'>, { r, vs }: CompactSignature): Hex {
  return concat([
    plain(purchase.to),
    numberToHex(purchase.amount, { size: 8 }),
    numberToHex(purchase.validBefore, { size: 6 }),
    numberToHex(purchase.class, { size: 1 }),
    numberToHex(purchase.number, { size: 4 }),
    r,
    vs,
  ])
}
