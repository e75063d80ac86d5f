import { createHash, createHmac } from 'node:crypto'
import { payoutAddress } from '../chain/addresses.ts'
import { claimDigest, payoutId as payoutHash, reclaimDigest, type Terms } from '../chain/digests.ts'
import { signCompact } from '../chain/sign.ts'
import type { Address, Block, Hex } from '../chain/types.ts'
import { deadlineSeconds } from '../domain/intent.ts'
import { formatUsdc, type MicroUsdc } from '../domain/money.ts'
import { nextPayout, type PayoutEvent } from '../domain/payment.ts'
import type { Refused, Result } from '../errors.ts'
import { audit } from './audit.ts'
import { type Context, freshHead, newId } from './context.ts'
import { changed, payoutChanged } from './outbox.ts'
import { base64, hexOf, payoutKey } from './seal.ts'
import { column, type PayoutRow, usd, type WalletRow } from './store.ts'
import type { ClaimInput } from './types.ts'

/** The chain lets claims in one hour longer than people are told, so that nobody loses a race against a clock. */
const graceSeconds = 3600
/** The code can be shown again in an idempotent replay this long. */
const codeReplayMs = 10 * 60_000 // 10 minutes

/** Everything of a payout that needs an await or randomness, made before the deciding transaction. */
export type PayoutDraft = {
  id: string
  address: Address
  claimKey: Address
  reclaimKey: Address
  payer: Address
  amount: MicroUsdc
  /** unix seconds on chain */
  expiry: number
  hash: Hex
  expiresAt: number
  senderName: string | null
  token: string
  tokenHash: string
  sealedToken: string
  code: string
  sealedCode: string
  codeHmac: string
}

export const codeHmac = (pepperHex: string, payoutId: string, codeVersion: number, code: string): string =>
  createHmac('sha256', Buffer.from(pepperHex, 'hex')).update(`${payoutId}|${codeVersion}|${code}`).digest('hex')

/** Throws RpcUnavailable: expiry comes from chain time only. */
export async function draftPayout(
  ctx: Context,
  wallet: WalletRow,
  input: { amount: MicroUsdc; expiresInDays: number; senderName: string | null },
): Promise<PayoutDraft> {
  const head = await freshHead(ctx, wallet.chain_id)
  const id = newId(ctx, 'pay')
  const shownExpiry = head.timestamp + input.expiresInDays * 86_400
  const terms: Terms = {
    payer: wallet.address,
    claimKey: keyOf(ctx, id, 'claim').address,
    reclaimKey: keyOf(ctx, id, 'reclaim').address,
    amount: input.amount,
    expiry: shownExpiry + graceSeconds,
  }
  const token = base64(ctx.random(32))
  const code = randomCode(ctx)
  return {
    id,
    address: payoutAddress(ctx.chains[wallet.chain_id].contracts, terms),
    claimKey: terms.claimKey,
    reclaimKey: terms.reclaimKey,
    payer: terms.payer,
    amount: input.amount,
    expiry: terms.expiry,
    hash: payoutHash(terms),
    expiresAt: shownExpiry * 1000,
    senderName: input.senderName,
    token,
    tokenHash: createHash('sha256').update(token).digest('hex'),
    sealedToken: await ctx.sealer.seal(token, `${ctx.userId}|claim token|${id}`),
    code,
    sealedCode: await ctx.sealer.seal(code, `${ctx.userId}|passcode|${id}|1`),
    codeHmac: codeHmac(ctx.env.CODE_PEPPER, id, 1, code),
  }
}

/** 000000–999999, each as likely: numbers above the last full million are drawn again. */
function randomCode(ctx: Context): string {
  for (;;) {
    const value = Number.parseInt(hexOf(ctx.random(4)), 16)
    if (value < 4_294_000_000) return String(value % 1_000_000).padStart(6, '0')
  }
}

