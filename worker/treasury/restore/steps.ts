import { chainIds } from '#domain/networks.ts'
import { historyOf } from '../../historyOf.ts'
import { logError } from '../../observability/log.ts'
import type { Context } from '../core/context.ts'
import { relayerOf } from '../core/relayers.ts'
import { Outbox } from '../delivery/flush.ts'
import { hasAllChanges, sendChanges } from '../delivery/history.ts'
import { audit } from '../ledger/audit.ts'
import { recordWalletChange } from '../outbox/changes.ts'
import { enqueue } from '../outbox/enqueue.ts'
import type { PayoutRow, WalletRow } from '../storage/rows.ts'
import { statusIn } from '../storage/statuses.ts'
import { readAllNow } from '../wallets/idleReads.ts'
import { deleteWallets, importAccount, keptWallets } from './account.ts'
import { begin } from './begin.ts'
import { readChain, waitForDeadlines } from './chain.ts'
import { importPage, planPage } from './payments.ts'
import type { Accepted, Frozen, RestoreProgress } from './rpcTypes.ts'
import { clearState, endedRestore, nameOfList, newState, type RestoreState, restoreState, writeState } from './state.ts'

const doing = {
  found: 'the object has to be put back first',
  frozen: 'the object is as it was before: put it back, or unfreeze the account',
  wait: 'waits until no signature made before the freeze can be executed',
  account: 'reads what D1 and History know of the account',
  payments: 'reads the payments made since then',
  chain: 'reads the chain',
  check: 'checks whether everything is explained',
  end: 'updates History and the claim pages, and opens the account',
} as const

const progress = (state: RestoreState, step: RestoreProgress['step']): RestoreProgress => ({
  step,
  doing: doing[state.stage],
  counts: state.counts,
  unexplained: state.unexplained,
  list: null,
})

const done: RestoreProgress = { step: 'done', doing: 'works again', counts: {}, unexplained: [], list: null }

export type ContinueInput = { id: string; frozenAt: number | null; startedAt: number; accept: Accepted | null }

/** Does one bounded step, stored with its results, so it can be interrupted and repeated. Throws RpcUnavailable. */
export async function continueRestore(ctx: Context, input: ContinueInput): Promise<RestoreProgress> {
  const { store } = ctx
  if (endedRestore(store) === input.id) return done
  const known = restoreState(store)
  if (known?.id === input.id && known.stage === 'frozen') return progress(known, 'frozen')
  const isBegun = known?.id === input.id && known.stage !== 'found'
  const state = isBegun ? known : begin(ctx, input.id, input.startedAt)
  switch (state.stage) {
    case 'wait': {
      const waiting = await waitForDeadlines(ctx, state, input.frozenAt)
      return waiting ? { ...progress(state, 'waiting'), ...waiting } : progress(state, 'importing')
    }
    case 'account':
      await importAccount(ctx, state)
      return progress(state, 'importing')
    case 'payments':
      await importPage(ctx, state)
      return progress(state, 'importing')
    case 'chain':
      await readChain(ctx, state)
      return progress(state, 'importing')
    case 'check':
      return check(ctx, state, input.accept)
    case 'end':
      return end(ctx, state)
    case 'frozen':
    case 'found':
      return progress(state, 'frozen')
  }
}

function check(ctx: Context, state: RestoreState, accept: Accepted | null): RestoreProgress {
  const { store, now } = ctx
  // Payments of a halted wallet stay open until an operator has found out why its books differ.
  const isOpen =
    store.first(
      `SELECT 1 FROM payment WHERE status IN ${statusIn.unsettled}
         AND wallet_id IN (SELECT id FROM wallet WHERE halt_kind IS NULL) LIMIT 1`,
    ) !== null
  const list = nameOfList(state.unexplained)
  const isAccepted = accept?.list === list
  if (state.unexplained.length > 0 && (!isAccepted || isOpen)) {
    // The next call reads the chain again: books that differed because of a node may agree then.
    const unexplained = state.unexplained.filter(({ what }) => what !== 'books')
    writeState(store, { ...state, stage: 'chain', read: [], unexplained })
    return { ...progress(state, 'unexplained'), doing: whyNot(accept, isAccepted), list }
  }
  store.transaction(() => {
    const next: RestoreState = { ...state, stage: 'end', acceptedBy: accept?.by ?? null }
    if (state.unexplained.length > 0)
      audit(store, now(), 'account.restore_accepted', 'account', {
        by: accept!.by,
        list,
        unexplained: state.unexplained,
      })
    // Payouts that were open before may have changed as well, so their desks are updated.
    for (const { id } of store.all<PayoutRow>("SELECT id FROM payout WHERE status IN ('CREATING','CREATED')"))
      enqueue(ctx, 'desk', id)
    for (const { id } of store.all<WalletRow>('SELECT id FROM wallet')) recordWalletChange(ctx, id)
    writeState(store, next)
  })
  return progress(state, 'importing')
}

