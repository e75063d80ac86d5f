import type { ChainId } from '../../../chain/types.ts'
import { logError } from '../../../observability/log.ts'
import type { RelayJob } from '../../../relayer/api.ts'
import type { Context } from '../../core/context.ts'
import { payoutSetRefusal } from '../../core/contracts.ts'
import { inMemory } from '../../core/memory.ts'
import { relayerOf } from '../../core/relayers.ts'
import { isRelayed } from '../../core/storage/kindSql.ts'
import type { PaymentRow, PayoutRow, SendOnRow, WalletRow } from '../../core/storage/rows.ts'
import { deliverableActions } from '../actions/actions.ts'
import {
  announceJob,
  deployJob,
  jobId,
  paymentJob,
  paymentRef,
  payoutActionJob,
  sendOnJob,
  walletActionJob,
} from './jobs.ts'
import { recordDeployProblem } from './reports.ts'

/** Jobs of payments whose signature is committed but not yet submitted. The tables have them as well. */
const unsentJobs = inMemory((): { chainId: ChainId; job: RelayJob }[] => [])
/** When a job was last submitted (ms), by id. */
export const submittedAt = inMemory(() => new Map<string, number>())

/** Queues the job of a payment for the next submission, without reading the payment back. Its signature is committed. */
export function queueSignedPayment(ctx: Context, wallet: WalletRow, payment: PaymentRow): void {
  unsentJobs(ctx).push({ chainId: wallet.chain_id, job: paymentJob(ctx, wallet, payment) })
}

/** Submits payments that were just signed. If the submission fails, `submitDueJobs` finds them again. */
export async function submitSignedPayments(ctx: Context): Promise<void> {
  while (unsentJobs(ctx).length > 0) await submit(ctx, unsentJobs(ctx).splice(0, maxJobsAtOnce))
}

/** Submits everything that is due according to the tables. */
export async function submitDueJobs(ctx: Context): Promise<void> {
  const due = dueJobs(ctx)
  await submit(ctx, due)
  for (const { submitted } of due) submitted?.()
}

/** Submits jobs to the Relayers of both chains. A failing Relayer does not delay the other chain's. */
async function submit(ctx: Context, jobs: DueJob[]): Promise<void> {
  const toChain = async (chainId: ChainId) => {
    const ours = jobs.filter((entry) => entry.chainId === chainId).map((entry) => entry.job)
    if (ours.length === 0) return
    const result = await relayerOf(ctx, chainId).submit(ours)
    for (const { id, reason } of result.refused) {
      logError('job_refused', { user: ctx.userId, job: id, reason })
      const ref = ours.find((job) => job.id === id)?.ref
      if (ref?.type === 'deploy') recordDeployProblem(ctx, ref.walletId, reason)
    }
    for (const { id } of ours) submittedAt(ctx).set(id, ctx.now())
  }
  const failed = (await Promise.allSettled([toChain(8453), toChain(84532)])).find(({ status }) => status === 'rejected')
  if (failed) throw (failed as PromiseRejectedResult).reason
}

/** A job without a trace on chain is resubmitted after this long: the Relayer may have lost it; duplicates are harmless. */
const resubmitAfterMs = 20_000 // 20 seconds
/** Maximum number of jobs of one kind per submission. */
const maxJobsAtOnce = 100

/** `submitted` records on the row that the Relayer has the job. */
type DueJob = { chainId: ChainId; job: RelayJob; submitted?: () => void }

/** Every signed intent and permissionless call that the Relayer should have now. */
export function dueJobs(ctx: Context): DueJob[] {
  const wallets = new Map(ctx.store.all<WalletRow>('SELECT * FROM wallet').map((wallet) => [wallet.id, wallet]))
  const before = ctx.now() - resubmitAfterMs
  for (const [id, at] of submittedAt(ctx)) if (at < before) submittedAt(ctx).delete(id)
  return [
    ...deploys(ctx, wallets),
    ...payments(ctx, wallets),
    ...walletActions(ctx, wallets),
    ...announcements(ctx, wallets, before),
    ...payoutActions(ctx, wallets, before),
    ...sendOns(ctx),
  ]
}