/** Inside the accepting transaction. */
export function insertPayout(ctx: Context, draft: PayoutDraft, wallet: WalletRow): void {
  const now = ctx.now()
  ctx.store.run(
    `INSERT INTO payout (id, wallet_id, address, claim_key, reclaim_key, payer, amount, expiry, payout_hash, expires_at, sender_name, status,
       sealed_token, token_hash, code_hmac, sealed_code, code_until, code_at, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'CREATING', ?, ?, ?, ?, ?, ?, ?, ?)`,
    draft.id,
    wallet.id,
    draft.address,
    draft.claimKey,
    draft.reclaimKey,
    draft.payer,
    column(draft.amount),
    draft.expiry,
    draft.hash,
    draft.expiresAt,
    draft.senderName,
    draft.sealedToken,
    draft.tokenHash,
    draft.codeHmac,
    draft.sealedCode,
    now + codeReplayMs,
    now,
    now,
    now,
  )
  changed(ctx, 'link', draft.id)
  payoutChanged(ctx, draft.id)
  ctx.wake('expiry', Math.min(draft.expiresAt, now + codeReplayMs))
}

export const termsOf = (payout: PayoutRow): Terms => ({
  payer: payout.payer,
  claimKey: payout.claim_key,
  reclaimKey: payout.reclaim_key,
  amount: BigInt(payout.amount),
  expiry: payout.expiry,
})

function keyOf(ctx: Context, payoutId: string, purpose: 'claim' | 'reclaim') {
  let salt = ctx.store.meta('payout_salt')
  if (!salt) {
    salt = hexOf(ctx.random(32))
    ctx.store.setMeta('payout_salt', salt)
  }
  return payoutKey(ctx.env.PAYOUT_SECRET_V1, salt, payoutId, purpose)
}

/** Guarded: null when `event` does not apply to the payout's present status. */
export function movePayout(
  ctx: Context,
  payout: PayoutRow,
  event: PayoutEvent,
  data: Record<string, unknown> = {},
): PayoutRow | null {
  const next = nextPayout(payout.status, event)
  if (next === null) return null
  const moved = ctx.store.run(
    'UPDATE payout SET status = ? WHERE id = ? AND status = ?',
    next,
    payout.id,
    payout.status,
  )
  if (moved === 0) return null
  audit(ctx.store, ctx.now(), `payout.${event}`, payout.id, data)
  payoutChanged(ctx, payout.id)
  return ctx.store.payout(payout.id)
}

const ended: Record<'WITHDRAWN' | 'RECLAIMED' | 'RECLAIMING' | 'FAILED', string> = {
  WITHDRAWN: 'This payout was already claimed.',
  RECLAIMED: 'The sender took this payout back.',
  RECLAIMING: 'The sender is taking this payout back.',
  FAILED: 'This payout could not be funded.',
}
const gone = (message: string): Refused => ({ ok: false, code: 'gone', message })

/** decisions.md 31: each side may ask for three new codes, the recipient one a minute. */
const resendsEach = 3
const resendEveryMs = 60_000 // 1 minute

/**
 * A new code to the same address; every session of an older code ends with it. The sender's new code starts the tries
 * anew, the recipient's keeps them.
 */
export async function resendCode(
  ctx: Context,
  payoutId: string,
  by: 'sender' | 'recipient',
): Promise<Result<PayoutRow>> {
  for (;;) {
    const known = ctx.store.payout(payoutId)
    if (!known) return { ok: false, code: 'not_found', message: 'Payout not found.' }
    const version = known.code_version + 1
    const code = randomCode(ctx)
    const sealed = await ctx.sealer.seal(code, `${ctx.userId}|passcode|${payoutId}|${version}`)
    const result = ctx.store.transaction((): Result<PayoutRow> | null => {
      const payout = ctx.store.payout(payoutId)!
      if (payout.code_version + 1 !== version) return null
      const refused = mayResend(payout, by, ctx.now())
      if (refused) return refused
      ctx.store.run(
        `UPDATE payout SET code_version = ?, code_hmac = ?, sealed_code = ?, code_until = ?, code_at = ?, tries_version = tries_version + ?,
           sender_resends = sender_resends + ?, recipient_resends = recipient_resends + ? WHERE id = ?`,
        version,
        codeHmac(ctx.env.CODE_PEPPER, payoutId, version, code),
        sealed,
        ctx.now(),
        ctx.now(),
        by === 'sender' ? 1 : 0,
        by === 'sender' ? 1 : 0,
        by === 'recipient' ? 1 : 0,
        payoutId,
      )
      audit(ctx.store, ctx.now(), 'payout.code_renewed', payoutId, { by, version })
      payoutChanged(ctx, payoutId)
      changed(ctx, 'mail', `${payoutId}:link`)
      return { ok: true, value: ctx.store.payout(payoutId)! }
    })
    if (result) return result
  }
}

