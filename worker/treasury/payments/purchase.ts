import { isSeller, kindOf } from '#domain/kinds/kinds.ts'
import { type MicroUsdc, zeroUsdc } from '#domain/money.ts'
import type { WalletFunds } from '#domain/policy.ts'
import { classFor, maxPurchase } from '#domain/x402/purchaseClasses.ts'
import { hostOf } from '#domain/x402/seller.ts'
import type { Recipient } from '#schemas/paymentTerms.ts'
import { type Refused, refuse } from '../../result.ts'
import type { Context } from '../core/context.ts'
import type { PaymentRow, SessionRow, WalletRow } from '../core/storage/rows.ts'
import type { Store } from '../core/storage/store.ts'
import { walletFunds } from '../ledger/balances.ts'
import type { Caller } from '../policies/paymentParties.ts'
import { mustAskSeller, type SellerTo } from '../policies/sellers.ts'
import type { Gathered, Need } from './needs.ts'
import { openLimitRefusal } from './purchases/open.ts'
import { canSignPurchase, signWaiting } from './purchases/sign.ts'

/** What is decided about purchases only. accept.ts decides the rest, as for every payment. */

/** Whether the session's numbers limit it. An imported wallet's purchase is limited like a send. */
export const hasNumbers = (wallet: WalletRow, to: Recipient): boolean => isSeller(to) && wallet.kind === 'smart'

/** What can't be bought, and what has to be known first. */
export function purchaseProblem(
  ctx: Context,
  { wallet, agent }: Caller,
  to: SellerTo,
  amount: MicroUsdc,
  { sellerLimit }: Gathered,
  approved: PaymentRow | null,
): Refused | Need | null {
  if (wallet.kind === 'smart' && classFor(amount) === null)
    return refuse('unsupported_payment', 'A smart wallet can buy for at most 1 USDC at a time.', {
      field: 'payment_required.accepts',
    })
  if (approved || !agent) return null
  const full = openLimitRefusal(ctx, wallet, agent.id, { host: hostOf(to.resource), address: to.address })
  if (full) return full
  if (!mustAskSeller(ctx, wallet, to)) return null
  return sellerLimit ?? { need: 'seller', wallet, agentId: agent.id, to }
}

/** The wallet's funds for purchases: the class limits what the session key may pay, and not what sends have left. */
export function purchaseFunds(
  store: Store,
  wallet: WalletRow,
  session: SessionRow | null,
  arriving?: MicroUsdc,
): WalletFunds {
  const funds = walletFunds(store, wallet, session, arriving)
  const most = { limit: maxPurchase, spent: zeroUsdc, held: zeroUsdc }
  return { ...funds, session: funds.session && { ...most, validUntil: funds.session.validUntil } }
}

/** The key, head and token, unless they are in memory or could not be read. */
export function signerNeed(
  ctx: Context,
  wallet: WalletRow,
  session: SessionRow | null,
  { signer }: Gathered,
): Need | null {
  if (signer || (session && canSignPurchase(ctx, wallet, session))) return null
  return { need: 'signer', wallet }
}

/** Signs an earlier purchase that waits for its agent. Returns what it needs for that, or null. */
export function resumePurchase(ctx: Context, payment: PaymentRow, gathered: Gathered): Need | null {
  if (kindOf(payment).submittedBy !== 'seller' || payment.status !== 'QUEUED') return null
  const wallet = ctx.store.wallet(payment.wallet_id)!
  const need = signerNeed(ctx, wallet, ctx.store.session(wallet.id), gathered)
  if (!need) signWaiting(ctx, payment)
  return need
}
