import { formatUsdcText, type MicroUsdc } from '#domain/money.ts'
import { decideSum } from '#domain/policy.ts'
import { nextRun, type RunEvent } from '#domain/runs/runStatus.ts'
import { sanctionsOracle } from '../../chain/networkSettings.ts'
import type { Address } from '../../chain/types.ts'
import { notFound, ok, type Refused, type Result, refuse } from '../../result.ts'
import type { Decider } from '../approvals/rpcTypes.ts'
import { actorNow } from '../core/acting.ts'
import { roleNow } from '../core/callers.ts'
import { chainNow, unreachable } from '../core/chainHeads.ts'
import { suspendedOwner } from '../core/commonRefusals.ts'
import type { Context } from '../core/context.ts'
import { walletSetRefusal } from '../core/contracts.ts'
import { newPaymentRefusal } from '../core/stop.ts'
import { toColumn } from '../core/storage/columns.ts'
import { memberOfPerson } from '../core/storage/members.ts'
import type { RunRow, WalletRow } from '../core/storage/rows.ts'
import { walletFunds } from '../ledger/balances.ts'
import { takeIncrease } from '../limits/ownerPassword.ts'
import { countAlone, needsSecondPerson, secondPersonRequired } from '../limits/secondPerson.ts'
import { type Gathered, isUnread, type Need } from '../payments/needs.ts'
import { recipientState } from '../payments/recipients.ts'
import { refusalOf } from '../payments/refusals.ts'
import { lookupRefusal } from '../payments/screening.ts'
import { endOverdueRuns, endRun, moveRun } from './end.ts'
import { requestDecision } from './notices.ts'
import { sumsOf } from './rows.ts'
import type { DecideRunInput } from './rpcTypes.ts'

/** Offers the run for a decision. Repeated calls change nothing. */
export function submitRun(ctx: Context, id: string, by: Decider): Result<RunRow> {
  const { store } = ctx
  return store.transaction((): Result<RunRow> => {
    endOverdueRuns(ctx)
    const run = store.payoutRun(id)
    if (!run) return notFound('Run')
    if (run.status === 'WAITING') return ok(run)
    const wrong = wrongState(run, 'submit')
    if (wrong) return wrong
    if (run.hash === null) return refuse('conflict', 'The rows of this run are still being checked.')
    if (sumsOf(store, id).waiting.rows === 0)
      return refuse('unprocessable', 'Every row of this run has an error, so there is nothing to pay.')
    return ok(offer(ctx, run, { userId: by.userId, name: by.name }))
  })
}

/** Call inside a transaction, for a draft that is checked. */
export function offer(ctx: Context, run: RunRow, by: { userId: string; name: string | null }): RunRow {
  const moved = moveRun(ctx, run, 'submit', {
    ...{ submitted_by: by.userId, submitted_name: by.name, submitted_at: ctx.now() },
  })
  requestDecision(ctx, run.id)
  return moved
}

/**
 * Decides about everything that was shown, and reserves the sum of the rows, in one transaction. From then on the money is held for
 * the run, which pays its rows one after the other.
 */
export function approveRun(ctx: Context, id: string, input: DecideRunInput, gathered: Gathered): Result<RunRow> | Need {
  const { store } = ctx
  return store.attempt((): Result<RunRow> | Need => {
    endOverdueRuns(ctx)
    const run = store.payoutRun(id)
    if (!run) return notFound('Run')
    if (run.decided_by === input.by.userId && (run.status === 'RUNNING' || run.status === 'DONE')) return ok(run)
    const wrong = wrongState(run, 'approve') ?? hasChanged(run, input.hash)
    if (wrong) return wrong
    const wallet = store.wallet(run.wallet_id)!
    const total = sumsOf(store, id).waiting.amount
    const asked = whoAsks(ctx, total)
    const refused =
      suspendedOwner(ctx) ??
      newPaymentRefusal(ctx) ??
      walletSetRefusal(ctx, wallet) ??
      ownRunRefusal(ctx, run) ??
      (needsSecondPerson(ctx, asked) ? secondPersonRequired(ctx, true) : null) ??
      fundsRefusal(ctx, wallet, total, gathered) ??
      screeningRefusal(ctx, id, wallet, gathered)
    if (refused) return refused
    const unconfirmed = takeIncrease(ctx, total, input.passwordChecked)
    if (unconfirmed) return unconfirmed
    countAlone(ctx, asked)
    const held = toColumn(total)
    store.run('UPDATE wallet SET held = held + ? WHERE id = ?', held, wallet.id)
    const by = { decided_by: input.by.userId, decided_name: input.by.name, decided_at: ctx.now() }
    ctx.schedule('runs', ctx.now())
    return ok(moveRun(ctx, run, 'approve', { ...by, held }))
  })
}

/** A member's decision is a second person's; the owner's own is not. */
const whoAsks = ({ store }: Context, amount: MicroUsdc) => ({
  ...{ group: null, amount },
  isApproval: memberOfPerson(store, actorNow().by) !== null,
})

