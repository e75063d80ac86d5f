import { stopReadingMs, stopRefreshMs, stopsDelivery, stopsNewPayments, stopsSigning } from '#domain/serviceStop.ts'
import { readTreasuryStop } from '../../db/userRestores.ts'
import { type Refused, refuse } from '../../result.ts'
import { statusIn } from '../storage/statuses.ts'
import type { Context } from './context.ts'
import { numberOf } from './relayers.ts'

/**
 * What operators have stopped for all accounts, as this object last read it from D1. Signing fails closed: without a
 * reading that began within the last 5 seconds nothing is signed, and accepted payments wait. Everything else follows the
 * last reading.
 */

/** D1 responds within milliseconds. A payment waits no longer than this for it, and then stays unsigned for now. */
const timeoutMs = 2_000 // 2 seconds
/** While D1 does not respond, it is read at most this often, then half as often each time, down to the last figure. */
const firstRetryMs = 1_000 // 1 second
const lastRetryMs = 8_000 // 8 seconds

/** True if session keys may sign now. Call in the transaction that signs. */
export const maySign = (ctx: Context): boolean => !stopsSigning(ctx.stop.mode) && readingAge(ctx) < stopReadingMs

/** A reading from the future was made before the clock was set back, so it counts as old. */
const readingAge = ({ now, stop }: Context): number => Math.abs(now() - stop.readAt)

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
  const age = readingAge(ctx)
  if (age < stopRefreshMs * pace(ctx) || Math.abs(ctx.now() - stop.failedAt) < retryMs(ctx)) return null
  stop.reading ??= read(ctx)
    .catch(() => {
      // The object's storage refused, for example because it needs newer code.
      recordFailure(ctx)
    })
    .finally(() => {
      stop.reading = null
    })
  return age < stopReadingMs ? null : stop.reading
}

/**
 * True if D1 has confirmed, since this object was loaded, that the account is not being restored. Asks D1 if necessary,
 * which is the only place where an object that was put back learns of it.
 */
export async function isNotRestored(ctx: Context): Promise<boolean> {
  const hasRead = () => ctx.stop.readAt !== Number.NEGATIVE_INFINITY
  if (!hasRead()) await freshStop(ctx)
  return hasRead()
}

async function read(ctx: Context): Promise<void> {
  // Taken before the query, so that a stop that the query misses is never older than the reading.
  const readAt = ctx.now()
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, null)
  })
  const row = await Promise.race([readTreasuryStop(ctx.db, ctx.userId).catch(() => null), timeout])
  clearTimeout(timer)
  if (!row) return recordFailure(ctx)
  ctx.stop.failures = 0
  if (row.restoreId !== null && ctx.freeze(row.restoreId)) return
  ctx.stop.mode = row.mode
  recordStop(ctx, row.since ?? readAt)
  ctx.stop.readAt = readAt
}

function recordFailure({ stop, now }: Context): void {
  stop.failedAt = now()
  stop.failures += 1
}

const retryMs = (ctx: Context): number =>
  Math.min(lastRetryMs, firstRetryMs * 2 ** Math.max(0, ctx.stop.failures - 1)) * pace(ctx)

/** From 0.6 to 1, different for each account, so that objects that were loaded together do not go on reading together. */
const pace = ({ userId }: Context): number => 0.6 + 0.4 * ((numberOf(userId) % 1_000) / 1_000)

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
