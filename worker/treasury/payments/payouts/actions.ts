import { deadlineSeconds } from '#domain/intent.ts'
import { formatUsdc } from '#domain/money.ts'
import { sameAddress } from '#domain/sameAddress.ts'
import { unspendableProblem } from '#domain/unspendable.ts'
import type { ReclaimAllReply } from '#schemas/escrow.ts'
import { allContracts } from '../../../chain/contractSets.ts'
import { claimDigest, reclaimDigest } from '../../../chain/digests.ts'
import { primaryChain } from '../../../chain/networkSettings.ts'
import { signCompact } from '../../../chain/sign.ts'
import type { Address, Block, Hex } from '../../../chain/types.ts'
import { expiredLink } from '../../../claims/api.ts'
import { nextTurn } from '../../../durable/turns.ts'
import { logError } from '../../../observability/log.ts'
import { notFound, ok, type Refused, type Result, refuse } from '../../../result.ts'
import { freshHead } from '../../core/chainHeads.ts'
import type { Context } from '../../core/context.ts'
import { payoutContracts, payoutSetRefusal } from '../../core/contracts.ts'
import { settleEveryMs } from '../../core/minedReports.ts'
import { deliveryRefusal, freshStop } from '../../core/stop.ts'
import { formatColumn, fromColumn } from '../../core/storage/columns.ts'
import type { PayoutRow, WalletRow } from '../../core/storage/rows.ts'
import { audit } from '../../ledger/audit.ts'
import { askAbout, lookupRefusal } from '../screening.ts'
import { storedPayoutKey } from './keys.ts'
import type { ClaimInput } from './rpcTypes.ts'
import { movePayout, payoutEnded, takenDown } from './transitions.ts'

/** Starts a claim to the address given by the recipient, whose link and code are verified. First accepted action wins. */
export async function claim(ctx: Context, input: ClaimInput): Promise<Result<PayoutRow>> {
  const known = ctx.store.payout(input.payoutId)
  const wallet = known && ctx.store.wallet(known.wallet_id)
  if (!known || !wallet) return notFound('Payout')
  const unknown = payoutSetRefusal(ctx, wallet, known)
  if (unknown) return unknown
  const [head, found] = await Promise.all([
    freshHead(ctx, wallet.chain_id),
    // If the token does not respond, the claim goes ahead: the contract decides.
    askAbout(ctx, wallet.chain_id, input.to),
    freshStop(ctx),
  ])
  return ctx.store.transaction((): Result<PayoutRow> => {
    const payout = ctx.store.payout(input.payoutId)!
    if (payout.status === 'CREATING')
      return refuse('conflict', 'The payment is still on its way. Please try again in a moment.')
    if (payout.status === 'CLAIMING') {
      if (sameAddress(payout.action_to, input.to)) return ok(payout)
      return refuse('conflict', 'A withdrawal to another address is already on its way.', { field: 'recipientAddress' })
    }
    if (payout.status === 'WITHDRAWN' && sameAddress(payout.withdrawn_to, input.to)) return ok(payout)
    const stopped = deliveryRefusal(ctx)
    if (stopped) return stopped
    if (payout.status !== 'CREATED') return payoutEnded(payout.status)
    const down = takenDown(payout, 'recipient')
    if (down) return down
    if (input.codeVersion !== payout.code_version)
      return refuse('wrong_passcode', 'A new code was sent. Please enter the new one.', { field: 'passcode' })
    if (head.timestamp * 1000 >= payout.expires_at) return expiredLink
    const forbidden = forbiddenRecipient(ctx, payout, wallet, { to: input.to, field: 'recipientAddress' })
    if (forbidden) return forbidden
    const refused = lookupRefusal(found, 'recipientAddress')
    if (refused) return refused
    return startAction(ctx, payout, wallet, head, {
      action: 'claim',
      to: input.to,
      by: 'recipient',
      keptDomain: input.keptDomain ?? null,
    })
  })
}

