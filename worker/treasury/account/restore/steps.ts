import { formatUsdcText, microUsdc, parseUsdc } from '#domain/money.ts'
import { chainIds } from '#domain/networks.ts'
import { hourMs } from '#domain/time.ts'
import { historyOf } from '../../../historyOf.ts'
import { sha256 } from '../../../identity/secrets.ts'
import type { Context } from '../../core/context.ts'
import { relayerOf } from '../../core/relayers.ts'
import { toColumn } from '../../core/storage/columns.ts'
import { isOpenPayout, statusIn } from '../../core/storage/statuses.ts'
import { audit } from '../../ledger/audit.ts'
import { recountAlone } from '../../limits/secondPerson.ts'
import { recordChange, recordWalletChange } from '../../outbox/changes.ts'
import { changesSince, sendChanges } from '../../outbox/delivery/history.ts'
import { enqueue } from '../../outbox/enqueue.ts'
import { readAllNow } from '../../wallets/idleReads.ts'
import { copyAccount, deleteWallets, recoverableWallets } from './account.ts'
import { begin } from './begin.ts'
import { copyPage } from './copy.ts'
import { recompute } from './recompute.ts'
import {
  type Frozen,
  noProgress,
  type Progress,
  type StepInput,
  type StepResult,
  type Unexplained,
} from './rpcTypes.ts'
import { added, scanNext, unrecordedTransfers, waitForDeadlines } from './scan.ts'

/** For how long payments that equal a transfer without a record ask the owner. */
const watchMs = 48 * hourMs

/**
 * Does one bounded step from the state that D1 has, and returns the next one. Safe to repeat and to interrupt: it changes
 * nothing that it has changed before. Throws RpcUnavailable, or if History does not answer.
 */
export async function nextStep(ctx: Context, input: StepInput): Promise<StepResult> {
  const { id, state, progress } = input
  const to = (state: StepResult['state'], over: Partial<StepResult> = {}): StepResult => ({
    ...{ state, progress, wait: null, list: null },
    ...over,
  })
  const { store } = ctx
  const ended = store.meta('restored')
  if (ended?.id === id) return to(ended.isWatched ? 'open_watched' : 'open')
  if (state === 'rolled_back')
    return to('waiting', { progress: { ...noProgress, incarnation: begin(ctx, id, input.startedAt) } })
  if (store.meta('restore')?.begun?.incarnation !== progress.incarnation)
    return to('rolled_back', { progress: noProgress })
  switch (state) {
    case 'waiting': {
      const waited = await waitForDeadlines(ctx, input)
      return to(waited.wait ? 'waiting' : 'copying', waited)
    }
    case 'copying': {
      await requireHistory(ctx, input.confirmed)
      const found = progress.cursor.id === '' ? await copyAccount(ctx) : []
      const { next, unexplained } = await copyPage(ctx, progress)
      const all = added(progress.unexplained, [...found, ...unexplained])
      return next
        ? to('copying', { progress: { ...progress, cursor: next, unexplained: all } })
        : to('scanning', { progress: { ...progress, unexplained: all } })
    }
    case 'scanning': {
      const scanned = await scanNext(ctx, progress)
      return scanned.isDone ? conclude(ctx, input) : to('scanning', { progress: scanned.progress })
    }
    case 'needs_review':
      // Books that differed because of a node may agree now.
      return to('scanning', {
        progress: { ...progress, read: [], unexplained: progress.unexplained.filter(({ what }) => what !== 'books') },
      })
    default:
      return to(state)
  }
}

/** Throws if History no longer has what it confirmed: payments that it lacks would be made again. */
async function requireHistory({ env, userId }: Context, confirmed: string | null): Promise<void> {
  if (confirmed === null) return
  const position = await historyOf(env, userId).position()
  if (confirmed !== positionText(position)) throw new Error('History no longer has everything that it confirmed')
}

const positionText = ({ incarnation, seq }: { incarnation: string | null; seq: number }) => `${incarnation}:${seq}`

/** A short name of the list that does not depend on its order. */
const hashOf = (list: Unexplained[]): string =>
  sha256(
    list
      .map(({ what, ref, detail }) => JSON.stringify([what, ref, detail]))
      .sort()
      .join('\n'),
  ).slice(0, 12)

