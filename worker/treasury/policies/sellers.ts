import { dayMs, minuteMs } from '#domain/time.ts'
import { webhookRulesOf, webhookUrlProblem } from '#domain/webhookUrl.ts'
import { parsePaymentRequired } from '#domain/x402/paymentRequired.ts'
import { confirmsSeller, hostOf, sellerPair, urlOf } from '#domain/x402/seller.ts'
import type { Recipient } from '#schemas/paymentTerms.ts'
import { boundedText } from '../../boundedText.ts'
import type { Context } from '../core/context.ts'
import type { SellerRow } from '../core/storage/purchaseTables.ts'
import type { WalletRow } from '../core/storage/rows.ts'
import { readToken } from '../core/token.ts'

/**
 * Sellers that were confirmed: the host itself asked Bursar for a payment to this address. The agent names both, so its own
 * copy of a challenge proves nothing.
 */

const confirmedForMs = 30 * dayMs
/** A host that did not confirm is not asked again before this. */
const askedAgainMs = 10 * minuteMs
const timeoutMs = 5_000 // 5 seconds
const maxBytes = 65_536 // 64 kB

export type SellerTo = Recipient & { type: 'x402' }
type Seller = Pick<SellerTo, 'address' | 'resource'>

const rowOf = ({ store }: Context, wallet: WalletRow, { address, resource }: Seller): SellerRow | null =>
  store.first<SellerRow>(
    'SELECT * FROM seller WHERE pair = ? AND chain_id = ?',
    sellerPair(hostOf(resource), address),
    wallet.chain_id,
  )

const isConfirmed = (row: SellerRow | null, now: number) =>
  row?.confirmed_at != null && now - row.confirmed_at < confirmedForMs

export const isConfirmedSeller = (ctx: Context, wallet: WalletRow, seller: Seller): boolean =>
  isConfirmed(rowOf(ctx, wallet, seller), ctx.now())

/** Whether the host should be asked before the purchase is decided. */
export function mustAskSeller(ctx: Context, wallet: WalletRow, seller: Seller): boolean {
  const row = rowOf(ctx, wallet, seller)
  const now = ctx.now()
  if (isConfirmed(row, now)) return false
  return row === null || now - row.asked_at >= askedAgainMs
}

/** Requests the resource without paying, and stores whether the reply names this address. Never throws for the host's faults. */
export async function askSeller(ctx: Context, wallet: WalletRow, seller: Seller): Promise<void> {
  const token = await readToken(ctx, wallet)
  const challenge = token === null ? null : await challengeAt(ctx, urlOf(seller.resource))
  const confirms = token !== null && challenge !== null && confirmsSeller(challenge, token, seller.address)
  const now = ctx.now()
  // Agents name sellers without end.
  ctx.store.run('DELETE FROM seller WHERE confirmed_at IS NULL AND asked_at < ?', now - askedAgainMs)
  ctx.store.run('DELETE FROM seller WHERE confirmed_at < ?', now - confirmedForMs)
  ctx.store.insert(
    'seller',
    {
      pair: sellerPair(hostOf(seller.resource), seller.address),
      chain_id: wallet.chain_id,
      confirmed_at: confirms ? now : null,
      asked_at: now,
    },
    'ON CONFLICT DO UPDATE SET confirmed_at = coalesce(excluded.confirmed_at, confirmed_at), asked_at = excluded.asked_at',
  )
}

/** The challenge is in the header PAYMENT-REQUIRED, or the body is its JSON. Null if there is none. */
async function challengeAt({ env }: Context, url: string) {
  if (webhookUrlProblem(url, webhookRulesOf(env)) !== null) return null
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json', 'user-agent': 'Bursar-Purchase/1' },
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const header = response.headers.get('payment-required')
    const text = response.status === 402 && header === null ? await boundedText(response, maxBytes) : null
    if (text === null) await response.body?.cancel().catch(() => {})
    if (response.status !== 402) return null
    const parsed = parsePaymentRequired(header ?? JSON.parse(text ?? ''))
    return parsed.ok ? parsed.value : null
  } catch {
    return null // slow, cut off, or not JSON
  }
}
