import { deadlineSeconds, mustResign, nonceOf } from '#domain/intent.ts'
import { nextPayment } from '#domain/payment.ts'
import { authorizationNonce } from '../../chain/authorization.ts'
import { authorizationDigest } from '../../chain/authorizationDigest.ts'
import { sendDigest } from '../../chain/digests.ts'
import { signCompact } from '../../chain/sign.ts'
import type { Address, Block, Hex } from '../../chain/types.ts'
import { knownHead } from '../core/chainHeads.ts'
import type { Context } from '../core/context.ts'
import type { Spender } from '../core/spender.ts'
import { fromColumn } from '../core/storage/columns.ts'
import type { PaymentRow, SessionRow, WalletRow } from '../core/storage/rows.ts'
import { audit } from '../ledger/audit.ts'
import { queuedOf } from '../limits/admission.ts'
import { recordChange } from '../outbox/changes.ts'
import { sendPaymentEvent } from '../outbox/events.ts'
import { canSign } from '../wallets/canSign.ts'
import { cacheKey, openKeys } from '../wallets/sessionKeys.ts'
import { queuedInTurn, readSlots } from './slots.ts'

/** The columns that signing adds to a payment's row. */
export type Intent = {
  sequence: number
  deadline: number
  r: Hex
  vs: Hex
  first_block: number
  /** EIP-3009 nonce; null for smart wallets. */
  authorization: Hex | null
}

/** What signing sets in the row of a new payment. `now` in ms. */
export const signedColumns = ({ deadline, ...intent }: Intent, now: number) => ({
  ...intent,
  deadline,
  max_deadline: deadline,
  sig_version: 1,
  signed_at: now,
})

/** The content to sign. */
type Send = { id: string; to: Address; amount: bigint }

/** Signs a payment during acceptance. Null if it can't be signed now, such as without a key, fresh head or free slot. */
export function signNew(
  ctx: Context,
  wallet: WalletRow,
  session: SessionRow,
  spender: Spender,
  send: Send,
): Intent | null {
  const head = knownHead(ctx, wallet.chain_id)
  if (!head || !canSign(ctx, wallet, session, head)) return null
  const slots = readSlots(ctx, session, head)
  // A spender's payments are signed in the order of their acceptance, so a new one waits for those before it.
  if (slots.of(spender) === 0 || queuedOf(ctx, wallet.id, spender) > 0) return null
  return intentOf(ctx, wallet, session, send, session.next_sequence, head)
}

/**
 * Signs queued payments as far as the nonce window and each spender's share allow, and returns how many. Call inside a
 * transaction: status, sequence, deadline and signature are written together, before anything is submitted. Does nothing
 * without a key or a fresh head.
 */
export function signQueued(ctx: Context, wallet: WalletRow, head: Block | null): number {
  const { store } = ctx
  const session = store.session(wallet.id)
  if (!session || !head || !canSign(ctx, wallet, session, head)) return 0
  const slots = readSlots(ctx, session, head)
  if (slots.of(null) === 0) return 0
  let sequence = session.next_sequence
  for (const { id, spender } of queuedInTurn(ctx, wallet.id, slots)) {
    if (slots.of(null) === 0) break
    if (slots.of(spender) === 0) continue
    const payment = store.payment(id)!
    if (payment.epoch !== session.epoch && !moveReservation(ctx, payment, session)) continue
    sign(ctx, wallet, session, { ...payment, epoch: session.epoch, sequence }, head)
    slots.take(spender)
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
  const key = openKeys(ctx).get(cacheKey(session))!
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

/**
 * Re-signs payments that are not on chain yet and whose deadline is near: same nonce, later deadline. Skips those that the
 * contract refuses; they end with their deadline. Returns how many it has signed.
 */
export function signAgain(ctx: Context, wallet: WalletRow, head: Block): number {
  const { store } = ctx
  const session = store.session(wallet.id)
  if (!session || !canSign(ctx, wallet, session, head)) return 0
  let signed = 0
  for (const payment of store.all<PaymentRow>(
    "SELECT * FROM payment WHERE wallet_id = ? AND status = 'PROCESSING' AND epoch = ? AND revert IS NULL",
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
  const send = { id: payment.id, to: payment.to_address!, amount: fromColumn(payment.amount) }
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
  recordChange(ctx, payment.id)
  // Re-signing with a later deadline changes nothing that others can see.
  if (payment.status === 'QUEUED') sendPaymentEvent(ctx, 'payment.signed', payment.id, payment.status)
}

/** Moves the reservation of a payment accepted under an earlier session to this one. False if it has no room for it. */
function moveReservation(ctx: Context, payment: PaymentRow, session: SessionRow): boolean {
  const fresh = ctx.store.session(payment.wallet_id)!
  // What runs hold does not count: unlike a payment, a run that no longer fits can wait.
  if (fresh.spend_limit - fresh.used - fresh.held < payment.amount) return false
  const hold = (epoch: number | null, sum: number) =>
    ctx.store.run('UPDATE session SET held = held + ? WHERE wallet_id = ? AND epoch = ?', sum, payment.wallet_id, epoch)
  hold(payment.epoch, -payment.amount)
  hold(session.epoch, payment.amount)
  return true
}
