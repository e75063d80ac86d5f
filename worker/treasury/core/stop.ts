import { stopReadingMs, stopsDelivery, stopsNewPayments, stopsSigning } from '#domain/serviceStop.ts'
import { type Refused, refuse } from '../../result.ts'
import type { Context } from './context.ts'
import { statusIn } from './storage/statuses.ts'

/**
 * What operators have stopped, as this isolate last read it (stops/reader.ts). Signing fails closed: without a reading that
 * began within the last 5 seconds nothing is signed, and accepted payments wait. Everything else follows the last reading.
 * An object that was just loaded waits for a reading of its own: an older one may miss that it was rolled back.
 */

/** True if session keys may sign now. Call in the transaction that signs. */
export const maySign = (ctx: Context): boolean => !stopsSigning(ctx.stop.mode) && readingAge(ctx) < stopReadingMs

const readingAge = ({ stop }: Context): number => stop.reader.age(stop.readAt)

/** Like `maySign`, but reads the mode first if necessary. Call `maySign` again in the transaction that signs. */
export async function signingAllowed(ctx: Context): Promise<boolean> {
  await freshStop(ctx)
  return maySign(ctx)
}

/**
 * Reads the mode if the last reading is too old for signing; a younger one is renewed in the background. Returns null if
 * there is nothing to wait for. Never throws.
 */
export function freshStop(ctx: Context): Promise<void> | null {
  const { stop } = ctx
  adopt(ctx)
  const age = readingAge(ctx)
  if (!stop.reader.isDue(age)) return null
  stop.reading ??= stop.reader
    .read(ctx.env)
    .then(() => adopt(ctx))
    .finally(() => {
      stop.reading = null
    })
  return age < stopReadingMs ? null : stop.reading
}

/**
 * True if a reading that began after this object was loaded says that the account is not being restored. Reads if
 * necessary, which is the only way in which an object that was rolled back learns of it.
 */
export async function isNotRestored(ctx: Context): Promise<boolean> {
  const hasRead = () => ctx.stop.readAt !== Number.NEGATIVE_INFINITY
  if (!hasRead()) await freshStop(ctx)
  return hasRead()
}

/** Follows the isolate's newest reading, unless it began before this object was loaded. */
function adopt(ctx: Context): void {
  const { stop, userId } = ctx
  const { last } = stop.reader
  if (!last || last.number <= stop.after) return
  const restoreId = last.frozen[userId]
  try {
    if (restoreId !== undefined && stop.freeze(restoreId)) return
    stop.mode = last.mode
    recordStop(ctx, last.since ?? last.readAt)
    stop.readAt = last.readAt
    stop.after = last.number
  } catch {
    // The object's storage refused, for example because it needs newer code. Its reading stays too old for signing.
  }
}

/** When signing was stopped (ms); null if it is not. Survives an eviction. */
export const stoppedSince = ({ store }: Context): number | null => store.meta('signing_stopped_since')

/** Stopped time does not count toward giving up: when signing resumes, open payments get it back. */
function recordStop(ctx: Context, stoppedAt: number): void {
  const { store } = ctx
  const since = stoppedSince(ctx)
  if (stopsSigning(ctx.stop.mode)) {
    if (since === null) store.setMeta('signing_stopped_since', stoppedAt)
    return
  }
  if (since === null) return
  store.transaction(() => {
    store.run(
      `UPDATE payment SET give_up_at = give_up_at + max(0, ?1 - max(?2, accepted_at))
       WHERE status IN ${statusIn.unsettled} AND give_up_at > ?2`,
      ctx.now(),
      since,
    )
    store.setMeta('signing_stopped_since', null)
    ctx.schedule('settle', ctx.now())
  })
}

const paused = (message: string, next: string): Refused => ({
  ...refuse('payments_paused', message, { retryAfter: 60 }),
  refusal: { rule: 'service.stopped', next, max_allowed_now: '0' },
})

/** The refusal of new payments while operators have stopped them; null if they are accepted. */
export const newPaymentRefusal = (ctx: Context): Refused | null =>
  stopsNewPayments(ctx.stop.mode)
    ? paused(
        'Payments are paused by the operator. Nothing was sent; please try again later.',
        'Wait for the seconds in Retry-After, then send the request again with the same Idempotency-Key.',
      )
    : null

/** The refusal of rotations while operators have stopped signing; null if Bursar may replace session keys. */
export const rotationRefusal = (ctx: Context): Refused | null =>
  stopsSigning(ctx.stop.mode)
    ? paused(
        'Payments are paused by the operator, and so are renewals by Bursar. You can sign the renewal with your owner key.',
        'Wait, or sign with the owner key.',
      )
    : null

/** The refusal of claims, reclaims and owner actions while operators have stopped delivery; null if they are sent. */
export const deliveryRefusal = (ctx: Context): Refused | null =>
  stopsDelivery(ctx.stop.mode)
    ? paused(
        'All transactions are paused by the operator. The money stays where it is; please try again later.',
        'Wait for the seconds in Retry-After, then try again.',
      )
    : null
