import type { CountedName } from '#domain/limitList.ts'
import { formatUsdcText, min, zeroUsdc } from '#domain/money.ts'
import type { mostAllowed } from '#domain/policy.ts'
import { orOwner, type Refusal } from '#domain/refusal.ts'
import { capOf, classProblem, type PurchaseClass, purchaseClasses, shareOfAgent } from '#domain/x402/purchaseClasses.ts'
import { sellerPair } from '#domain/x402/seller.ts'
import { purchaseIn } from '../../../chain/purchase.ts'
import type { Refused } from '../../../result.ts'
import { finalAge } from '../../core/chainHeads.ts'
import type { Context } from '../../core/context.ts'
import { isSellerSubmitted } from '../../core/storage/kindSql.ts'
import type { PaymentRow, SessionRow, WalletRow } from '../../core/storage/rows.ts'
import { statusIn } from '../../core/storage/statuses.ts'
import { classUses } from '../../ledger/purchaseNumbers.ts'
import { limitRefusal } from '../../limits/limitRefusal.ts'

/** Purchases that were accepted and are neither settled nor proven dead. */

type Open = Pick<PaymentRow, 'authorization' | 'seller' | 'to_address' | 'max_deadline' | 'wallet_id' | 'epoch'>

const openOf = (ctx: Context, agentId: string): Open[] =>
  ctx.store.all<Open>(
    `SELECT authorization, seller, to_address, max_deadline, wallet_id, epoch FROM payment
     WHERE ${isSellerSubmitted('kind')} AND agent_id = ? AND status IN ${statusIn.unsettled}`,
    agentId,
  )

/** How long after its deadline a purchase is proven dead (ms): until a later block is final. */
const untilProven = (ctx: Context, { chain_id }: WalletRow) => finalAge(ctx, chain_id) ?? 0

/** When the first of these purchases ends for certain (ms). */
const firstEnd = (ctx: Context, wallet: WalletRow, open: Open[]): number =>
  Math.max(
    ctx.now() + 1_000,
    Math.min(...open.map((each) => (each.max_deadline ?? 0) * 1000)) + untilProven(ctx, wallet),
  )

/** The limits on open purchases of an agent, altogether and from one seller. */
export function openLimitRefusal(
  ctx: Context,
  wallet: WalletRow,
  agentId: string,
  seller: { host: string; address: string },
): Refused | null {
  const { openPurchases, openPurchasesPerSeller } = ctx.limits
  if (Math.min(openPurchases, openPurchasesPerSeller) === Number.POSITIVE_INFINITY) return null
  const pair = sellerPair(seller.host, seller.address)
  // SQL counts, from the index alone: only a refusal needs the rows.
  const { altogether, toSeller } = ctx.store.first<{ altogether: number; toSeller: number }>(
    `SELECT count(*) AS altogether, count(*) FILTER (WHERE seller || ' ' || lower(to_address) = ?) AS toSeller
     FROM payment WHERE ${isSellerSubmitted('kind')} AND agent_id = ? AND status IN ${statusIn.unsettled}`,
    pair,
    agentId,
  )!
  const refuse = (limit: CountedName, isOf: (each: Open) => boolean) =>
    limitRefusal(ctx, limit, firstEnd(ctx, wallet, openOf(ctx, agentId).filter(isOf)))
  if (altogether >= openPurchases) return refuse('open_purchases', () => true)
  if (toSeller < openPurchasesPerSeller) return null
  return refuse('open_purchases from one seller', (each) => sellerPair(each.seller!, each.to_address!) === pair)
}

/** Why a smart wallet's session cannot sign another purchase of this class for the agent; null if it can. */
export function classRefusal(
  ctx: Context,
  wallet: WalletRow,
  session: SessionRow,
  agentId: string | null,
  purchaseClass: PurchaseClass,
): Refusal | null {
  let open: Open[] | null = null
  const inClass = (of: PurchaseClass) => {
    open ??= agentId === null ? [] : openOf(ctx, agentId)
    return open.filter(({ authorization, wallet_id, epoch }) => {
      const numbers = authorization && epoch === null && wallet_id === wallet.id ? purchaseIn(authorization) : null
      return numbers?.class === of && numbers.epoch === session.epoch
    })
  }
  const uses = classUses(ctx.store, session)
  const problemOf = (of: PurchaseClass) => {
    const use = uses[of]
    // With so few taken by all, nobody can have a share's worth open: nothing is read.
    const openOfAgent = () => (use.taken < shareOfAgent(use) ? 0 : inClass(of).length)
    return classProblem(use, agentId === null ? null : openOfAgent())
  }
  const problem = problemOf(purchaseClass)
  if (problem === null) return null
  const { count } = uses[purchaseClass]
  const cap = formatUsdcText(capOf(purchaseClass))
  const best = purchaseClasses.findLast((of) => problemOf(of) === null)
  const most = best === undefined ? zeroUsdc : capOf(best)
  const own = inClass(purchaseClass)
  const refusal = (message: string, next: Refusal['next'], resetsAt: number | null): Refusal => ({
    code: 'purchases_used_up',
    rule: 'session.purchases',
    message,
    next,
    figures: null,
    resetsAt,
    maxAllowedNow: most,
    maxWithoutAsking: most,
    purchaseClass,
  })
  if (count === 0)
    return refusal(
      'The wallet’s session key may not make purchases of this size.',
      orOwner('', 'rotate the session key with more for purchases'),
      null,
    )
  if (problem === 'share')
    return refusal(
      `This agent has ${own.length} purchases of up to ${cap} USDC that are not settled, its share of the ${count} that the session key may make.`,
      orOwner('Wait until resets_at', 'rotate the session key with more for purchases'),
      firstEnd(ctx, wallet, own),
    )
  return refusal(
    `The ${count} purchases of up to ${cap} USDC that the session key may make are used up.`,
    orOwner('Wait until resets_at', 'rotate the session key'),
    own.length > 0 ? firstEnd(ctx, wallet, own) : session.valid_until * 1000,
  )
}

/** The most that the caller may pay now, in a refusal for the class. */
export const withMaximum = (refusal: Refusal, most: ReturnType<typeof mostAllowed>): Refusal => ({
  ...refusal,
  maxAllowedNow: min(refusal.maxAllowedNow, most.now),
  maxWithoutAsking: min(refusal.maxWithoutAsking, most.withoutAsking),
})
