import type { ChainId } from '../../chain/types.ts'
import { logError } from '../../observability/log.ts'
import type { Context } from '../core/context.ts'
import { relayerOf } from '../core/relayers.ts'
import type { PaymentRow, WalletRow } from '../storage/rows.ts'
import { type DueJob, dueJobs, maxJobsAtOnce } from './dueJobs.ts'
import { paymentJob } from './jobs.ts'
import { recordDeployProblem } from './reports.ts'

/** Queues the job of a payment for the next submission, without reading the payment back. Its signature is committed. */
export function queueSignedPayment(ctx: Context, wallet: WalletRow, payment: PaymentRow): void {
  ctx.unsentJobs.push({ chainId: wallet.chain_id, job: paymentJob(ctx, wallet, payment) })
}

/** Submits payments that were just signed. If the submission fails, `submitDueJobs` finds them again. */
export async function submitSignedPayments(ctx: Context): Promise<void> {
  while (ctx.unsentJobs.length > 0) await submit(ctx, ctx.unsentJobs.splice(0, maxJobsAtOnce))
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
    for (const { id } of ours) ctx.submittedAt.set(id, ctx.now())
  }
  const failed = (await Promise.allSettled([toChain(8453), toChain(84532)])).find(({ status }) => status === 'rejected')
  if (failed) throw (failed as PromiseRejectedResult).reason
}