/** Nobody but the owner decides about a run that they made or submitted. */
function ownRunRefusal({ store }: Context, { made_by, submitted_by }: RunRow): Refused | null {
  const { by } = actorNow()
  if (memberOfPerson(store, by) === null || (by !== made_by && by !== submitted_by)) return null
  return refuse(
    'second_person_required',
    'You made or submitted this run, so somebody else has to decide: its owner or another approver.',
  )
}

/** Whether session key and wallet have enough for all rows, by figures that are read again before they refuse. */
function fundsRefusal(ctx: Context, wallet: WalletRow, total: MicroUsdc, gathered: Gathered): Refused | Need | null {
  const funds = walletFunds(ctx.store, wallet, ctx.store.session(wallet.id), gathered.arriving)
  const decision = decideSum(funds, total, chainNow(ctx, wallet, ctx.now()))
  if (decision.ok) return null
  if (gathered.refresh === 'none' && wallet.status === 'active')
    return { need: 'refresh', wallet, spender: null, freshEnoughMs: 0 }
  if (isUnread(decision.refusal, gathered)) return unreachable
  const refused = refusalOf(decision.refusal)
  return { ...refused, message: `${refused.message} This run needs ${formatUsdcText(total)} USDC.` }
}

/** Nothing is held while recipients can't be screened: the first is asked about here, and each when it is paid. */
function screeningRefusal(ctx: Context, id: string, wallet: WalletRow, { lookup }: Gathered): Refused | Need | null {
  if (sanctionsOracle(ctx.env, wallet.chain_id) === null) return null
  const address = ctx.store.first<{ to_address: Address }>(
    "SELECT to_address FROM run_row WHERE run_id = ? AND status = 'waiting' AND to_address IS NOT NULL ORDER BY n LIMIT 1",
    id,
  )?.to_address
  if (!address) return null
  const state = recipientState(ctx, wallet, address, lookup)
  if (state === null) return { need: 'lookup', wallet, spender: null, address }
  return state === 'unscreened' ? lookupRefusal(state) : null
}

/** What approving it now would be refused for, by what is known without reading the chain. Null: nothing. */
export function refusalNow(ctx: Context, run: RunRow): Refused | null {
  const total = sumsOf(ctx.store, run.id).waiting.amount
  const wallet = ctx.store.wallet(run.wallet_id)!
  const asked = whoAsks(ctx, total)
  const known: Gathered = { draft: null, lookup: null, refresh: 'done', arriving: 0n as MicroUsdc, grants: {} }
  const refused = fundsRefusal(ctx, wallet, total, known) as Refused | null
  return (
    suspendedOwner(ctx) ??
    ownRunRefusal(ctx, run) ??
    (needsSecondPerson(ctx, asked) ? secondPersonRequired(ctx, true) : null) ??
    refused
  )
}

export function denyRun(
  ctx: Context,
  id: string,
  input: { hash: string; by: Decider; reason: string | null },
): Result<RunRow> {
  const { store } = ctx
  return store.transaction((): Result<RunRow> => {
    endOverdueRuns(ctx)
    const run = store.payoutRun(id)
    if (!run) return notFound('Run')
    if (run.status === 'DENIED') return ok(run)
    const wrong = wrongState(run, 'deny') ?? hasChanged(run, input.hash)
    if (wrong) return wrong
    const { by, reason } = input
    const decided = { decided_by: by.userId, decided_name: by.name, decided_at: ctx.now(), reason }
    return ok(endRun(ctx, run, 'deny', decided))
  })
}

/**
 * Ends the run: one that was not decided is cancelled, and of one that is running the rows that wait are released. Payments that were
 * handed over run on. A preparer may only cancel what they made.
 */
export function stopRun(ctx: Context, id: string): Result<RunRow> {
  const { store } = ctx
  return store.transaction((): Result<RunRow> => {
    endOverdueRuns(ctx)
    const run = store.payoutRun(id)
    if (!run) return notFound('Run')
    if (run.status === 'CANCELLED' || run.status === 'STOPPED') return ok(run)
    const event: RunEvent = run.status === 'RUNNING' ? 'stop' : 'cancel'
    const wrong = wrongState(run, event)
    if (wrong) return wrong
    if (roleNow(ctx) === 'preparer' && (run.made_by !== actorNow().by || event === 'stop'))
      return refuse('forbidden', 'A preparer can cancel runs that they made, before they are paid.')
    return ok(endRun(ctx, run, event))
  })
}

const inWords: Record<RunRow['status'], string> = {
  ...{ DRAFT: 'is still a draft', WAITING: 'waits for a decision', RUNNING: 'is being paid', DONE: 'is done' },
  ...{ STOPPED: 'was stopped', DENIED: 'was denied', EXPIRED: 'was not decided in time', CANCELLED: 'was cancelled' },
}

const wrongState = ({ status }: RunRow, event: RunEvent): Refused | null =>
  nextRun(status, event) === null ? refuse('conflict', `This run ${inWords[status]}.`, { field: 'status' }) : null

const hasChanged = (run: RunRow, hash: string): Refused | null =>
  run.hash === hash
    ? null
    : refuse('conflict', 'This run has changed since it was shown. Review it again before you decide.', {
        field: 'hash',
      })