function mayResend(payout: PayoutRow, by: 'sender' | 'recipient', now: number): Refused | null {
  if (payout.status === 'CREATING')
    return {
      ok: false,
      code: 'conflict',
      message: 'The payment is still on its way. The code is sent when it has arrived.',
    }
  if (payout.status === 'CLAIMING')
    return { ok: false, code: 'conflict', message: 'This payout is being claimed right now.' }
  if (payout.status !== 'CREATED') return gone(ended[payout.status])
  if (now >= payout.expires_at) return gone('This payout link is invalid or has expired.')
  if ((by === 'sender' ? payout.sender_resends : payout.recipient_resends) >= resendsEach)
    return {
      ok: false,
      code: 'rate_limited',
      message:
        by === 'sender'
          ? 'A new code can be sent 3 times at most.'
          : 'A new code can be sent 3 times at most. Please ask the sender.',
    }
  const waitMs = payout.code_at + resendEveryMs - now
  if (by === 'recipient' && waitMs > 0) {
    const seconds = Math.ceil(waitMs / 1000)
    return {
      ok: false,
      code: 'rate_limited',
      message: `Please wait ${seconds} seconds before asking for another code.`,
      retryAfter: seconds,
    }
  }
  return null
}

/** The recipient, known by link and code, names where the money goes. The first accepted action wins. */
export async function claim(ctx: Context, input: ClaimInput): Promise<Result<PayoutRow>> {
  const known = ctx.store.payout(input.payoutId)
  const wallet = known && ctx.store.wallet(known.wallet_id)
  if (!known || !wallet) return { ok: false, code: 'not_found', message: 'Payout not found.' }
  const head = await freshHead(ctx, wallet.chain_id)
  return ctx.store.transaction((): Result<PayoutRow> => {
    const payout = ctx.store.payout(input.payoutId)!
    if (payout.status === 'CREATING')
      return { ok: false, code: 'conflict', message: 'The payment is still on its way. Please try again in a moment.' }
    if (payout.status === 'CLAIMING') {
      if (payout.action_to?.toLowerCase() === input.to.toLowerCase()) return { ok: true, value: payout }
      return {
        ok: false,
        code: 'conflict',
        message: 'A withdrawal to another address is already on its way.',
        field: 'recipientAddress',
      }
    }
    if (payout.status === 'WITHDRAWN' && payout.withdrawn_to?.toLowerCase() === input.to.toLowerCase())
      return { ok: true, value: payout }
    if (payout.status !== 'CREATED') return gone(ended[payout.status])
    if (input.codeVersion !== payout.code_version)
      return {
        ok: false,
        code: 'wrong_passcode',
        message: 'A new code was sent. Please enter the new one.',
        field: 'passcode',
      }
    if (head.timestamp * 1000 >= payout.expires_at) return gone('This payout link is invalid or has expired.')
    const forbidden = forbiddenClaim(ctx, payout, wallet, input.to)
    if (forbidden) return forbidden
    return {
      ok: true,
      value: startAction(ctx, payout, wallet, head, { action: 'claim', to: input.to, by: 'recipient' }),
    }
  })
}