/** Opens the account if everything is explained, or if an operator accepts exactly this list. */
async function conclude(ctx: Context, { id, progress, confirmed, accept }: StepInput): Promise<StepResult> {
  const { store } = ctx
  const begun = store.meta('restore')!.begun!
  const strays = unrecordedTransfers(ctx, begun.audit)
  const unrecorded = strays.map(({ amount, to, tx, log }): Unexplained => {
    const detail = `${formatUsdcText(parseUsdc(amount)!)} USDC to ${to}, signed here, and no payment is recorded for it`
    return { what: 'unrecorded', ref: `${tx}:${log}`, detail }
  })
  const all: Progress = { ...progress, unexplained: added(progress.unexplained, unrecorded) }
  const list = hashOf(all.unexplained)
  // Payments of a halted wallet stay open until an operator has found out why its books differ.
  const open = `payment WHERE status IN ${statusIn.unsettled} AND wallet_id IN (SELECT id FROM wallet WHERE halt_kind IS NULL)`
  if (all.unexplained.length > 0 && (accept?.list !== list || store.count(open) > 0))
    return { state: 'needs_review', progress: all, wait: null, list }
  const isWatched = confirmed === null || strays.length > 0
  const kept = await recoverableWallets(ctx)
  for (const chainId of chainIds) await relayerOf(ctx, chainId).unfreeze(ctx.userId)
  store.transaction(() => {
    if (store.meta('restore')?.id !== id) return
    if (accept && all.unexplained.length > 0)
      audit(store, ctx.now(), 'account.restore_accepted', 'account', { ...accept, unexplained: all.unexplained })
    deleteWallets(ctx, kept)
    recompute(store, ctx.now())
    if (store.secondPerson.above !== null) recountAlone(ctx)
    if (isWatched) {
      const transfers = strays.map(({ to, amount }) => ({ to, amount: toColumn(microUsdc(parseUsdc(amount)!)) }))
      store.setMeta('watch', { until: ctx.now() + watchMs, transfers })
    }
    // Claim pages of payouts that were open before may have changed as well.
    for (const payout of store.all<{ id: string }>(`SELECT id FROM payout WHERE ${isOpenPayout}`))
      enqueue(ctx, 'desk', payout.id)
    for (const wallet of store.all<{ id: string }>('SELECT id FROM wallet')) recordWalletChange(ctx, wallet.id)
    for (const run of store.all<{ id: string }>('SELECT id FROM run')) recordChange(ctx, `run:${run.id}`)
    store.setMeta('restored', { id, at: ctx.now(), asOf: begun.asOf, isWatched })
    enqueue(ctx, 'mail.account_restored', `${id}:${begun.asOf}`)
    reopen(ctx)
  })
  return { state: isWatched ? 'open_watched' : 'open', progress: all, wait: null, list: null }
}

/** Everything that was due while the account was closed is due now. */
function reopen(ctx: Context): void {
  ctx.store.setMeta('restore', null)
  for (const kind of ['settle', 'outbox', 'history', 'expiry', 'finality', 'approvals'] as const)
    ctx.schedule(kind, ctx.now())
  readAllNow(ctx)
}

/** Stops the Relayers, and sends History what it lacks. The object already refuses everything else. */
export async function freeze(ctx: Context, id: string): Promise<Frozen> {
  if (ctx.store.meta('restored')?.id === id) return { confirmed: null, isEnded: true }
  for (const chainId of chainIds) await relayerOf(ctx, chainId).freeze(ctx.userId)
  for (let left = 1; left > 0; ) left = (await sendChanges(ctx).catch(() => ({ left: 0 }))).left
  return { confirmed: await confirmation(ctx).catch(() => null), isEnded: false }
}

/** History's position, if it has exactly what this object has. */
async function confirmation(ctx: Context): Promise<string | null> {
  if (ctx.store.meta('restore')?.begun) return null
  const position = await historyOf(ctx.env, ctx.userId).position()
  const page = changesSince(ctx, position)
  return page && page.changes.length === 0 && page.to.incarnation === position.incarnation
    ? positionText(position)
    : null
}

/**
 * Returns false if History has more than this object, which was rolled back. Throws if History does not answer. Call only
 * while D1 says that the freeze ends, so that nothing rolls the object back any more.
 */
export async function unfreeze(ctx: Context, id: string): Promise<boolean> {
  const { store, now } = ctx
  if (store.meta('restored')?.id === id) return true
  const position = await historyOf(ctx.env, ctx.userId).position()
  if (store.meta('restore')?.begun || changesSince(ctx, position) === null) return false
  for (const chainId of chainIds) await relayerOf(ctx, chainId).unfreeze(ctx.userId)
  store.transaction(() => {
    store.setMeta('restored', { id, at: now(), asOf: null, isWatched: false })
    reopen(ctx)
  })
  return true
}
