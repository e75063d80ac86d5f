import { deadlineSeconds } from '#domain/intent.ts'
import { formatUsdc } from '#domain/money.ts'
import type { ChainId } from '../../../chain/types.ts'
import { historyOf } from '../../../historyOf.ts'
import { finalizedBlock, freshHead } from '../../core/chainHeads.ts'
import type { Context } from '../../core/context.ts'
import { hasOwnAddress } from '../../core/storage/kindSql.ts'
import type { WalletRow } from '../../core/storage/rows.ts'
import { statusIn } from '../../core/storage/statuses.ts'
import { releaseDead } from '../../settlement/release.ts'
import { BooksDiffer, scanWallet } from '../../settlement/scan.ts'
import { followDeploy } from '../../wallets/deploy.ts'
import { recoverableWallets } from './account.ts'
import type { Progress, StepInput, StepResult, Unexplained } from './rpcTypes.ts'

/** A Treasury that has not confirmed the freeze may still sign for this long after the freeze in D1. */
const stopMs = 10_000 // 10 seconds

const openPayments = ({ store }: Context, walletId: string): number =>
  store.count(`payment WHERE wallet_id = ? AND status IN ${statusIn.unsettled}`, walletId)

const live = ({ store }: Context) => store.all<WalletRow>("SELECT * FROM wallet WHERE status <> 'deleted' ORDER BY id")

/**
 * Checks that no signature made before the freeze can be executed any more: a finalized block of each chain must be later
 * than the last deadline that may have been signed. `wait` is null once that is so. Throws RpcUnavailable.
 */
export async function waitForDeadlines(
  ctx: Context,
  { progress, frozenAt, startedAt }: StepInput,
): Promise<Pick<StepResult, 'progress' | 'wait'>> {
  const until = { ...progress.until }
  const result = (wait: StepResult['wait']) => ({ progress: { ...progress, until }, wait })
  if (frozenAt === null && ctx.now() < startedAt + stopMs) return result({ until: 0, finalAt: 0 })
  const chainIds = new Set([...live(ctx), ...(await recoverableWallets(ctx))].map(({ chain_id }) => chain_id))
  for (const chainId of chainIds) {
    until[chainId] ??= await lastDeadline(ctx, chainId)
    const { timestamp: finalAt } = await finalizedBlock(ctx, chainId)
    if (finalAt <= until[chainId]) return result({ until: until[chainId], finalAt })
  }
  return result(null)
}

/** Known deadlines count as well, because the node may lag behind the signer's. */
async function lastDeadline(ctx: Context, chainId: ChainId): Promise<number> {
  const { timestamp } = await freshHead(ctx, chainId, 0)
  const here = ctx.store.first<{ deadline: number | null }>('SELECT max(max_deadline) AS deadline FROM payment')!
  const inHistory = await historyOf(ctx.env, ctx.userId).recoverableDeadlines()
  return Math.max(timestamp + deadlineSeconds, ...[here, ...inHistory].map(({ deadline }) => deadline ?? 0))
}

/** Reads a bounded part of one wallet's logs, which settle its payments. True once all wallets were read. */
export async function scanNext(ctx: Context, progress: Progress): Promise<{ progress: Progress; isDone: boolean }> {
  const wallet = live(ctx).find(({ id }) => !progress.read.includes(id))
  if (!wallet) return { progress, isDone: true }
  const unexplained: Unexplained[] = []
  try {
    if (wallet.status === 'deploying' || wallet.status === 'failed') await followDeploy(ctx, wallet)
    const head = await freshHead(ctx, wallet.chain_id, 0)
    const isCaughtUp = await scanWallet(ctx, wallet.id, head)
    if (isCaughtUp) await releaseDead(ctx, ctx.store.wallet(wallet.id)!, head)
    const { halt_detail } = ctx.store.wallet(wallet.id)!
    if (halt_detail !== null) unexplained.push({ what: 'books', ref: wallet.id, detail: halt_detail })
    else if (!isCaughtUp || openPayments(ctx, wallet.id) > 0) return { progress, isDone: false }
  } catch (error) {
    if (!(error instanceof BooksDiffer)) throw error
    unexplained.push({ what: 'books', ref: wallet.id, detail: differenceIn(error) })
  }
  const read = [...progress.read, wallet.id]
  return { progress: { ...progress, read, unexplained: added(progress.unexplained, unexplained) }, isDone: false }
}

/** Does not depend on the block, so that the list that was shown can be accepted later. */
const differenceIn = ({ books, chain }: BooksDiffer): string =>
  chain > books
    ? `the chain has ${formatUsdc(chain - books)} USDC more than the books`
    : `the chain has ${formatUsdc(books - chain)} USDC less than the books`

export const added = (list: Unexplained[], more: Unexplained[]): Unexplained[] => {
  const known = new Map([...list, ...more].map((each) => [JSON.stringify(each), each]))
  return [...known.values()]
}

export type Unrecorded = { amount: string; to: string; tx: string; log: number }

/** Transfers that our keys signed, booked since the freeze, that belong to no payment. */
export const unrecordedTransfers = ({ store }: Context, afterAudit: number): Unrecorded[] => {
  const rows = store.all<{ data: string }>(
    "SELECT data FROM audit WHERE seq > ? AND event = 'wallet.withdrawn' AND data->>'$.signed' = 1",
    afterAudit,
  )
  // One may have been booked before its payment was copied.
  const isRecorded = ({ to, tx }: Unrecorded) =>
    store.first(
      `SELECT 1 FROM payment WHERE ${hasOwnAddress('kind')} AND status IN ${statusIn.alive} AND to_address = ?1 COLLATE NOCASE AND tx_hash = ?2
       UNION ALL SELECT 1 FROM payout JOIN payment USING (id) WHERE address = ?1 AND tx_hash = ?2`,
      to,
      tx,
    ) !== null
  return rows.map(({ data }) => JSON.parse(data) as Unrecorded).filter((transfer) => !isRecorded(transfer))
}