/** The sender at any time while unclaimed, or the Treasury itself after expiry. Always to the payer. */
export async function reclaim(ctx: Context, payoutId: string, by: 'sender' | 'expiry'): Promise<Result<PayoutRow>> {
  const known = ctx.store.payout(payoutId)
  const wallet = known && ctx.store.wallet(known.wallet_id)
  if (!known || !wallet) return { ok: false, code: 'not_found', message: 'Payout not found.' }
  const head = await freshHead(ctx, wallet.chain_id)
  return ctx.store.transaction((): Result<PayoutRow> => {
    const payout = ctx.store.payout(payoutId)!
    switch (payout.status) {
      case 'RECLAIMING':
      case 'RECLAIMED':
        return { ok: true, value: payout }
      case 'CREATING':
        return {
          ok: false,
          code: 'conflict',
          message: 'The payout is still being created. Please try again in a moment.',
        }
      case 'CLAIMING':
        return { ok: false, code: 'conflict', message: 'The recipient is claiming this payout right now.' }
      case 'WITHDRAWN':
        return { ok: false, code: 'conflict', message: 'The recipient already claimed this payout.' }
      case 'FAILED':
        return { ok: false, code: 'conflict', message: 'This payout was never funded; nothing has to be returned.' }
      case 'CREATED':
        return { ok: true, value: startAction(ctx, payout, wallet, head, { action: 'reclaim', to: payout.payer, by }) }
    }
  })
}

function forbiddenClaim(ctx: Context, payout: PayoutRow, wallet: WalletRow, to: Address): Refused | null {
  const { usdc, escrow } = ctx.chains[wallet.chain_id].contracts
  const wrong = (message: string): Refused => ({ ok: false, code: 'invalid_input', message, field: 'recipientAddress' })
  const is = (address: string) => to.toLowerCase() === address.toLowerCase()
  if (/^0x0{40}$/.test(to)) return wrong('The zero address cannot receive payments.')
  if (is(payout.payer)) return wrong('This is the sender’s wallet. Please enter your own address.')
  if (is(payout.address)) return wrong('This is the payout’s own address. Please enter your own address.')
  if (is(usdc)) return wrong('The USDC contract cannot receive payments.')
  if (is(escrow)) return wrong('The escrow contract cannot receive payments.')
  return null
}

/** Sign the claim or reclaim with the payout's derived key; claims and reclaims exclude each other by the guarded move. */
function startAction(
  ctx: Context,
  payout: PayoutRow,
  wallet: WalletRow,
  head: Block,
  move: { action: 'claim' | 'reclaim'; to: Address; by: 'recipient' | 'sender' | 'expiry' },
): PayoutRow {
  const { escrow } = ctx.chains[wallet.chain_id].contracts
  const domain = { chainId: wallet.chain_id, contract: escrow }
  const deadline = head.timestamp + deadlineSeconds
  const { key } = keyOf(ctx, payout.id, move.action)
  const atLeast = BigInt(payout.amount)
  const { r, vs } =
    move.action === 'claim'
      ? signCompact(claimDigest(domain, { payoutId: payout.payout_hash, to: move.to, atLeast, deadline }), key)
      : signCompact(reclaimDigest(domain, { payoutId: payout.payout_hash, atLeast, deadline }), key)
  ctx.store.run(
    `UPDATE payout SET action = ?, action_to = ?, action_deadline = ?, action_r = ?, action_vs = ?, action_version = action_version + 1,
       action_block = ?, action_delivered_at = NULL, action_tx = NULL, action_by = ? WHERE id = ?`,
    move.action,
    move.to,
    deadline,
    r,
    vs,
    head.number,
    move.by,
    payout.id,
  )
  ctx.wake('settle', ctx.now() + 500)
  return movePayout(ctx, payout, move.action, { by: move.by, to: move.to, amount: formatUsdc(usd(payout.amount)) })!
}

export const payoutKind = (text: string): text is 'claim' | 'reclaim' => text === 'claim' || text === 'reclaim'
