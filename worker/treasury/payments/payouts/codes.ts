import { laterResendPauseMs, maxResends, resendPauseMs, waitText } from '#domain/attempts.ts'
import { expiredLink } from '../../../claims/api.ts'
import { codeHmac } from '../../../claims/codeHmac.ts'
import { newObjectToken } from '../../../identity/objectTokens.ts'
import { sha256 } from '../../../identity/secrets.ts'
import { keyring } from '../../../keyrings/keyring.ts'
import { notFound, ok, type Refused, type Result, refuse } from '../../../result.ts'
import { suspendedOwner } from '../../core/commonRefusals.ts'
import type { Context } from '../../core/context.ts'
import { paidToOf } from '../../core/storage/newPayment.ts'
import type { PayoutRow } from '../../core/storage/rows.ts'
import { audit } from '../../ledger/audit.ts'
import { countMessage, messageRefusal, messageTo, renewalRefusal } from '../../limits/messageLimits.ts'
import { enqueue, enqueuePayout } from '../../outbox/enqueue.ts'
import type { RenewedBy } from './rpcTypes.ts'
import { payoutEnded, takenDown } from './transitions.ts'

/** How long an idempotent replay can show the code again. */
export const codeReplayMs = 10 * 60_000 // 10 minutes

export const codeBinding = (ctx: Context, payoutId: string, version: number) =>
  `${ctx.userId}|passcode|${payoutId}|${version}`

/** A new 6-digit code, with its seal and the HMAC that the claim page compares with. */
export async function newCode(ctx: Context, payoutId: string, version: number) {
  const code = randomCode(ctx)
  return {
    code,
    sealedCode: await ctx.sealer.seal(code, codeBinding(ctx, payoutId, version)),
    codeHmac: codeHmac(keyring(ctx.env, 'CODE_PEPPER').current(ctx.now()), payoutId, version, code),
  }
}

/** 000000–999999 with equal probability: values above the last full million are drawn again. */
function randomCode(ctx: Context): string {
  for (;;) {
    const value = new DataView(ctx.random(4).buffer).getUint32(0)
    if (value < 4_294_000_000) return String(value % 1_000_000).padStart(6, '0')
  }
}

/** The payout's code. Null once it has been erased. */
export const openCode = async (ctx: Context, payout: PayoutRow): Promise<string | null> =>
  payout.sealed_code === null
    ? null
    : ctx.sealer.open(payout.sealed_code, codeBinding(ctx, payout.id, payout.code_version))

/** Erases codes whose message was sent and whose ten minutes of replay have passed. */
export function eraseSentCodes(ctx: Context): void {
  ctx.store.run(
    `UPDATE payout SET sealed_code = NULL WHERE sealed_code IS NOT NULL AND code_until <= ? AND status <> 'CREATING'
       AND NOT EXISTS (SELECT 1 FROM outbox WHERE kind = 'mail.payout_link' AND ref = payout.id)`,
    ctx.now(),
  )
}

/**
 * Sends a new code to the same recipient and ends claim sessions opened with an older code. A renewal by the sender or the
 * desk resets the attempts; one by the recipient does not. The desk's is a no-op unless `triesVersion` is still current.
 */
export async function resendCode(
  ctx: Context,
  payoutId: string,
  by: RenewedBy,
  triesVersion?: number,
): Promise<Result<PayoutRow>> {
  for (;;) {
    const known = ctx.store.payout(payoutId)
    if (!known) return notFound('Payout')
    if (by === 'desk' && known.tries_version !== triesVersion) return ok(known)
    const version = known.code_version + 1
    const fresh = await newCode(ctx, payoutId, version)
    const result = ctx.store.transaction((): Result<PayoutRow> | null => {
      const payout = ctx.store.payout(payoutId)!
      // Another renewal came first: try again with the version after it.
      if (payout.code_version + 1 !== version) return null
      const refused = (by === 'sender' ? suspendedOwner(ctx) : null) ?? resendRefusal(payout, by, ctx.now())
      if (refused) return refused
      const to = messageTo(paidToOf(ctx.store.payment(payoutId)!))!
      const limited = by === 'sender' ? messageRefusal(ctx, null, to) : renewalRefusal(ctx, to)
      if (limited) return limited
      countMessage(ctx, by === 'sender' ? { spender: null } : 'recipient', to)
      ctx.store.update('payout', payoutId, {
        code_version: version,
        code_hmac: fresh.codeHmac,
        sealed_code: fresh.sealedCode,
        code_until: ctx.now(),
        code_at: ctx.now(),
        tries_version: payout.tries_version + (by === 'recipient' ? 0 : 1),
        sender_resends: payout.sender_resends + (by === 'sender' ? 1 : 0),
        recipient_resends: payout.recipient_resends + (by === 'recipient' ? 1 : 0),
      })
      audit(ctx.store, ctx.now(), 'payout.code_renewed', payoutId, { by, version })
      enqueuePayout(ctx, payoutId)
      enqueue(ctx, 'mail.payout_link', payoutId)
      return ok(ctx.store.payout(payoutId)!)
    })
    if (result) return result
  }
}

function resendRefusal(payout: PayoutRow, by: RenewedBy, now: number): Refused | null {
  if (payout.status === 'CREATING')
    return refuse('conflict', 'The payment is still on its way. The code will be sent once it has arrived.')
  if (payout.status === 'CLAIMING') return refuse('conflict', 'This payout is being claimed right now.')
  if (payout.status !== 'CREATED') return payoutEnded(payout.status)
  if (now >= payout.expires_at) return expiredLink
  const down = takenDown(payout, by === 'sender' ? 'sender' : 'recipient')
  if (down) return down
  if (by === 'desk') return null
  if (by === 'sender')
    return payout.sender_resends < maxResends
      ? null
      : refuse('rate_limited', `A new code can be sent ${maxResends} times at most.`)
  const isLater = payout.recipient_resends >= maxResends
  const waitMs = payout.code_at + (isLater ? laterResendPauseMs : resendPauseMs) - now
  if (waitMs > 0 && isLater)
    return refuse(
      'rate_limited',
      `A new code can be sent ${maxResends} times, then once a day. Try again in ${waitText(waitMs)}, or ask the sender.`,
      { retryAfter: Math.ceil(waitMs / 1000) },
    )
  if (waitMs > 0) {
    const seconds = Math.ceil(waitMs / 1000)
    return refuse('rate_limited', `Please wait ${seconds} seconds before asking for another code.`, {
      retryAfter: seconds,
    })
  }
  return null
}

export const tokenBinding = (ctx: Context, payoutId: string) => `${ctx.userId}|claim token|${payoutId}`

/** A new claim token: its hash, which the ClaimDesk compares with, and the sealed token, which the Treasury stores. */
export async function newClaimToken(ctx: Context, payoutId: string) {
  const token = newObjectToken(ctx.env, 'claim_link', payoutId, ctx.random, ctx.now())
  return { tokenHash: sha256(token), sealedToken: await ctx.sealer.seal(token, tokenBinding(ctx, payoutId)) }
}

export const claimUrlOf = async (ctx: Context, payout: Pick<PayoutRow, 'id' | 'sealed_token'>): Promise<string> =>
  `${ctx.env.APP_ORIGIN}/claim/${await ctx.sealer.open(payout.sealed_token, tokenBinding(ctx, payout.id))}`
