import { mailboxOf } from '#domain/email.ts'
import { type Period, periods } from '#domain/policyPeriod.ts'
import type { PaymentFacts } from '#domain/rules/rule.ts'
import { noRules, type RuleField, type RuleValues, windowsIn } from '#domain/rules/values.ts'
import {
  addTo,
  endOf,
  groupingMs,
  type Ring,
  returnTo,
  type Used,
  usedOf,
  type Window,
  windowOf,
  windowStart,
} from '#domain/rules/windows.ts'
import { paidToOf } from '../storage/newPayment.ts'
import type { PaidTo } from '../storage/paidRecipients.ts'
import type { GroupRow, PaymentRow, RuleWindowRow } from '../storage/rows.ts'
import { listedAt, statusIn } from '../storage/statuses.ts'
import type { Store } from '../storage/store.ts'

/** What the rules of a group count over time, in rule_window: one read per decision, one write per payment. */

/** Recipients that one group's windows may have at a time. */
export const maxSubjects = 50_000

/** The recipient as windows name it: a mailbox counts with all its tags and dots. */
const subjectOf = ({ address, email, phone }: PaidTo): string =>
  address?.toLowerCase() ?? (email === null ? phone! : mailboxOf(email))

export type GroupWindows = { used: Record<string, Used>; rings: Map<string, Ring> }
export const noWindows: GroupWindows = { used: {}, rings: new Map() }

/** `to` is null if no payment is meant: then what is counted per recipient is missing. */
export function readWindows(
  store: Store,
  group: GroupRow,
  rules: RuleValues,
  to: PaidTo | null,
  now: number,
): GroupWindows {
  const windows = windowsIn(rules)
  if (windows.length === 0) return noWindows
  const subject = to && windows.some(({ window }) => window.perRecipient) ? subjectOf(to) : ''
  const rows = store.all<RuleWindowRow>(
    'SELECT * FROM rule_window WHERE group_id = ? AND subject IN (?, ?)',
    group.id,
    '',
    subject,
  )
  const found: GroupWindows = { used: {}, rings: new Map() }
  for (const { rule, window } of windows) {
    const own = window.perRecipient ? subject : ''
    if (window.perRecipient && !to) continue
    const row = rows.find((each) => each.field === rule.field && each.subject === own)
    if (row) found.rings.set(rule.field, ringOf(row))
    const used = usedOf(window.span, row ? ringOf(row) : null, now)
    const isFull = window.perRecipient && !row && group.subjects >= maxSubjects && !hasEnded(store, group.id, now)
    found.used[rule.field] = isFull ? { ...used, isFull } : used
  }
  return found
}

/** The slices that were read or written last, by their text: the next payment usually reads what the last one has written. */
const parsed = new Map<string, readonly bigint[]>()
const keep = (text: string, slices: readonly bigint[]) => {
  if (parsed.size >= 200) parsed.clear()
  parsed.set(text, slices)
}

function ringOf({ newest, slices: text }: RuleWindowRow): Ring {
  const known = parsed.get(text)
  if (known) return { newest, slices: known }
  const slices = (JSON.parse(text) as number[]).map(BigInt)
  keep(text, slices)
  return { newest, slices }
}

/** Throws RangeError if SQLite's numbers would lose a digit. */
function slicesText({ slices }: Ring): string {
  for (const slice of slices) if (slice > Number.MAX_SAFE_INTEGER) throw new RangeError(`amount ${slice}`)
  const text = `[${slices}]`
  keep(text, slices)
  return text
}

const ended = "rule_window WHERE group_id = ? AND subject <> '' AND ends_at <= ?"
const hasEnded = (store: Store, groupId: string, now: number): boolean =>
  store.first(`SELECT 1 FROM ${ended} LIMIT 1`, groupId, now) !== null

/** Counts an accepted payment. `windows` is what `readWindows` returned for it. Call inside the transaction. */
export function countPayment(
  store: Store,
  group: GroupRow,
  rules: RuleValues,
  windows: GroupWindows,
  payment: { to: PaidTo; amount: bigint; facts: PaymentFacts },
): void {
  const rows: RuleWindowRow[] = []
  for (const { rule, window } of windowsIn(rules)) {
    const known = windows.rings.get(rule.field) ?? null
    const counted = rule.counts?.(payment.facts)
    if (counted === 0) continue
    const ring = addTo(window.span, known, payment.facts.at, counted === undefined ? payment.amount : 1n)
    const subject = window.perRecipient ? subjectOf(payment.to) : ''
    if (subject && !known) addSubject(store, group.id, payment.facts.at)
    rows.push(rowOf(group.id, subject, rule.field, window, rule.counts !== undefined, ring))
  }
  write(store, rows)
}

const rowOf = (
  group_id: string,
  subject: string,
  field: string,
  { span }: Window,
  counts: boolean,
  ring: Ring,
): RuleWindowRow => ({
  group_id,
  subject,
  field,
  span: String(span),
  counts: counts ? 1 : 0,
  newest: ring.newest,
  slices: slicesText(ring),
  ends_at: endOf(span, ring),
})

/** In statements of at most ten rows. */
function write(store: Store, rows: RuleWindowRow[]): void {
  for (let i = 0; i < rows.length; i += 10) {
    const some = rows.slice(i, i + 10)
    const values = some.flatMap((row) => Object.values(row) as (string | number)[])
    const names = Object.keys(some[0]!)
    const each = `(${names.map(() => '?')})`
    store.run(
      `INSERT INTO rule_window (${names}) VALUES ${some.map(() => each)} ON CONFLICT DO UPDATE SET span = excluded.span,
         counts = excluded.counts, newest = excluded.newest, slices = excluded.slices, ends_at = excluded.ends_at`,
      ...values,
    )
  }
}

