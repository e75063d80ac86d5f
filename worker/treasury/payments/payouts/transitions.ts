import type { AuditEvent } from '#domain/events.ts'
import { nextPayout, type PayoutEvent, type PayoutStatus } from '#domain/payment.ts'
import { linkDown } from '../../../claims/api.ts'
import { notFound, ok, type Refused, type Result, refuse } from '../../../result.ts'
import type { Context } from '../../core/context.ts'
import type { PayoutRow } from '../../core/storage/rows.ts'
import { audit } from '../../ledger/audit.ts'
import { enqueuePayout } from '../../outbox/enqueue.ts'
import { sendPaymentEvent } from '../../outbox/events.ts'

/** The audit event of each payout event. */
const nameOf = {
  ready: 'payout.ready',
  claim: 'payout.claim_started',
  reclaim: 'payout.reclaim_started',
  lapsed: 'payout.lapsed',
  lapsed_unready: 'payout.lapsed',
  unready: 'payout.unready',
  withdrawn: 'payout.withdrawn',
  reclaimed: 'payout.reclaimed',
  dead: 'payout.failed',
} as const satisfies Record<PayoutEvent, AuditEvent>

/** Applies `event` to the payout. Returns null, without changing anything, if it does not apply to the current status. */
export function movePayout(
  ctx: Context,
  payout: PayoutRow,
  event: PayoutEvent,
  data: Record<string, unknown> = {},
): PayoutRow | null {
  const next = nextPayout(payout.status, event)
  if (next === null) return null
  if (!ctx.store.update('payout', payout.id, { status: next }, { status: payout.status })) return null
  const name = nameOf[event]
  audit(ctx.store, ctx.now(), name, payout.id, data)
  enqueuePayout(ctx, payout.id)
  // These leave the payment's status unchanged. A payout's final events, which change it, are sent when they are booked.
  if (name === 'payout.ready' || name === 'payout.claim_started' || name === 'payout.reclaim_started')
    sendPaymentEvent(ctx, name, payout.id, ctx.store.payment(payout.id)!.status)
  return ctx.store.payout(payout.id)
}

const endings: Record<Extract<PayoutStatus, 'WITHDRAWN' | 'RECLAIMED' | 'RECLAIMING' | 'FAILED'>, string> = {
  WITHDRAWN: 'This payout was already claimed.',
  RECLAIMED: 'The sender took this payout back.',
  RECLAIMING: 'The sender is taking this payout back.',
  FAILED: 'This payout could not be funded.',
}

/** The refusal for a payout that has ended or is being reclaimed. */
export const payoutEnded = (status: keyof typeof endings): Refused => refuse('gone', endings[status])

/** The refusal for a link that operators have taken down; null if it is up. The sender can still take the payout back. */
export const takenDown = ({ taken_down_at }: PayoutRow, to: 'recipient' | 'sender'): Refused | null => {
  if (taken_down_at === null) return null
  return to === 'recipient'
    ? linkDown
    : refuse('conflict', 'The operator has taken this payout’s link down. You can take the payout back.')
}

/** Takes a claim link down, or restores it. A claim that was signed before is completed. Repeating it changes nothing. */
export function setLinkDown(ctx: Context, payoutId: string, isDown: boolean): Result<PayoutRow> {
  const { store } = ctx
  return store.transaction((): Result<PayoutRow> => {
    const payout = store.payout(payoutId)
    if (!payout) return notFound('Payout')
    if ((payout.taken_down_at !== null) === isDown) return ok(payout)
    store.run('UPDATE payout SET taken_down_at = ? WHERE id = ?', isDown ? ctx.now() : null, payoutId)
    audit(store, ctx.now(), isDown ? 'payout.link_taken_down' : 'payout.link_restored', payoutId)
    enqueuePayout(ctx, payoutId)
    return ok(store.payout(payoutId)!)
  })
}
