import { capitalized } from '#domain/capitalized.ts'
import type { MicroUsdc } from '#domain/money.ts'
import { formatUsdc, saturatingSub, zeroUsdc } from '#domain/money.ts'
import { decidesAfterMs, effectiveAbove, isAlone, secondPersonText, setTo } from '#domain/secondPerson.ts'
import { dayMs } from '#domain/time.ts'
import { type Refused, refuse } from '../../result.ts'
import { actorNow } from '../core/acting.ts'
import type { Context } from '../core/context.ts'
import { fromColumn, toColumn } from '../core/storage/columns.ts'
import { memberOfPerson } from '../core/storage/members.ts'
import type { GroupRow } from '../core/storage/rows.ts'
import { enqueue } from '../outbox/enqueue.ts'
import { firstPeriod, periodNow } from './periods.ts'

/**
 * I22: of what is accepted within 24 hours, at most `secondPersonAbove` has one person behind it. An agent counts as the owner,
 * who may hold its key. A second person is behind a payment that another member approved, and behind those of a group whose
 * present version an approver has confirmed. What is reclaimed or fails gives nothing back.
 *
 * The amount above which a second person is needed now; null if none is.
 */
export const secondPersonAbove = (ctx: Pick<Context, 'store' | 'now'>): MicroUsdc | null =>
  effectiveAbove(ctx.store.secondPerson, ctx.now())

/** A payment to decide: of this group's agents, or of the owner; `isApproval` if the person who acts now approves it. */
type Asked = { group: GroupRow | null; amount: MicroUsdc; isApproval: boolean }

/**
 * The persons whose sums the payment counts to. The owner is not among them if a second person is behind it; a member who
 * approves is, as long as they may not decide above the limit.
 */
function countedTo(ctx: Context, { group, isApproval }: Asked): string[] {
  const { store, now, userId } = ctx
  const member = isApproval ? memberOfPerson(store, actorNow().by) : null
  if (member) return member.decides_from <= now() ? [] : [userId, member.person_id!]
  return group !== null && group.confirmed_version === group.version ? [] : [userId]
}

const sumOf = (ctx: Context, person: string): MicroUsdc =>
  fromColumn(
    ctx.store.first<{ sum: number }>(
      'SELECT coalesce(sum(amount), 0) AS sum FROM alone_spent WHERE person = ? AND period >= ?',
      person,
      firstPeriod(ctx),
    )!.sum,
  )

/** Whether more than the limit would have one person behind it with this payment. */
export function needsSecondPerson(ctx: Context, asked: Asked): boolean {
  const above = secondPersonAbove(ctx)
  if (above === null) return false
  return countedTo(ctx, asked).some((person) => isAlone(above, sumOf(ctx, person), asked.amount))
}

/** Counts an accepted payment. Call inside its transaction, before anything it was decided by changes. */
export function countAlone(ctx: Context, asked: Asked): void {
  if (ctx.store.secondPerson.above === null) return
  const [period, amount] = [periodNow(ctx), toColumn(asked.amount)]
  for (const person of countedTo(ctx, asked))
    ctx.store.insert(
      'alone_spent',
      { person, period, amount },
      'ON CONFLICT DO UPDATE SET amount = amount + excluded.amount',
    )
}

/** The refusal of what has only the person who acts now behind it; `isApproval` if it waits to be approved. */
export function secondPersonRequired(ctx: Context, isApproval: boolean): Refused {
  const rule = capitalized(secondPersonText(formatUsdc(secondPersonAbove(ctx) ?? zeroUsdc)))
  const member = memberOfPerson(ctx.store, actorNow().by)
  const next = member
    ? 'you can be that person from 24 hours after you joined, got a role that may do more, or chose a new password.'
    : isApproval
      ? 'an approver has to decide about this.'
      : 'let an agent ask for it, and an approver decide.'
  return refuse('second_person_required', `${rule}: ${next}`)
}

/** How much more can be accepted with only the owner behind it; null without a limit, and for rules that an approver confirmed. */
export function leftAlone(ctx: Context, group: GroupRow | null): MicroUsdc | null {
  const above = secondPersonAbove(ctx)
  if (above === null || (group !== null && group.confirmed_version === group.version)) return null
  return saturatingSub(above, sumOf(ctx, ctx.userId))
}

/**
 * Sets the limit. Raising it or switching it off takes effect in 24 hours; anything else at once, and calls off what was to
 * come. Returns whether everybody has to be told.
 */
export function setSecondPerson(ctx: Context, above: MicroUsdc | null): { isDelayed: boolean } {
  const before = ctx.store.secondPerson
  const after = setTo(before, above, ctx.now())
  ctx.store.secondPerson = after
  if (before.above === null && after.above !== null) recountAlone(ctx)
  return { isDelayed: after.next !== null }
}

/**
 * Counts what was accepted, or reserved by a run, in the last 24 hours again, all of it as the owner's: nothing was counted before
 * the limit was set, and a restore loses what was. Call inside a transaction.
 */
export function recountAlone({ store, now, userId }: Context): void {
  store.run('DELETE FROM alone_spent')
  const { sum } = store.first<{ sum: number }>(
    `SELECT (SELECT coalesce(sum(amount), 0) FROM payment WHERE accepted_at IS NOT NULL AND accepted_at > ?1 AND run_id IS NULL)
       + (SELECT coalesce(sum(amount), 0) FROM run_row JOIN run ON run.id = run_id
          WHERE decided_at > ?1 AND run.status NOT IN ('DENIED') AND run_row.status <> 'left_out') AS sum`,
    now() - dayMs,
  )!
  if (sum > 0) store.insert('alone_spent', { person: userId, period: periodNow({ now }), amount: sum })
}

/** A restore to `asOf` (ms) leaves out a change that protects less and was still to come: it may have been called off since. */
export function callOffNext({ store }: Pick<Context, 'store'>, asOf: number): void {
  const { above, next } = store.secondPerson
  if (next !== null && next.at > asOf) store.secondPerson = { above, next: null }
}

/** A member decides above the limit from a day after this (ms). Moves only later. */
export function delayDecisions({ store }: Pick<Context, 'store'>, memberId: string, since: number): void {
  store.run('UPDATE member SET decides_from = max(decides_from, ?) WHERE id = ?', since + decidesAfterMs, memberId)
}

/** A person who decides. `passwordAt`: when they chose their password (ms). */
export type KnownDecider = { userId: string; passwordAt: number }

/** A new password may be somebody else's. */
export function noteDecider({ store }: Context, { userId, passwordAt }: KnownDecider): void {
  const member = memberOfPerson(store, userId)
  if (member) delayDecisions({ store }, member.id, passwordAt)
}

/**
 * The owner's key is above the limit, so whoever acts for the account hears of what left a wallet by itself above it. Call inside
 * the transaction that books it.
 */
export function tellMembers(ctx: Context, txHash: string, amount: MicroUsdc): void {
  const above = secondPersonAbove(ctx)
  if (above === null || amount <= above) return
  for (const { id } of ctx.store.all<{ id: string }>("SELECT id FROM member WHERE status = 'active'"))
    enqueue(ctx, 'mail.withdrawal', `${id}:${formatUsdc(amount)}:${txHash}`)
}
