import { kindOf } from '#domain/kinds/kinds.ts'
import { type ChainId, chainIds } from '#domain/networks.ts'
import { primaryChain } from '../../../chain/networkSettings.ts'
import type { JobRef, JobReport } from '../../../relayer/api.ts'
import type { Context } from '../../core/context.ts'
import { relayerOf } from '../../core/relayers.ts'
import { stoppedSince } from '../../core/stop.ts'
import type { PaymentRow, PayoutRow, WalletActionRow, WalletRow } from '../../core/storage/rows.ts'
import { isOpenAction, statusIn } from '../../core/storage/statuses.ts'
import { jobId, paymentRef } from '../../wallets/relay/jobs.ts'
import { hasMismatch } from '../../wallets/walletHalts.ts'
import type { StuckWork } from './rpcTypes.ts'

/** Younger work is not reported as stuck. */
const slowAfterMs = 60_000 // 1 minute
const maxOfKind = 50

/** The account's work that makes no progress, and why. Names no recipient. */
export async function stuckWork(ctx: Context): Promise<StuckWork[]> {
  const wallets = ctx.store.all<WalletRow>("SELECT * FROM wallet WHERE status <> 'deleted'")
  const payments = slowPayments(ctx)
  const payouts = slowPayouts(ctx)
  const reports = await reportsOf(ctx, [
    ...payments.filter(({ sig_version }) => sig_version > 0).map((row) => [chainOf(row), paymentRef(row)] as const),
    ...payouts.flatMap((row) => {
      const ref = payoutRef(row)
      return ref ? [[chainOf(row), ref] as const] : []
    }),
  ])
  const reportOf = (ref: JobRef | null) => ref && reports.get(jobId(ref))
  return [
    ...wallets.flatMap((wallet) => walletWork(ctx, wallet)),
    ...payments.map((row) => work('payment', row, row.accepted_at!, whyPayment(ctx, row, reportOf(paymentRef(row))))),
    ...payouts.map((row) => work('payout', row, row.updated_at, whyPayout(ctx, row, reportOf(payoutRef(row))))),
    ...slowActions(ctx).map((row) => work('walletAction', row, row.created_at, whyAction(ctx, row))),
    ...outboxWork(ctx),
  ]

  function chainOf({ wallet_id }: { wallet_id: string }): ChainId {
    return wallets.find(({ id }) => id === wallet_id)?.chain_id ?? primaryChain(ctx.env)
  }
}

const work = (
  kind: StuckWork['kind'],
  { id, status }: { id: string; status: string },
  since: number,
  why: string,
): StuckWork => ({ kind, id, status, since, why })

const slowPayments = (ctx: Context) =>
  ctx.store.all<PaymentRow>(
    `SELECT * FROM payment WHERE status IN ${statusIn.unsettled} AND accepted_at <= ? ORDER BY accepted_at LIMIT ${maxOfKind}`,
    ctx.now() - slowAfterMs,
  )

const slowPayouts = (ctx: Context) =>
  ctx.store.all<PayoutRow>(
    `SELECT * FROM payout WHERE (status IN ('CLAIMING','RECLAIMING') OR (status = 'CREATING' AND funded = 1))
       AND updated_at <= ? ORDER BY updated_at LIMIT ${maxOfKind}`,
    ctx.now() - slowAfterMs,
  )

const slowActions = (ctx: Context) =>
  ctx.store.all<WalletActionRow>(
    `SELECT * FROM wallet_action WHERE ${isOpenAction} AND created_at <= ? LIMIT ${maxOfKind}`,
    ctx.now() - slowAfterMs,
  )

const payoutRef = ({ id, action, action_version, status }: PayoutRow): JobRef | null =>
  action === null || status === 'CREATING' ? null : { type: action, payoutId: id, version: action_version }

/** The Relayers' reports by job id. A Relayer that does not respond contributes none. */
async function reportsOf(ctx: Context, jobs: (readonly [ChainId, JobRef])[]): Promise<Map<string, JobReport>> {
  const requests = chainIds.map(async (chainId) => {
    const ids = jobs.filter(([on]) => on === chainId).map(([, ref]) => jobId(ref))
    return ids.length === 0 ? [] : relayerOf(ctx, chainId).status(ids)
  })
  const replies = await Promise.allSettled(requests)
  const reports = replies.flatMap((reply) => (reply.status === 'fulfilled' ? reply.value : []))
  return new Map(reports.map((report) => [report.id, report]))
}

