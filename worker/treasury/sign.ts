import { authorizationDigest, authorizationNonce } from '../chain/authorization.ts'
import { sendDigest } from '../chain/digests.ts'
import { signCompact } from '../chain/sign.ts'
import type { Address, Block, Hex } from '../chain/types.ts'
import { deadlineSeconds, issuable, mustResign, nonceOf } from '../domain/intent.ts'
import { nextPayment } from '../domain/payment.ts'
import { audit } from './audit.ts'
import { type Context, knownHead } from './context.ts'
import { checkPlainKey, importedKeyBinding, isPlainKey } from './importedWallets.ts'
import { changed } from './outbox.ts'
import type { PaymentRow, SessionRow, WalletRow } from './store.ts'

/** Open the current session's key into memory, so that signing itself needs no await. */
export async function loadSessionKey(ctx: Context, wallet: WalletRow): Promise<void> {
  const session = ctx.store.session(wallet.id)
  if (!session) return
  if (wallet.kind === 'imported' && !isPlainKey(ctx, wallet)) await checkPlainKey(ctx, wallet)
  if (ctx.keys.has(cacheKey(session))) return
  const binding = wallet.kind === 'smart' ? sessionKeyBinding : importedKeyBinding
  const key = await ctx.sealer.open(session.sealed_key, binding(ctx, wallet.id))
  ctx.keys.set(cacheKey(session), key as `0x${string}`)
}

export const cacheKey = (session: SessionRow) => `${session.wallet_id}:${session.epoch}`
export const sessionKeyBinding = (ctx: Context, walletId: string) => `${ctx.userId}|session key|${walletId}`

/** What a signature adds to a payment's row. */
export type Intent = {
  sequence: number
  deadline: number
  r: Hex
  vs: Hex
  first_block: number
  /** EIP-3009 nonce; null for smart wallets. */
  authorization: Hex | null
}
/** What is signed: the payment's id, and where how much goes. */
type Send = { id: string; to: Address; amount: bigint }

const canSign = (ctx: Context, wallet: WalletRow, session: SessionRow, head: Block) =>
  wallet.halted === null &&
  wallet.status === 'active' &&
  ctx.keys.has(cacheKey(session)) &&
  (wallet.kind === 'smart' || isPlainKey(ctx, wallet)) &&
  head.timestamp <= session.valid_until

/** How many sequences may be issued now, and whether somebody waits already. None while a new session is on its way. */
function queueOf(ctx: Context, session: SessionRow, head: Block): { room: number; waits: boolean } {
  const open = ctx.store.first<{ n: number; lowest: number | null; waits: number; changing: number }>(
    `SELECT count(*) AS n, min(sequence) AS lowest, EXISTS (SELECT 1 FROM payment WHERE status = 'QUEUED' AND wallet_id = ?1) AS waits,
       EXISTS (SELECT 1 FROM wallet_action WHERE wallet_id = ?1 AND kind IN ('rotate','setSession') AND status IN ('draining','sent')
         AND (deadline IS NULL OR deadline >= ?3)) AS changing
     FROM payment WHERE status = 'PROCESSING' AND wallet_id = ?1 AND epoch = ?2`,
    session.wallet_id,
    session.epoch,
    head.timestamp,
  )!
  const room = open.changing === 1 ? 0 : issuable(session.next_sequence, open.lowest, open.n)
  return { room, waits: open.waits === 1 }
}

/** The signature of a payment that is just being accepted; null when key or head are not at hand, or others wait. */
export function signNew(ctx: Context, wallet: WalletRow, session: SessionRow, send: Send): Intent | null {
  const head = knownHead(ctx, wallet.chain_id)
  if (!head || !canSign(ctx, wallet, session, head)) return null
  const { room, waits } = queueOf(ctx, session, head)
  return room === 0 || waits ? null : intentOf(ctx, wallet, session, send, session.next_sequence, head)
}

/** Of those that wait, also such as a smaller session has no room for. */
const mostLookedAt = 1_000

/**
 * Sign what waits, oldest first, as far as the nonce window allows. Runs inside a transaction: status, sequence,
 * deadline and signature are written together, before anything leaves. Without a key or a fresh head nothing happens.
 */
