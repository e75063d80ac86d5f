import { formatUsdc } from '#domain/money.ts'
import { nextForOwner, type Refusal } from '#domain/refusal.ts'
import { dayMs, minuteMs } from '#domain/time.ts'
import type { Refused } from '../../result.ts'
import { figuresView } from '../core/commonRefusals.ts'
import { type Context, newId } from '../core/context.ts'
import { newPayment } from '../core/storage/newPayment.ts'
import { pageRows } from '../core/storage/pages.ts'
import { audit } from '../ledger/audit.ts'
import { takeOfPeriods } from '../limits/rates.ts'
import { recordChange } from '../outbox/changes.ts'
import { sendPaymentEvent } from '../outbox/events.ts'
import type { Caller } from '../policies/paymentParties.ts'
import { whitelistRow } from '../policies/whitelist.ts'
import type { PayInput } from './rpcTypes.ts'

const keepMs = 30 * dayMs

/**
 * Records the refusal with the figures it was based on, and returns it. Only a limited number is recorded per minute and
 * day, so that an agent in a loop cannot fill the object's storage.
 */
export function recordRefusal(
  ctx: Context,
  input: PayInput,
  refusal: Refusal,
  caller: Caller,
  inputs: Record<string, unknown>,
): Refused {
  const { store } = ctx
  const now = ctx.now()
  const refused = refusalOf(refusal)
  if (!mayWriteRefusal(ctx, now)) return refused
  const id = newId(ctx, 'ref')
  refused.refusal!.id = id
  const payment = newPayment(input.terms, {
    id,
    caller,
    target: null,
    contact: input.contact ?? null,
    contact_name: contactName(ctx, input, caller),
    status: 'POLICY_REJECTED',
    created_at: now,
    error_code: refusal.code,
    error_message: refusal.message,
    refusal: JSON.stringify({
      ...refused,
      refusal: { ...refused.refusal, next_for_owner: nextForOwner(refusal.next) },
    }),
  })
  store.insert('payment', payment)
  // The idempotency key stays free: nothing happened, so the same request may succeed after a top-up.
  audit(store, now, 'payment.refused', id, {
    by: caller.agent?.id ?? 'user',
    amount: formatUsdc(input.terms.amount),
    rule: refusal.rule,
    ...inputs,
    ...refused.refusal,
  })
  recordChange(ctx, id)
  sendPaymentEvent(ctx, 'payment.refused', id, null)
  return refused
}

/** Converts a policy refusal to a result without recording it. */
export const refusalOf = (refusal: Refusal): Refused => ({
  ok: false,
  code: refusal.code,
  message: refusal.message,
  ...(refusal.code === 'insufficient_balance' || refusal.code.endsWith('exceeded') ? { field: 'amount' } : {}),
  refusal: figuresView(refusal),
})

/** The contact's name, for lists. Null if the group does not allow the contact: then only D1 knows its name. */
function contactName({ store }: Context, { terms: { to }, contact }: PayInput, { group }: Caller): string | null {
  if (to.type !== 'contact' || !group) return contact?.name ?? null
  return whitelistRow(store, group.id, to.contactId)?.name ?? null
}

/** Counts one more recorded refusal. Returns false if the limit per minute or UTC day has been reached. */
function mayWriteRefusal(ctx: Context, now: number): boolean {
  const { refusalsPerMinute, refusalsPerDay } = ctx.limits
  return takeOfPeriods(ctx, [
    { name: 'refusals_of_minute', startsAt: now - (now % minuteMs), most: refusalsPerMinute },
    { name: 'refusals_of_day', startsAt: now - (now % dayMs), most: refusalsPerDay },
  ])
}

/**
 * Deletes refusals after 30 days, a thousand at most. Returns true if there may be more. Payments that were not approved end
 * with their approval.
 */
export function pruneRefusals(ctx: Context): boolean {
  const { store, now } = ctx
  return store.transaction(() => {
    const old = `SELECT id FROM payment WHERE refusal IS NOT NULL AND created_at < ? ORDER BY created_at LIMIT ${pageRows}`
    const ids = store.all<{ id: string }>(old, now() - keepMs).map(({ id }) => id)
    if (ids.length === 0) return false
    // A new number for each, so that History deletes them too.
    store.run('INSERT OR REPLACE INTO change (ref) SELECT value FROM json_each(?)', JSON.stringify(ids))
    store.run('DELETE FROM payment WHERE id IN (SELECT value FROM json_each(?))', JSON.stringify(ids))
    ctx.schedule('history', now())
    return ids.length === pageRows
  })
}
