import { stopReadingMs, stopRefreshMs, stopsDelivery, stopsNewPayments, stopsSigning } from '#domain/serviceStop.ts'
import { readTreasuryStop } from '../../db/userRestores.ts'
import { type Refused, refuse } from '../../result.ts'
import type { Context } from '../context.ts'

/**
 * What operators have stopped for everybody, as this object last read it from D1. Signing fails closed: without a reading
 * that began within 5 seconds nothing is signed, and what was accepted waits. Everything else goes by the last reading.
 */

/** D1 answers within milliseconds; a payment does not wait longer for it, and then stays unsigned for now. */
const timeoutMs = 2_000 // 2 seconds
/** While D1 does not respond, calls wait for it this often. */
const retryMs = 1_000 // 1 second

/** May session keys sign now? Asked in the transaction that signs. */
export const maySign = (ctx: Context): boolean => !stopsSigning(ctx.stop.mode) && readingAge(ctx) < stopReadingMs

/** A reading later than now was made before the clock went back: it counts as old. */
const readingAge = ({ now, stop }: Context): number => Math.abs(now() - stop.readAt)

/** The same, after reading the mode if need be. To be asked again in the transaction that signs. */
export async function signingAllowed(ctx: Context): Promise<boolean> {
  await freshStop(ctx)
  return maySign(ctx)
}

/**
 * Reads the mode if the last reading is too old to sign on; a younger one is renewed in the background. Null: nothing to
 * wait for. Never throws.
 */
export function freshStop(ctx: Context): Promise<void> | null {
  const { stop } = ctx
  const age = readingAge(ctx)
  if (age < stopRefreshMs || Math.abs(ctx.now() - stop.failedAt) < retryMs) return null
  stop.reading ??= read(ctx)
    .catch(() => {
      // The object's storage refuses, because it needs newer code, for example.
      stop.failedAt = ctx.now()
    })
    .finally(() => {
      stop.reading = null
    })
  return age < stopReadingMs ? null : stop.reading
}

/**
 * Whether D1 has said, since this object was loaded, that it is not being restored; asks if need be. An object that was put
 * back learns it only from there.
 */
export async function isNotRestored(ctx: Context): Promise<boolean> {
  const hasAsked = () => ctx.stop.readAt !== Number.NEGATIVE_INFINITY
  if (!hasAsked()) await freshStop(ctx)
  return hasAsked()
}

async function read(ctx: Context): Promise<void> {
  // Before the question, so that a stop written after this moment is never older than the reading says.
  const readAt = ctx.now()
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, null)
  })
  const row = await Promise.race([readTreasuryStop(ctx.db, ctx.userId).catch(() => null), timeout])
  clearTimeout(timer)
  if (!row) {
    ctx.stop.failedAt = ctx.now()
    return
  }
  if (row.restoreId !== null && ctx.freeze(row.restoreId)) return
  ctx.stop.mode = row.mode
  noteStop(ctx, row.since ?? readAt)
  ctx.stop.readAt = readAt
}

const sinceKey = 'signing_stopped_since'

/** Since when nothing is signed (ms); null: it is. Outlives an eviction. */
export function stoppedSince({ store }: Context): number | null {
  const since = store.meta(sinceKey)
  return since === null ? null : Number(since)
}

/** Stopped time does not count towards giving up: when signing resumes, open payments get it back. */
function noteStop(ctx: Context, stoppedAt: number): void {
  const { store } = ctx
  const since = stoppedSince(ctx)
  if (stopsSigning(ctx.stop.mode)) {
    if (since === null) store.setMeta(sinceKey, String(stoppedAt))
    return
  }
  if (since === null) return
  store.transaction(() => {
    store.run(
      `UPDATE payment SET give_up_at = give_up_at + max(0, ?1 - max(?2, created_at))
       WHERE status IN ('QUEUED','PROCESSING') AND give_up_at > ?2`,
      ctx.now(),
      since,
    )
    store.run('DELETE FROM meta WHERE key = ?', sinceKey)
    ctx.schedule('settle', ctx.now())
  })
}

const paused = (message: string, next: string): Refused => ({
  ...refuse('payments_paused', message, { retryAfter: 60 }),
  refusal: { rule: 'service.stopped', next, max_allowed_now: '0' },
})

/** Null: new payments are accepted. */
export const newPaymentRefusal = (ctx: Context): Refused | null =>
  stopsNewPayments(ctx.stop.mode)
    ? paused(
        'Payments are paused by the operator. Nothing was sent; please try again later.',
        'Wait for the seconds in Retry-After, then send the request again with the same Idempotency-Key.',
      )
    : null

/** Null: Bursar may replace session keys. */
export const rotationRefusal = (ctx: Context): Refused | null =>
  stopsSigning(ctx.stop.mode)
    ? paused(
        'Payments are paused by the operator, and so are renewals by Bursar. You can sign the renewal with your owner key.',
        'Wait, or sign with the owner key.',
      )
    : null

/** Null: claims, reclaims and owner actions are sent to the chain. */
export const deliveryRefusal = (ctx: Context): Refused | null =>
  stopsDelivery(ctx.stop.mode)
    ? paused(
        'All transactions are paused by the operator. The money stays where it is; please try again later.',
        'Wait for the seconds in Retry-After, then try again.',
      )
    : null