/** Starts a reclaim: by the sender while unclaimed, or by the Treasury after expiry. The money always goes to the payer. */
export async function reclaim(ctx: Context, payoutId: string, by: 'sender' | 'expiry'): Promise<Result<PayoutRow>> {
  const known = ctx.store.payout(payoutId)
  const wallet = known && ctx.store.wallet(known.wallet_id)
  if (!known || !wallet) return notFound('Payout')
  const unknown = payoutSetRefusal(ctx, wallet, known)
  if (unknown) return unknown
  const [head] = await Promise.all([freshHead(ctx, wallet.chain_id), freshStop(ctx)])
  return ctx.store.transaction((): Result<PayoutRow> => {
    const payout = ctx.store.payout(payoutId)!
    const isStarted = payout.status === 'RECLAIMING' || payout.status === 'RECLAIMED'
    const stopped = isStarted ? null : deliveryRefusal(ctx)
    if (stopped) return stopped
    switch (payout.status) {
      case 'RECLAIMING':
      case 'RECLAIMED':
        return ok(payout)
      case 'CREATING':
        if (by === 'expiry' && payout.funded === 1)
          return startAction(ctx, payout, wallet, head, { action: 'reclaim', to: payout.payer, by })
        return refuse('conflict', 'The payout is still being created. Please try again in a moment.')
      case 'CLAIMING':
        return refuse('conflict', 'The recipient is claiming this payout right now.')
      case 'WITHDRAWN':
        return refuse('conflict', 'The recipient already claimed this payout.')
      case 'FAILED':
        return refuse('conflict', 'This payout was never funded; there is nothing to return.')
      case 'CREATED':
        return startAction(ctx, payout, wallet, head, { action: 'reclaim', to: payout.payer, by })
    }
  })
}

/** The refusal of an address that must not receive a payout's money; null if it may. `field` is the input with it. */
export function forbiddenRecipient(
  ctx: Context,
  payout: PayoutRow,
  wallet: WalletRow,
  { to, field }: { to: Address; field: 'recipientAddress' | 'to' },
): Refused | null {
  const chain = ctx.chains[wallet.chain_id]
  const wrong = (message: string): Refused => refuse('invalid_input', message, { field })
  const is = (address: string) => sameAddress(to, address)
  const unspendable = unspendableProblem(to)
  if (unspendable) return wrong(unspendable)
  if (is(payout.payer)) return wrong('This is the sender’s wallet. Please enter your own address.')
  if (is(payout.address)) return wrong('This is the payout’s own address. Please enter your own address.')
  if (is(chain.usdc)) return wrong('The USDC contract cannot receive payments.')
  if (is(payoutContracts(ctx, wallet, payout).escrow)) return wrong('The escrow contract cannot receive payments.')
  if (allContracts(chain).some(is)) return wrong('This contract cannot receive payments.')
  return null
}

type Move = {
  action: 'claim' | 'reclaim'
  to: Address
  by: 'recipient' | 'sender' | 'expiry'
  keptDomain?: string | null
}

/** The guarded transition makes claim and reclaim mutually exclusive. */
function startAction(ctx: Context, payout: PayoutRow, wallet: WalletRow, head: Block, move: Move): Result<PayoutRow> {
  const deadline = head.timestamp + deadlineSeconds
  const signature =
    move.action === 'reclaim' && head.timestamp >= payout.expiry
      ? notSigned
      : signAction(ctx, payout, wallet, deadline, move)
  if (!signature) {
    logError('payout_key_unknown', { user: ctx.userId, payout: payout.id, version: payout.secret_version })
    return refuse(
      'unavailable',
      'This server lacks the secret that the payout was created with. Nothing was signed; it returns to its sender when it expires.',
    )
  }
  ctx.store.update('payout', payout.id, {
    action: move.action,
    action_to: move.to,
    action_deadline: deadline,
    action_r: signature.r,
    action_vs: signature.vs,
    action_version: payout.action_version + 1,
    action_block: head.number,
    action_delivered_at: null,
    action_tx: null,
    action_by: move.by,
    kept_domain: move.keptDomain ?? null,
  })
  ctx.schedule('settle', ctx.now() + settleEveryMs)
  const amount = formatColumn(payout.amount)
  return ok(movePayout(ctx, payout, move.action, { by: move.by, to: move.to, amount })!)
}

const zero: Hex = `0x${'0'.repeat(64)}`
/** After expiry anyone may return a payout to its payer, so no signature is needed. */
const notSigned = { r: zero, vs: zero }

