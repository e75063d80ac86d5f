import type { MicroUsdc } from '#domain/money.ts'
import { nextPayment } from '#domain/payment.ts'
import { purchaseEnd } from '#domain/x402/chooseOffer.ts'
import { classFor } from '#domain/x402/purchaseClasses.ts'
import { authorizationNonce } from '../../../chain/authorization.ts'
import { authorizationDigest } from '../../../chain/authorizationDigest.ts'
import { purchaseDigest, purchaseNonce } from '../../../chain/purchase.ts'
import { signCompact } from '../../../chain/sign.ts'
import type { Address } from '../../../chain/types.ts'
import { knownHead } from '../../core/chainHeads.ts'
import type { Context } from '../../core/context.ts'
import { fromColumn } from '../../core/storage/columns.ts'
import type { PaymentRow, SessionRow, WalletRow } from '../../core/storage/rows.ts'
import { knownToken } from '../../core/token.ts'
import { audit } from '../../ledger/audit.ts'
import { takeNumber } from '../../ledger/purchaseNumbers.ts'
import { recordChange } from '../../outbox/changes.ts'
import { sendPaymentEvent } from '../../outbox/events.ts'
import { isReplaced } from '../../wallets/actions/actions.ts'
import { canSign } from '../../wallets/canSign.ts'
import { cacheKey, openKeys } from '../../wallets/sessionKeys.ts'
import { offerOf, type StoredOffer } from './offers.ts'
import { classRefusal } from './open.ts'
import { waitsForRefill } from './refill.ts'

/** The columns that signing sets in a purchase's row. */
type Signed = Pick<
  PaymentRow,
  | 'authorization'
  | 'r'
  | 'vs'
  | 'deadline'
  | 'max_deadline'
  | 'sig_version'
  | 'first_block'
  | 'signed_at'
  | 'give_up_at'
>

/** True if the key, a fresh head and the token are in memory, and nothing forbids to sign. */
export function canSignPurchase(ctx: Context, wallet: WalletRow, session: SessionRow): boolean {
  const head = knownHead(ctx, wallet.chain_id)
  if (head === null || knownToken(ctx, wallet) === null || !canSign(ctx, wallet, session, head)) return false
  return wallet.kind === 'imported' || !(isReplaced(ctx, wallet.id, head) || waitsForRefill(ctx, wallet, session))
}

/**
 * Signs a purchase, and takes a number of its class, which must have one. Null if it can't be signed now. Call inside the
 * transaction that stores the columns.
 */
export function signPurchase(
  ctx: Context,
  wallet: WalletRow,
  session: SessionRow,
  { id, to, amount }: { id: string; to: Address; amount: MicroUsdc },
  { accepted }: Pick<StoredOffer, 'accepted'>,
): Signed | null {
  if (!canSignPurchase(ctx, wallet, session)) return null
  const head = knownHead(ctx, wallet.chain_id)!
  const { separator } = knownToken(ctx, wallet)!
  const key = openKeys(ctx).get(cacheKey(session))!
  const deadline = purchaseEnd(head.timestamp, accepted)
  const content = { from: wallet.address, to, amount, validBefore: deadline }
  const common = { deadline, max_deadline: deadline, sig_version: 1, first_block: head.number, signed_at: ctx.now() }
  // Never signed again: the seller has this signature.
  const isFinal = { give_up_at: 0 }
  if (wallet.kind === 'imported') {
    const nonce = authorizationNonce(id)
    const digest = authorizationDigest(separator, { ...content, nonce })
    return { ...common, ...isFinal, authorization: nonce, ...signCompact(digest, key) }
  }
  const ofClass = classFor(amount)!
  const numbers = { epoch: session.epoch, class: ofClass, number: takeNumber(ctx.store, session, ofClass) }
  const digest = purchaseDigest(separator, { ...content, ...numbers })
  return { ...common, ...isFinal, authorization: purchaseNonce(numbers), ...signCompact(digest, key) }
}

/**
 * Signs a purchase that was accepted without a signature, such as on its owner's approval: its agent has asked for it again. False
 * if it can't be signed now. Call inside a transaction.
 */
export function signWaiting(ctx: Context, payment: PaymentRow): boolean {
  const { store } = ctx
  const wallet = store.wallet(payment.wallet_id)!
  const session = store.session(wallet.id)
  const offer = offerOf(store, payment.id)
  const status = nextPayment(payment.status, 'signed')
  const amount = fromColumn(payment.amount)
  if (!session || !offer || status === null) return false
  const isUsedUp =
    wallet.kind === 'smart' && classRefusal(ctx, wallet, session, payment.agent_id, classFor(amount)!) !== null
  const content = { id: payment.id, to: payment.to_address!, amount }
  const signed = isUsedUp ? null : signPurchase(ctx, wallet, session, content, offer)
  if (!signed) return false
  store.update('payment', payment.id, { status, ...signed })
  const { authorization, deadline } = signed
  audit(store, ctx.now(), 'payment.signed', payment.id, { authorization, deadline, version: 1 })
  recordChange(ctx, payment.id)
  sendPaymentEvent(ctx, 'payment.signed', payment.id, payment.status)
  return true
}
