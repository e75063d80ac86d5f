import { deadlineSeconds } from '#domain/intent.ts'
import { formatUsdc } from '#domain/money.ts'
import { isoOf } from '#domain/time.ts'
import { authorizationNonce } from '../../chain/authorization.ts'
import type { ChainId, Hex } from '../../chain/types.ts'
import { historyOf } from '../../historyOf.ts'
import { finalizedBlock, freshHead, isNodeTrouble } from '../core/chainHeads.ts'
import type { Context } from '../core/context.ts'
import { failUnsigned, releaseDead } from '../settlement/release.ts'
import { BooksDiffer, rescanFrom, scanWallet } from '../settlement/scan.ts'
import type { PaymentRow, WalletRow } from '../storage/rows.ts'
import { statusIn } from '../storage/statuses.ts'
import { followDeploy } from '../wallets/deploy.ts'
import { keptWallets } from './account.ts'
import { explain, partsOf, search } from './search.ts'
import { count, type RestoreState, recordUnexplained, type Search, type Signed, writeState } from './state.ts'

/** A Treasury that has not confirmed the freeze may still sign for this long after the freeze in D1. */
const stopMs = 10_000 // 10 seconds

const live = ({ store }: Context) => store.all<WalletRow>("SELECT * FROM wallet WHERE status <> 'deleted' ORDER BY id")

/** The chains of the wallets here and of those that History keeps. */
async function chainsOf(ctx: Context): Promise<ChainId[]> {
  const kept = await keptWallets(ctx)
  return [...new Set([...live(ctx), ...kept].map(({ chain_id }) => chain_id))]
}

/**
 * Checks that no signature made before the freeze can be executed any more: a finalized block of each chain must be later
 * than the last deadline that may have been signed. Returns null once that is so. Throws RpcUnavailable.
 */
export async function waitForDeadlines(
  ctx: Context,
  state: RestoreState,
  frozenAt: number | null,
): Promise<{ until: number; finalAt: number } | null> {
  if (frozenAt === null && ctx.now() < state.since + stopMs) return { until: 0, finalAt: 0 }
  for (const chainId of await chainsOf(ctx)) {
    state.until[chainId] ??= await lastDeadline(ctx, chainId)
    const final = await finalizedBlock(ctx, chainId)
    if (final.timestamp <= state.until[chainId]) {
      writeState(ctx.store, state)
      return { until: state.until[chainId], finalAt: final.timestamp }
    }
  }
  writeState(ctx.store, { ...state, stage: 'account' })
  return null
}

/** The last deadline that may have been signed. Known deadlines count too, since the node may lag behind the signer's. */
async function lastDeadline(ctx: Context, chainId: ChainId): Promise<number> {
  const { timestamp } = await freshHead(ctx, chainId, 0)
  const kept = (await keptWallets(ctx)).filter(({ chain_id }) => chain_id === chainId)
  const here = ctx.store.all<{ id: string; deadline: number | null }>(
    `SELECT wallet.id, max(max_deadline) AS deadline FROM wallet LEFT JOIN payment ON wallet_id = wallet.id
     WHERE chain_id = ? GROUP BY wallet.id`,
    chainId,
  )
  const ids = new Set([...kept, ...here].map(({ id }) => id))
  const inHistory = (await historyOf(ctx.env, ctx.userId).keptDeadlines()).filter(({ walletId }) => ids.has(walletId))
  return Math.max(timestamp + deadlineSeconds, ...[...here, ...inHistory].map(({ deadline }) => deadline ?? 0))
}

/** Reads a bounded part of one wallet's logs, or ends this stage. Returns true if more is left. */
export async function readChain(ctx: Context, state: RestoreState): Promise<boolean> {
  const wallet = live(ctx).find(({ id }) => !state.read.includes(id))
  if (!wallet) {
    writeState(ctx.store, { ...state, stage: 'check' })
    return false
  }
  if (wallet.status === 'deploying' || wallet.status === 'failed') await followDeploy(ctx, wallet)
  const final = await finalizedBlock(ctx, wallet.chain_id)
  if (!state.matched.includes(wallet.id)) {
    const found = await search(ctx, state, wallet, final.number)
    if (!found) return true
    match(ctx, state, wallet, found)
  }
  try {
    const head = await freshHead(ctx, wallet.chain_id, 0)
    if (!(await scanWallet(ctx, wallet.id, head))) return true
    failUnsigned(ctx, wallet)
    await releaseDead(ctx, ctx.store.wallet(wallet.id)!, head)
    const { halt_detail } = ctx.store.wallet(wallet.id)!
    if (halt_detail !== null) recordUnexplained(state, { what: 'books', ref: wallet.id, detail: halt_detail })
  } catch (error) {
    if (!isNodeTrouble(error)) throw error
    if (!(error instanceof BooksDiffer)) throw error
    recordUnexplained(state, { what: 'books', ref: wallet.id, detail: differenceIn(error) })
  }
  if (openPayments(ctx, wallet.id) > 0 && !booksDiffer(state, wallet.id)) return true
  state.read.push(wallet.id)
  count(state, 'wallets read')
  writeState(ctx.store, state)
  return true
}