/** Signs with the payout's derived key. Null if the key is not available. */
function signAction(ctx: Context, payout: PayoutRow, wallet: WalletRow, deadline: number, { action, to }: Move) {
  const key = storedPayoutKey(ctx, payout, action)
  if (key === null) return null
  const { escrow } = payoutContracts(ctx, wallet, payout)
  const domain = { chainId: wallet.chain_id, contract: escrow }
  const signed = { payoutId: payout.payout_hash, atLeast: fromColumn(payout.amount), deadline }
  return signCompact(action === 'claim' ? claimDigest(domain, { ...signed, to }) : reclaimDigest(domain, signed), key)
}

/** Reclaims of "reclaim all" started per run; the next ones follow once these have been submitted. */
const batchSize = 25
const pauseMs = 250
/** Marking reads five rows for each payout. */
const markedAtOnce = 250
const stoppedPauseMs = 5_000 // 5 seconds

/**
 * Marks every unclaimed payout for reclaim, a page at a time, so that other calls have their turn. The alarm does the rest, so
 * the caller need not wait; calling it again in the meantime adds payouts created since.
 */
export async function reclaimAll(ctx: Context): Promise<Result<ReclaimAllReply>> {
  let [count, total] = [0, 0n]
  for (let after: Place = { expires_at: 0, row_number: 0 }; ; ) {
    const targets = markForReclaim(ctx, after)
    count += targets.length
    total += realTotal(ctx, targets)
    if (targets.length < markedAtOnce) return ok({ count, total: formatUsdc(total) })
    after = targets.at(-1)!
    await nextTurn()
  }
}

type Place = { expires_at: number; row_number: number }
type Target = Place & Pick<PayoutRow, 'wallet_id' | 'amount'>

function markForReclaim(ctx: Context, after: Place): Target[] {
  const { store } = ctx
  return store.transaction(() => {
    const targets = store.all<Target>(
      `SELECT rowid AS row_number, expires_at, wallet_id, amount FROM payout
       WHERE status = 'CREATED' AND (expires_at, rowid) > (?, ?) ORDER BY expires_at, rowid LIMIT ${markedAtOnce}`,
      after.expires_at,
      after.row_number,
    )
    if (targets.length === 0) return targets
    store.run(
      'UPDATE payout SET reclaim_asked_at = ? WHERE rowid IN (SELECT value FROM json_each(?))',
      ctx.now(),
      JSON.stringify(targets.map(({ row_number }) => row_number)),
    )
    const total = formatUsdc(realTotal(ctx, targets))
    audit(store, ctx.now(), 'payout.reclaim_all', 'all', { count: targets.length, total })
    ctx.schedule('reclaim', ctx.now())
    return targets
  })
}

/** Only money on the primary network counts: test money has no value. */
const realTotal = ({ store, env }: Context, targets: Target[]): bigint =>
  targets
    .filter(({ wallet_id }) => store.wallet(wallet_id)?.chain_id === primaryChain(env))
    .reduce((sum, { amount }) => sum + fromColumn(amount), 0n)

/** Reclaims the next marked payouts. Returns when to continue (ms), or null if none is left. Throws RpcUnavailable. */
export async function continueReclaimAll(ctx: Context): Promise<number | null> {
  const { store } = ctx
  await freshStop(ctx)
  // The marks stay until reclaims may be sent again.
  if (deliveryRefusal(ctx)) return ctx.now() + stoppedPauseMs
  const asked = "status = 'CREATED' AND reclaim_asked_at IS NOT NULL"
  for (const { id } of store.all<PayoutRow>(`SELECT * FROM payout WHERE ${asked} LIMIT ${batchSize}`)) {
    const result = await reclaim(ctx, id, 'sender')
    if (!result.ok && result.code === 'payments_paused') return ctx.now() + stoppedPauseMs
    // Unmarked in any case, so that a payout that can't be reclaimed is not retried forever.
    store.run('UPDATE payout SET reclaim_asked_at = NULL WHERE id = ?', id)
  }
  return store.first(`SELECT 1 FROM payout WHERE ${asked} LIMIT 1`) ? ctx.now() + pauseMs : null
}