export function signQueued(ctx: Context, wallet: WalletRow, head: Block | null): number {
  const { store } = ctx
  const session = store.session(wallet.id)
  if (!session || !head || !canSign(ctx, wallet, session, head)) return 0
  const { room, waits } = queueOf(ctx, session, head)
  if (room === 0 || !waits) return 0
  const queued = store.all<PaymentRow>(
    "SELECT * FROM payment WHERE wallet_id = ? AND status = 'QUEUED' AND give_up_at > ? ORDER BY created_at, id LIMIT ?",
    wallet.id,
    ctx.now(),
    mostLookedAt,
  )
  let sequence = session.next_sequence
  for (const payment of queued) {
    if (sequence - session.next_sequence === room) break
    if (payment.epoch !== session.epoch && !moveReservation(ctx, payment, session)) continue
    sign(ctx, wallet, session, { ...payment, epoch: session.epoch, sequence }, head)
    sequence += 1
  }
  if (sequence !== session.next_sequence)
    store.run(
      'UPDATE session SET next_sequence = ? WHERE wallet_id = ? AND epoch = ?',
      sequence,
      wallet.id,
      session.epoch,
    )
  return sequence - session.next_sequence
}

function intentOf(
  ctx: Context,
  wallet: WalletRow,
  session: SessionRow,
  send: Send,
  sequence: number,
  head: Block,
): Intent {
  const deadline = head.timestamp + deadlineSeconds
  const key = ctx.keys.get(cacheKey(session))!
  const common = { sequence, deadline, first_block: head.number }
  if (wallet.kind === 'imported') {
    const nonce = authorizationNonce(send.id)
    const { to, amount } = send
    const separator = ctx.store.importedKey(wallet.id)!.domain_separator
    const digest = authorizationDigest(separator, { from: wallet.address, to, amount, nonce, validBefore: deadline })
    return { ...common, authorization: nonce, ...signCompact(digest, key) }
  }
  const domain = { chainId: wallet.chain_id, contract: wallet.address }
  const digest = sendDigest(domain, {
    to: send.to,
    amount: send.amount,
    nonce: nonceOf(session.epoch, sequence),
    deadline,
  })
  return { ...common, authorization: null, ...signCompact(digest, key) }
}

/** Fresh deadlines, same nonces, for signed payments that the chain has not seen and whose time runs out. */
export function signAgain(ctx: Context, wallet: WalletRow, head: Block): number {
  const { store } = ctx
  const session = store.session(wallet.id)
  if (!session || !canSign(ctx, wallet, session, head)) return 0
  let signed = 0
  for (const payment of store.all<PaymentRow>(
    "SELECT * FROM payment WHERE wallet_id = ? AND status = 'PROCESSING' AND epoch = ?",
    wallet.id,
    session.epoch,
  )) {
    const due = mustResign(
      { deadline: payment.deadline!, giveUpAt: payment.give_up_at, epoch: payment.epoch! },
      { timestamp: head.timestamp, epoch: session.epoch },
      ctx.now(),
    )
    if (!due) continue
    sign(ctx, wallet, session, payment, head)
    signed += 1
  }
  return signed
}

function sign(ctx: Context, wallet: WalletRow, session: SessionRow, payment: PaymentRow, head: Block): void {
  const { store } = ctx
  const status = nextPayment(payment.status, 'signed')
  if (status === null) return
  const send = { id: payment.id, to: payment.to_address!, amount: BigInt(payment.amount) }
  const { sequence, deadline, r, vs, authorization } = intentOf(ctx, wallet, session, send, payment.sequence!, head)
  const now = ctx.now()
  store.run(
    `UPDATE payment SET status = ?, epoch = ?, sequence = ?, deadline = ?, max_deadline = max(?, coalesce(max_deadline, 0)),
       sig_version = sig_version + 1, r = ?, vs = ?, authorization = ?, first_block = coalesce(first_block, ?), signed_at = coalesce(signed_at, ?)
     WHERE id = ?`,
    status,
    session.epoch,
    sequence,
    deadline,
    deadline,
    r,
    vs,
    authorization,
    head.number,
    now,
    payment.id,
  )
  audit(store, now, 'payment.signed', payment.id, {
    epoch: session.epoch,
    sequence,
    deadline,
    version: payment.sig_version + 1,
  })
  changed(ctx, 'payment', payment.id)
}

/** A payment accepted under an earlier session takes its reservation along, if the new session has room for it. */
function moveReservation(ctx: Context, payment: PaymentRow, session: SessionRow): boolean {
  const fresh = ctx.store.session(payment.wallet_id)!
  if (fresh.spend_limit - fresh.used - fresh.held < payment.amount) return false
  ctx.store.run(
    'UPDATE session SET held = held - ? WHERE wallet_id = ? AND epoch = ?',
    payment.amount,
    payment.wallet_id,
    payment.epoch,
  )
  ctx.store.run(
    'UPDATE session SET held = held + ? WHERE wallet_id = ? AND epoch = ?',
    payment.amount,
    payment.wallet_id,
    session.epoch,
  )
  return true
}