/** One more recipient; up to two whose windows have ended are forgotten for it. */
function addSubject(store: Store, groupId: string, now: number): void {
  const old = store.all<Pick<RuleWindowRow, 'subject' | 'field'>>(
    `SELECT subject, field FROM ${ended} LIMIT 2`,
    groupId,
    now,
  )
  for (const { subject, field } of old)
    store.run('DELETE FROM rule_window WHERE group_id = ? AND subject = ? AND field = ?', groupId, subject, field)
  store.run('UPDATE policy_group SET subjects = subjects + ? WHERE id = ?', 1 - old.length, groupId)
}

const spanOf = (text: string): Window['span'] =>
  (periods as readonly string[]).includes(text) ? (text as Period) : Number(text)

/** Returns a payment's amount to the slices in which it was counted. Numbers of payments stay: it was made. */
export function returnPayment(store: Store, payment: PaymentRow): void {
  if (payment.group_id === null || payment.accepted_at === null) return
  const rows = store.all<RuleWindowRow>(
    'SELECT * FROM rule_window WHERE group_id = ? AND subject IN (?, ?) AND counts = 0',
    payment.group_id,
    '',
    subjectOf(paidToOf(payment)),
  )
  for (const row of rows) {
    const span = spanOf(row.span)
    const ring = ringOf(row)
    const left = returnTo(span, ring, payment.accepted_at, BigInt(payment.amount))
    if (left !== ring) write(store, [{ ...row, slices: slicesText(left) }])
  }
}

/**
 * After a change of rules: windows whose rule is new, or counts another time, are made again from the payments; those of
 * rules that are gone are deleted. A rule that does not count every payment begins with nothing.
 */
export function rebuildWindows(
  store: Store,
  group: GroupRow,
  before: RuleValues,
  after: RuleValues,
  now: number,
): void {
  const known = windowsIn(before)
  const wanted = windowsIn(after)
  const isSame = (a: Window, b: Window) => a.span === b.span && a.perRecipient === b.perRecipient
  let changed = false
  for (const { rule, window } of known)
    if (!wanted.some((each) => each.rule === rule && isSame(each.window, window)))
      changed =
        store.run('DELETE FROM rule_window WHERE group_id = ? AND field = ?', group.id, rule.field) > 0 || changed
  for (const { rule, window } of wanted) {
    if (known.some((each) => each.rule === rule && isSame(each.window, window))) continue
    const paid = paidSince(store, group.id, window, rule.counts?.(ordinary(now)))
    write(
      store,
      [...paid(now)].map(([subject, payments]) =>
        rowOf(group.id, subject, rule.field, window, rule.counts !== undefined, windowOf(window.span, payments, now)),
      ),
    )
    changed = true
  }
  if (changed)
    store.run(
      "UPDATE policy_group SET subjects = (SELECT count(*) FROM rule_window WHERE group_id = ?1 AND subject <> '') WHERE id = ?1",
      group.id,
    )
}

/** Makes the windows of all rules again, except of a rule that does not count every payment: that one keeps what it has. */
export function recountWindows(store: Store, group: GroupRow, rules: RuleValues, now: number): void {
  const before: RuleValues = { ...noRules }
  for (const { rule } of windowsIn(rules)) {
    const field = rule.field as RuleField
    if (rule.counts?.(ordinary(now)) === 0) Object.assign(before, { [field]: rules[field] })
    else store.run('DELETE FROM rule_window WHERE group_id = ? AND field = ?', group.id, field)
  }
  rebuildWindows(store, group, before, rules, now)
}

/** A payment to a recipient who was paid before. */
const ordinary = (at: number): PaymentFacts => ({ at, isPayout: false, unclaimed: 0n as never, recipient: null })

/** What the group's payments add to a window, by subject: their amounts, or `count` for each of them. */
function paidSince(store: Store, groupId: string, { span, perRecipient }: Window, count: 0 | 1 | undefined) {
  return (now: number): Map<string, { at: number; amount: bigint }[]> => {
    const bySubject = new Map<string, { at: number; amount: bigint }[]>()
    if (count === 0) return bySubject
    type Paid = { at: number; paid: number } & Pick<
      PaymentRow,
      'kind' | 'to_address' | 'recipient_email' | 'recipient_phone'
    >
    const to = perRecipient ? ', kind, to_address, recipient_email, recipient_phone' : ''
    const rows = store.all<Paid>(
      `SELECT max(accepted_at) AS at, ${count === undefined ? 'sum(amount)' : 'count(*)'} AS paid${to} FROM payment
       WHERE agent_id IN (SELECT id FROM agent WHERE group_id = ?) AND accepted_at IS NOT NULL AND ${listedAt} >= ?
       ${count === undefined ? `AND (status IN ${statusIn.alive} OR id IN (SELECT id FROM payout WHERE returned_block IS NOT NULL))` : ''}
       GROUP BY accepted_at / ?${to}`,
      groupId,
      windowStart(span, now),
      groupingMs(span),
    )
    for (const { at, paid, ...row } of rows) {
      const subject = perRecipient ? subjectOf(paidToOf(row as PaymentRow)) : ''
      const entries = bySubject.get(subject) ?? []
      entries.push({ at, amount: BigInt(paid) })
      bySubject.set(subject, entries)
    }
    return bySubject
  }
}
