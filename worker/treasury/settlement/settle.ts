import { chainIds } from '#domain/networks.ts'
import type { Block } from '../../chain/types.ts'
import { firstBackoffMs } from '../../durable/alarms.ts'
import { logError } from '../../observability/log.ts'
import { finalAge, freshHead } from '../core/chainHeads.ts'
import type { Context } from '../core/context.ts'
import { settleEveryMs } from '../core/minedReports.ts'
import { freshStop, signingAllowed } from '../core/stop.ts'
import { isRelayed, isSellerSubmitted } from '../core/storage/kindSql.ts'
import type { WalletRow } from '../core/storage/rows.ts'
import { isOpenAction, statusIn } from '../core/storage/statuses.ts'
import { isRefillDue, refill } from '../payments/purchases/refill.ts'
import { signAgain, signQueued } from '../payments/sign.ts'
import { hasOpenAction } from '../wallets/actions/actions.ts'
import { followActions } from '../wallets/actions/follow.ts'
import { followDeploy } from '../wallets/deploy.ts'
import { markActive } from '../wallets/idleReads.ts'
import { readSession } from '../wallets/session.ts'
import { loadSessionKey } from '../wallets/sessionKeys.ts'
import { failUnsigned, releaseDead } from './release.ts'
import { BooksDiffer, scanWallet } from './scan.ts'
import { hasOpenSendOn, settleSendOns } from './sendOns.ts'

const isEarly = (reason: unknown): reason is BooksDiffer => reason instanceof BooksDiffer && reason.isEarly

/**
 * Reads the chain once for everything of this user that is not final. Confirms fast, releases slowly, never guesses: an
 * unreachable node changes nothing, and a failing wallet does not delay the others. `isOpen`: something is not settled yet;
 * `againAt`: when a wallet is to be read again sooner than usual (ms).
 */
export async function settle(ctx: Context): Promise<{ isOpen: boolean; againAt: number | null }> {
  // Not awaited: only signing needs it, and confirming must not wait for D1.
  void freshStop(ctx)
  const { store, now } = ctx
  const openWallets = () =>
    store
      .all<WalletRow>("SELECT * FROM wallet WHERE status IN ('deploying','active')")
      .filter((wallet) => wallet.status === 'deploying' || isBusy(ctx, wallet))
  const open = openWallets()
  const results = await Promise.allSettled(open.map((wallet) => settleWallet(ctx, wallet)))
  await settleSendOns(ctx).catch((error: unknown) => logError('send_on_not_settled', { user: ctx.userId }, error))
  const failed = results.filter((result) => result.status === 'rejected')
  if (failed.length > 0 && failed.length === results.length) throw failed[0]!.reason
  for (const { reason } of failed) if (!isEarly(reason)) logError('wallet_not_settled', { user: ctx.userId }, reason)
  // A node that may show a balance before its logs is asked again after as long as it has done so, as if all wallets had failed.
  const waits = results.flatMap((result) => {
    if (result.status === 'fulfilled') return result.value ? [] : [0]
    return isEarly(result.reason) ? [Math.min(Math.max(firstBackoffMs, result.reason.forMs), settleEveryMs)] : []
  })
  const stillOpen = new Set(openWallets().map(({ id }) => id))
  for (const { id } of open) if (!stillOpen.has(id)) markActive(ctx, id)
  const againAt = waits.length === 0 ? null : now() + Math.min(...waits)
  return { isOpen: stillOpen.size > 0 || hasOpenSendOn(ctx), againAt }
}

/** Returns true if the wallet has caught up with the chain. */
async function settleWallet(ctx: Context, wallet: WalletRow): Promise<boolean> {
  const head = await freshHead(ctx, wallet.chain_id, 0)
  if (wallet.status === 'deploying') {
    await followDeploy(ctx, wallet)
    return true
  }
  const { store } = ctx
  failUnsigned(ctx, wallet)
  const isCaughtUp = await scanWallet(ctx, wallet.id, head)
  await followActions(ctx, wallet, head)
  if ((hasUnsigned(ctx, wallet) || isExpiring(ctx, wallet, head)) && (await signingAllowed(ctx))) {
    await readSession(ctx, wallet)
    await loadSessionKey(ctx, wallet)
    await freshStop(ctx)
    store.transaction(() => {
      const now = store.wallet(wallet.id)!
      signAgain(ctx, now, head)
      signQueued(ctx, now, head)
    })
  }
  await releaseDead(ctx, wallet, head)
  await refill(ctx, wallet)
  return isCaughtUp
}

/** True if anything of the wallet is not settled, except payouts that wait for their recipients, maybe for weeks. */
export function isBusy(ctx: Context, wallet: WalletRow): boolean {
  return (
    ctx.store.first(
      `SELECT 1 FROM payment WHERE wallet_id = ? AND status IN ${statusIn.unsettled} LIMIT 1`,
      wallet.id,
    ) !== null ||
    ctx.store.first(
      "SELECT 1 FROM payout WHERE wallet_id = ? AND status IN ('CREATING','CLAIMING','RECLAIMING') LIMIT 1",
      wallet.id,
    ) !== null ||
    hasOpenAction(ctx, wallet.id) ||
    isRefillDue(ctx, wallet)
  )
}

/**
 * If all that is open are purchases that can no longer be settled, when the first of them is proven dead (ms): reading the chain
 * before that would tell nothing. Null if anything else is open.
 */
export function onlyDeadPurchasesUntil(ctx: Context): number | null {
  const { store, now } = ctx
  const { first, last, others } = store.first<{ first: number | null; last: number | null; others: number }>(
    `SELECT min(max_deadline) FILTER (WHERE ${isSellerSubmitted('kind')} AND status = 'PROCESSING') AS first,
       max(max_deadline) FILTER (WHERE ${isSellerSubmitted('kind')} AND status = 'PROCESSING') AS last,
       count(*) FILTER (WHERE ${isRelayed('kind')} OR status = 'QUEUED') AS others
     FROM payment WHERE status IN ${statusIn.unsettled}`,
  )!
  if (first === null || last === null || others > 0 || last * 1000 >= now()) return null
  const otherWork = store.first(
    `SELECT 1 FROM payout WHERE status IN ('CREATING','CLAIMING','RECLAIMING')
     UNION ALL SELECT 1 FROM wallet WHERE status = 'deploying'
     UNION ALL SELECT 1 FROM send_on WHERE status = 'PROCESSING' AND r IS NOT NULL
     UNION ALL SELECT 1 FROM wallet_action WHERE ${isOpenAction} LIMIT 1`,
  )
  const age = Math.max(...chainIds.map((id) => finalAge(ctx, id) ?? 0))
  return otherWork === null ? first * 1000 + age : null
}

const hasUnsigned = (ctx: Context, wallet: WalletRow) =>
  ctx.store.first(
    `SELECT 1 FROM payment WHERE wallet_id = ? AND status = 'QUEUED' AND ${isRelayed('kind')} LIMIT 1`,
    wallet.id,
  ) !== null

const isExpiring = (ctx: Context, wallet: WalletRow, head: Block) =>
  ctx.store.first(
    `SELECT 1 FROM payment WHERE wallet_id = ? AND status = 'PROCESSING' AND ${isRelayed('kind')} AND deadline < ? LIMIT 1`,
    wallet.id,
    head.timestamp + 60,
  ) !== null