type Wallets = Map<string, WalletRow>

const deploys = (ctx: Context, wallets: Wallets): DueJob[] =>
  [...wallets.values()]
    .filter((wallet) => wallet.status === 'deploying')
    .map((wallet) => ({ chainId: wallet.chain_id, job: deployJob(ctx, wallet) }))

/** Hundreds may be in flight, nearly all of them submitted a moment ago. Only the others are read in full. */
function payments(ctx: Context, wallets: Wallets): DueJob[] {
  const open = ctx.store.all<Pick<PaymentRow, 'id' | 'sig_version'>>(
    // A restored payment whose signature is lost is settled by the chain alone.
    `SELECT id, sig_version FROM payment WHERE status = 'PROCESSING' AND ${isRelayed('kind')} AND r IS NOT NULL ORDER BY wallet_id, sequence`,
  )
  return open
    .filter((row) => !submittedAt(ctx).has(jobId(paymentRef(row))))
    .slice(0, maxJobsAtOnce)
    .map(({ id }) => {
      const payment = ctx.store.payment(id)!
      const wallet = wallets.get(payment.wallet_id)!
      return { chainId: wallet.chain_id, job: paymentJob(ctx, wallet, payment) }
    })
}

const walletActions = (ctx: Context, wallets: Wallets): DueJob[] =>
  deliverableActions(ctx)
    .map((action) => {
      const wallet = wallets.get(action.wallet_id)!
      return { chainId: wallet.chain_id, job: walletActionJob(ctx, wallet, action) }
    })
    .filter(({ job }) => !submittedAt(ctx).has(job.id))

/** Payouts that meet the condition `due`, with their wallets. */
const duePayouts = (ctx: Context, wallets: Wallets, due: string, before: number) =>
  ctx.store
    .all<PayoutRow>(`SELECT * FROM payout WHERE ${due} LIMIT ?`, before, maxJobsAtOnce)
    .map((payout) => ({ payout, wallet: wallets.get(payout.wallet_id)! }))
    .filter(({ payout, wallet }) => !payoutSetRefusal(ctx, wallet, payout))

/** Payouts are announced only once they are funded, so that unfunded ones cost no gas. */
function announcements(ctx: Context, wallets: Wallets, before: number): DueJob[] {
  const now = ctx.now()
  const due = `status = 'CREATING' AND announced = 0 AND funded = 1
    AND (announce_delivered_at IS NULL OR announce_delivered_at < ?)`
  return duePayouts(ctx, wallets, due, before).map(({ payout, wallet }) => ({
    chainId: wallet.chain_id,
    job: announceJob(ctx, wallet, payout),
    submitted: () => ctx.store.update('payout', payout.id, { announce_delivered_at: now }),
  }))
}

function payoutActions(ctx: Context, wallets: Wallets, before: number): DueJob[] {
  const now = ctx.now()
  const due = `status IN ('CLAIMING','RECLAIMING') AND action_r IS NOT NULL
    AND (action_delivered_at IS NULL OR action_delivered_at < ?)`
  return duePayouts(ctx, wallets, due, before).map(({ payout, wallet }) => {
    const { id, action_version } = payout
    const submitted = () => ctx.store.update('payout', id, { action_delivered_at: now }, { action_version })
    return { chainId: wallet.chain_id, job: payoutActionJob(ctx, wallet, payout), submitted }
  })
}

const sendOns = (ctx: Context): DueJob[] =>
  ctx.store
    .all<SendOnRow>("SELECT * FROM send_on WHERE status = 'PROCESSING' AND r IS NOT NULL LIMIT ?", maxJobsAtOnce)
    .map((row) => ({ chainId: row.chain_id, job: sendOnJob(ctx, row) }))
    .filter(({ job }) => !submittedAt(ctx).has(job.id))