function whyNot(accept: Accepted | null, isAccepted: boolean): string {
  if (isAccepted) return 'not accepted, because payments are still open: try again later'
  return accept === null
    ? 'an operator has to review what is unexplained'
    : 'not accepted, because this is a different list'
}

/** Opens the account with the object's last write, after D1, History, the desks and the Relayers have been updated. */
async function end(ctx: Context, state: RestoreState): Promise<RestoreProgress> {
  const { store, env, userId, now } = ctx
  await deleteWallets(ctx)
  await new Outbox(ctx).flush()
  if (!(await areChangesSent(ctx)) || store.first("SELECT 1 FROM outbox WHERE kind = 'desk'"))
    return progress(state, 'importing')
  await historyOf(env, userId).forgetUnaccepted(state.seq, state.floor)
  for (const chainId of chainIds) await relayerOf(ctx, chainId).unfreeze(userId)
  store.transaction(() => {
    clearState(store, state.id)
    enqueue(ctx, 'mail.account_restored', `${state.id}:${state.asOf}`)
    for (const kind of ['settle', 'outbox', 'history', 'expiry', 'finality', 'approvals'] as const)
      ctx.schedule(kind, now())
    readAllNow(ctx)
  })
  return { ...done, counts: state.counts }
}

/** True if History has everything that was accepted here. */
export const isSent = (ctx: Context): Promise<boolean> => hasAllChanges(ctx)

/** Sends a bounded number of changes. True if History has them all; false also if it does not answer. */
async function areChangesSent(ctx: Context): Promise<boolean> {
  try {
    return (await sendChanges(ctx)).left === 0
  } catch (error) {
    logError('history_not_sent', { user: ctx.userId }, error)
    return false
  }
}

/** Freezes the current object and sends what D1 and History lack of it. */
export async function freeze(ctx: Context, id: string, isFirst: boolean): Promise<Frozen> {
  const { store, userId } = ctx
  if (endedRestore(store) === id) return { isSent: false, isAnother: false, isEnded: true }
  const known = restoreState(store)
  // An object that waits for another restore, which D1 has lost, may have been put back.
  const isOurs = known?.id === id && (known.stage === 'frozen' || (isFirst && known.stage === 'found'))
  if (!isOurs) return { isSent: false, isAnother: true, isEnded: false }
  writeState(store, newState(id, 'frozen', known.since))
  const outbox = new Outbox(ctx)
  for (let round = 0; round < 50 && !(await isSent(ctx)); round++) {
    await outbox.flush()
    await areChangesSent(ctx)
  }
  // Sent now, so that the codes that recipients get are those that D1 knows.
  const mailWaits = () => store.first("SELECT 1 FROM outbox WHERE kind = 'mail.payout_link' AND failures = 0 LIMIT 1")
  for (let round = 0; round < 20 && mailWaits(); round++) await outbox.flushMail()
  for (const chainId of chainIds) await relayerOf(ctx, chainId).freeze(userId)
  return { isSent: await isSent(ctx), isAnother: false, isEnded: false }
}

/**
 * Returns false if this is not the object that was frozen, or if it never confirmed the freeze, so that it may have been
 * put back.
 */
export async function unfreeze(ctx: Context, id: string): Promise<boolean> {
  const { store, userId, now } = ctx
  const state = restoreState(store)
  if (endedRestore(store) === id) return true
  if (state?.id !== id || state.stage !== 'frozen') return false
  for (const chainId of chainIds) await relayerOf(ctx, chainId).unfreeze(userId)
  store.transaction(() => {
    clearState(store, id)
    for (const kind of ['settle', 'outbox', 'history'] as const) ctx.schedule(kind, now())
    readAllNow(ctx)
  })
  return true
}

/** Returns what an import would do, without doing it. */
export async function dryRestore(ctx: Context, id: string): Promise<RestoreProgress> {
  const { store } = ctx
  if (endedRestore(store) === id) return done
  const known = restoreState(store)
  if (known?.id === id && known.stage === 'frozen') return progress(known, 'frozen')
  const state = known?.id === id && known.stage !== 'found' ? known : newState(id, 'wait', 0)
  const counts: Record<string, number> = {}
  for (let cursor: RestoreState['cursor'] | null = { createdAt: 0, id: '' }; cursor !== null; ) {
    const page: Awaited<ReturnType<typeof planPage>> = await planPage(ctx, cursor)
    for (const act of page.acts) counts[act] = (counts[act] ?? 0) + 1
    cursor = page.next
  }
  const { none = 0, add = 0, add_ended = 0, sign = 0, differs = 0 } = counts
  const wallets = (await keptWallets(ctx)).filter((wallet) => !wallet.deleted && !store.wallet(wallet.id))
  return {
    ...progress(state, 'importing'),
    counts: {
      ...state.counts,
      'payments accepted since': add + add_ended,
      'payments signed since': sign,
      'payments known': none,
      'payments that differ': differs,
      'wallets made since': wallets.length,
    },
  }
}
