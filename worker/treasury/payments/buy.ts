import { kindOf } from '#domain/kinds/kinds.ts'
import { blockMs } from '#domain/networks.ts'
import { notesOf } from '#domain/paymentNotes.ts'
import { webhookRulesOf } from '#domain/webhookUrl.ts'
import { chooseOffer } from '#domain/x402/chooseOffer.ts'
import { parsePaymentRequired } from '#domain/x402/paymentRequired.ts'
import { parseResource, resourceText } from '#domain/x402/seller.ts'
import type { CreatePurchase, PurchaseReceipt } from '#schemas/x402.ts'
import { ok, type Result, refuse } from '../../result.ts'
import type { Context } from '../core/context.ts'
import type { Principal } from '../core/rpcTypes.ts'
import type { PaymentRow } from '../core/storage/rows.ts'
import { readToken } from '../core/token.ts'
import { recordChange } from '../outbox/changes.ts'
import { resolveCaller } from '../policies/paymentParties.ts'
import { maxOfferBytes, type StoredOffer } from './purchases/offers.ts'
import { findPayment } from './queries.ts'
import type { PayInput } from './rpcTypes.ts'

/** `key`: null for a dry run. */
export type PurchaseInput = { principal: Principal; key: string | null; request: CreatePurchase }

/**
 * The payment that a seller's challenge asks for: its terms have parsed values only, so that the same purchase is recognized
 * however it is written. Throws RpcUnavailable.
 */
export async function purchaseInput(
  ctx: Context,
  { principal, key, request }: PurchaseInput,
): Promise<Result<PayInput>> {
  const caller = resolveCaller(ctx, principal, null)
  if (!caller.ok) return caller
  const rules = webhookRulesOf(ctx.env)
  const parsed = parseResource(request.resource, request.method, rules)
  if (!parsed.ok) return refuse('invalid_input', parsed.problem.message, { field: parsed.problem.field })
  const challenge = parsePaymentRequired(request.payment_required)
  if (!challenge.ok) return refuse('invalid_input', challenge.problem.message, { field: challenge.problem.field })
  const token = await readToken(ctx, caller.value.wallet)
  if (!token) return refuse('upstream_unavailable', 'USDC on this network is not one that purchases can be made with.')
  const chosen = chooseOffer(challenge.value, token, request.max_amount ?? null)
  if (!chosen.ok) {
    const field = chosen.code === 'unsupported_payment' ? chosen.field : 'max_amount'
    return refuse(chosen.code, chosen.message, { field })
  }
  const { payTo, amount, accepted } = chosen.offer
  const { resource, extensions } = challenge.value
  const offer: StoredOffer = {
    accepted,
    ...(resource && { resource }),
    ...(extensions && { extensions }),
  }
  if (new TextEncoder().encode(JSON.stringify(offer)).length > maxOfferBytes)
    return refuse('unsupported_payment', 'The seller’s offer, resource and extensions must be at most 8 kB together.', {
      field: 'payment_required',
    })
  return ok({
    principal,
    key,
    terms: {
      wallet: null,
      to: { type: 'x402', address: payTo, resource: resourceText(parsed.resource) },
      amount,
      ...notesOf(request),
      expiresInDays: null,
      senderName: null,
    },
    reason: request.reason || null,
    offer,
  })
}

/**
 * Keeps what the agent reports about its purchase; a later report replaces it. It decides nothing: the chain does. The first one
 * is a hint to read the chain now.
 */
export function storeReceipt(
  ctx: Context,
  principal: Principal,
  id: string,
  receipt: PurchaseReceipt,
): Result<PaymentRow> {
  const found = findPayment(ctx, principal, id)
  if (!found.ok) return found
  if (kindOf(found.value).submittedBy !== 'seller')
    return refuse('unprocessable', 'Only a purchase has a receipt; this payment is not one.')
  const text = JSON.stringify(receipt)
  const isFirst = ctx.store.run('UPDATE purchase SET reply = ? WHERE id = ? AND reply IS NULL', text, id) > 0
  if (isFirst && found.value.status === 'PROCESSING') ctx.schedule('settle', ctx.now() + blockMs)
  if (!isFirst) ctx.store.run('UPDATE purchase SET reply = ? WHERE id = ?', text, id)
  recordChange(ctx, id)
  return found
}