const stopped = 'an operator has stopped signing'

function delivery(report: JobReport | null | undefined): string {
  if (!report) return 'the Relayer does not know it, or does not respond'
  const reason = report.reason ? `: ${report.reason}` : ''
  return report.state === 'broadcast' || report.state === 'mined'
    ? `in transaction ${report.txHash}, not confirmed yet${reason}`
    : `${report.state} at the Relayer${reason}`
}

function whyPayment(ctx: Context, payment: PaymentRow, report: JobReport | null | undefined): string {
  const isStopped = stoppedSince(ctx) !== null
  const wallet = ctx.store.wallet(payment.wallet_id)
  if (kindOf(payment).submittedBy === 'seller' && payment.status === 'QUEUED')
    return 'its agent has not asked for it since it was approved'
  if (payment.status === 'QUEUED') {
    if (isStopped) return `not signed: ${stopped}`
    if (wallet?.halt_kind) return `not signed: its wallet is halted: ${wallet.halt_detail}`
    const session = ctx.store.session(payment.wallet_id)
    if (!session || session.valid_until * 1000 < ctx.now()) return 'not signed: the wallet has no valid session key'
    return 'not signed: no free slot of its wallet, or the node does not respond'
  }
  const refused = payment.revert === null ? null : `the contract refuses it: ${payment.revert}`
  if (payment.max_deadline! * 1000 >= ctx.now())
    return kindOf(payment).submittedBy === 'seller' ? 'its seller has not submitted it' : (refused ?? delivery(report))
  return `${refused ?? 'its last signature has expired'}; ${whyNotEnded(ctx, payment, wallet)}`
}

/** Why a payment whose last signature has expired is neither released nor signed again. */
function whyNotEnded(ctx: Context, payment: PaymentRow, wallet: WalletRow | null): string {
  if (wallet && hasMismatch(wallet)) return 'the books of its wallet differ from the chain'
  if (kindOf(payment).submittedBy === 'seller') return 'waits for a final block'
  const isOfSession = ctx.store.session(payment.wallet_id)?.epoch === payment.epoch
  if (payment.revert !== null || wallet?.halt_kind || !isOfSession) return 'waits for a final block'
  if (stoppedSince(ctx) !== null) return stopped
  if (ctx.now() >= payment.give_up_at) return 'waits for a final block'
  return 'not signed again yet: its session key has expired, or node or database do not respond'
}

function whyPayout(ctx: Context, payout: PayoutRow, report: JobReport | null | undefined): string {
  if (payout.status === 'CREATING') return 'funded, but its announcement is not on chain yet'
  if (payout.action_deadline! * 1000 < ctx.now()) return 'its signature has expired; waits for a final block'
  return delivery(report)
}

const whyAction = (ctx: Context, { kind, status, tx_hash }: WalletActionRow): string => {
  if (status === 'sent') return tx_hash ? `${kind}: in transaction ${tx_hash}` : `${kind}: no transaction yet`
  if (kind === 'rotate' && stoppedSince(ctx) !== null) return `${kind}: ${stopped}`
  return `${kind}: waits for payments of the old session`
}

function walletWork(ctx: Context, wallet: WalletRow): StuckWork[] {
  const { id, status, halt_kind, halt_detail, error, created_at } = wallet
  if (halt_kind !== null) return [work('wallet', { id, status: 'halted' }, created_at, halt_detail!)]
  if (status !== 'deploying' || created_at > ctx.now() - slowAfterMs) return []
  return [work('wallet', wallet, created_at, error ?? 'its deployment is not on chain yet')]
}

/** Entries have no creation time, so `since` is the current time. */
const outboxWork = (ctx: Context): StuckWork[] =>
  ctx.store
    .all<{ kind: string; n: number; failures: number }>(
      'SELECT kind, count(*) AS n, max(failures) AS failures FROM outbox WHERE failures > 2 GROUP BY kind',
    )
    .map(({ kind, n, failures }) =>
      work('outbox', { id: kind, status: 'failing' }, ctx.now(), `${n} not delivered, tried ${failures} times`),
    )