/** Does not depend on the block, so that the text that was shown can be accepted later. */
const differenceIn = ({ books, chain }: BooksDiffer): string =>
  chain > books
    ? `the chain has ${formatUsdc(chain - books)} USDC more than the books`
    : `the chain has ${formatUsdc(books - chain)} USDC less than the books`

const booksDiffer = ({ unexplained }: RestoreState, walletId: string) =>
  unexplained.some(({ what, ref }) => what === 'books' && ref === walletId)

const openPayments = ({ store }: Context, walletId: string) =>
  store.first<{ n: number }>(
    `SELECT count(*) AS n FROM payment WHERE wallet_id = ? AND status IN ${statusIn.unsettled}`,
    walletId,
  )!.n

/**
 * Stores the nonces of payments that were signed after D1's last copy of them. Transfers that no payment explains are left
 * to an operator. Then logs are read and booked as usual, from the first block that can contain any of the payments.
 */
function match(ctx: Context, state: RestoreState, wallet: WalletRow, { from, strays, expiries }: Search): void {
  const { store } = ctx
  store.transaction(() => {
    const { explained, unexplained } = explain(ctx, wallet, strays)
    for (const { id, stray } of explained) giveNonce(ctx, state, wallet, id, stray)
    for (const { tx, amount, to } of unexplained) {
      const expiry = expiries[to.toLowerCase()]
      const what = expiry === undefined ? 'transfer' : 'payout'
      const sent = `${formatUsdc(BigInt(amount))} USDC to ${to}, signed here`
      // Every transfer is listed: several may be in one transaction.
      state.unexplained.push({
        what,
        ref: tx,
        detail: `${sent}, and ${expiry === undefined ? 'no payment matches it' : lostPayout(expiry)}`,
      })
    }
    rescanFrom(ctx, wallet.id, from)
    state.search = null
    state.matched.push(wallet.id)
    writeState(store, state)
  })
}

/** The payout's id and the keys derived from it are lost: it can't be claimed, and we can't reclaim it before it expires. */
const lostPayout = (expiry: number): string =>
  `it funded a payout that is recorded nowhere else: the wallet’s owner can take it back with the recovery page, and anyone can return it to the wallet from ${isoOf(expiry * 1000)}`

function giveNonce(ctx: Context, state: RestoreState, wallet: WalletRow, id: string, { nonce, block }: Signed): void {
  const { store } = ctx
  const payment = store.payment(id)!
  const isSmart = wallet.kind === 'smart'
  const [epoch, sequence] = isSmart ? partsOf(nonce) : [payment.epoch, payment.sequence]
  if (isSmart && epoch !== payment.epoch) {
    const move = 'UPDATE session SET held = held + ? WHERE wallet_id = ? AND epoch = ?'
    store.run(move, -payment.amount, wallet.id, payment.epoch)
    store.run(move, payment.amount, wallet.id, epoch)
  }
  store.run(
    `UPDATE payment SET status = 'PROCESSING', epoch = ?, sequence = ?, authorization = ?, sig_version = 1, first_block = ?,
       max_deadline = max(coalesce(max_deadline, 0), ?), signed_at = coalesce(signed_at, accepted_at) WHERE id = ?`,
    epoch,
    sequence,
    isSmart ? null : (nonce as Hex),
    block,
    state.until[wallet.chain_id]!,
    id,
  )
  count(state, 'payments found on chain')
}

/** Payments of imported keys have nonces that follow from their ids, so those that are queued here may have been signed. */
export function recordAuthorizations(ctx: Context, state: RestoreState): void {
  const { store } = ctx
  for (const payment of store.all<PaymentRow>(
    "SELECT payment.* FROM payment JOIN wallet ON wallet.id = wallet_id WHERE wallet.kind = 'imported' AND payment.status = 'QUEUED'",
  )) {
    const wallet = store.wallet(payment.wallet_id)!
    store.run(
      `UPDATE payment SET status = 'PROCESSING', authorization = ?, sig_version = max(1, sig_version), first_block = ?,
         max_deadline = max(coalesce(max_deadline, 0), ?), signed_at = coalesce(signed_at, accepted_at) WHERE id = ?`,
      authorizationNonce(payment.id),
      payment.first_block ?? wallet.scanned_block,
      state.until[wallet.chain_id]!,
      payment.id,
    )
  }
}
