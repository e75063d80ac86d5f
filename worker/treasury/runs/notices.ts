import { formatUsdc } from '#domain/money.ts'
import { isTestChain } from '#domain/networks.ts'
import { findUserContact } from '../../db/users.ts'
import type { Message } from '../../notifications/message.ts'
import { pushToUser } from '../../notifications/pushToUser.ts'
import { type RunSummary, runEndedMessage, runNotice, runWaitingMessage } from '../../notifications/runMessages.ts'
import { accountFor, deciderOf } from '../approvals/notices.ts'
import { accountName } from '../core/callers.ts'
import type { Context } from '../core/context.ts'
import { memberOfPerson, presentMember } from '../core/storage/members.ts'
import type { RunRow } from '../core/storage/rows.ts'
import { enqueue } from '../outbox/enqueue.ts'
import { type Entry, markSent } from '../outbox/entries.ts'
import { outcomeOf, sumsOf, totalOf } from './rows.ts'

/** Messages about runs. Everybody has an entry of their own: `{run}` is the owner's, `{run}:{member}` a member's. */
const refOf = (runId: string, memberId: string | null) => (memberId === null ? runId : `${runId}:${memberId}`)
const runIdOf = (ref: string): string => ref.split(':')[0]!

/** Notifies the owner and the approvers of a run that waits for a decision. Call in the transaction that submits it. */
export function requestDecision(ctx: Context, runId: string): void {
  const approvers = ctx.store.all<{ id: string }>("SELECT id FROM member WHERE role = 'approver' AND status = 'active'")
  for (const memberId of [null, ...approvers.map(({ id }) => id)]) {
    enqueue(ctx, 'mail.run_waiting', refOf(runId, memberId))
    if (ctx.env.PUSH_PRIVATE_JWK) enqueue(ctx, 'push.run', refOf(runId, memberId))
  }
}

/** Notifies the owner, and the member who made the run, of how it ended. Call in the transaction that ends it. */
export function notifyEnd(ctx: Context, { id, made_by, status }: RunRow): void {
  // Whoever cancels a draft knows it.
  if (status === 'CANCELLED') return
  const maker = memberOfPerson(ctx.store, made_by)
  for (const memberId of [null, ...(maker ? [maker.id] : [])]) enqueue(ctx, 'mail.run_ended', refOf(id, memberId))
}

function summaryOf({ store }: Context, run: RunRow): RunSummary {
  const sums = sumsOf(store, run.id)
  const { rows, amount } = totalOf(sums)
  return {
    ...{ runId: run.id, title: run.title, madeBy: run.made_name, rows, total: formatUsdc(amount) },
    ...{ status: run.status, expiresAt: run.expires_at, reason: run.reason },
    isTest: isTestChain(store.wallet(run.wallet_id)!.chain_id),
    notPaid: sums.failed.rows + sums.released.rows + outcomeOf(store, run.id).notPaid.rows,
  }
}

/** The message with this ref to somebody who decides; null once it was decided, or if they no longer may. */
export async function runWaiting(ctx: Context, ref: string): Promise<Message | null> {
  const run = ctx.store.payoutRun(runIdOf(ref))
  const decider = await deciderOf(ctx, ref)
  if (run?.status !== 'WAITING' || !decider) return null
  const account = accountFor(ctx, decider.personId)
  return runWaitingMessage({
    ...{
      id: `run-waiting:${ref}`,
      to: decider.email,
      run: summaryOf(ctx, run),
      appOrigin: ctx.env.APP_ORIGIN,
      account,
    },
    accountName: accountName(ctx.store),
  })
}

/** The message with this ref about the end of a run; null if its reader has left. */
export async function runEnded(ctx: Context, ref: string): Promise<Message | null> {
  const run = ctx.store.payoutRun(runIdOf(ref))
  const memberId = ref.split(':')[1]
  const member = memberId === undefined ? null : presentMember(ctx.store, memberId)
  const to = memberId === undefined ? (await findUserContact(ctx.db, ctx.userId))?.email : member?.email
  if (!run || to === undefined) return null
  const account = memberId === undefined ? null : ctx.userId
  return runEndedMessage({
    id: `run-ended:${ref}`,
    to,
    run: summaryOf(ctx, run),
    appOrigin: ctx.env.APP_ORIGIN,
    account,
  })
}

/** Pushes the notice with this ref to the browsers of its person. Throws, for a retry, if no push service accepted it. */
export async function pushRun(ctx: Context, entry: Entry): Promise<void> {
  const run = ctx.store.payoutRun(runIdOf(entry.ref))
  const decider = await deciderOf(ctx, entry.ref)
  if (run?.status === 'WAITING' && decider) {
    const notice = runNotice(summaryOf(ctx, run), accountFor(ctx, decider.personId))
    const state = await pushToUser(ctx.env, ctx.db, decider.personId, notice, (run.expires_at - ctx.now()) / 1000)
    if (state === 'failed') throw new Error('no push service accepted the notice')
  }
  markSent(ctx, entry)
}
