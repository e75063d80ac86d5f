import { mailboxOf } from '#domain/email.ts'
import type { PaymentFacts, Rule } from '#domain/rules/rule.ts'
import { countedAs, type RuleValues, windowsIn } from '#domain/rules/values.ts'
import {
  addTo,
  endOf,
  groupingMs,
  returnTo,
  type Used,
  usedOf,
  type Window,
  windowOf,
  windowStart,
} from '#domain/rules/windows.ts'
import { paidToOf } from '../core/storage/newPayment.ts'
import { type PaidTo, recipientText } from '../core/storage/paidRecipients.ts'
import type { GroupRow, PaymentRow } from '../core/storage/rows.ts'
import { listedAt, statusIn } from '../core/storage/statuses.ts'
import type { Store } from '../core/storage/store.ts'
import {
  type Counted,
  type CountedWindows,
  formatWindow,
  formatWindows,
  parseWindows,
} from '../core/storage/windowsColumn.ts'

/**
 * What the rules of a group count over time: in the group's row, and per recipient in `recipient_window`. A payment reads and
 * writes the group's windows with the rest of its row, and at most one row for its recipient.
 */

/** Recipients that one group's windows may have at a time. */
export const maxSubjects = 50_000

/** The recipient as windows name it: a mailbox counts with all its tags and dots. */
const subjectOf = (to: PaidTo): string => (to.email === null ? recipientText(to)! : mailboxOf(to.email))

/** `used`: by rule. `recipient`: null if nothing is counted of them. */
export type GroupWindows = { used: Record<string, Used>; group: CountedWindows; recipient: CountedWindows | null }
export const noWindows: GroupWindows = { used: {}, group: {}, recipient: null }

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
  const ofGroup = parseWindows(group.windows)
  const recipient =
    to && windows.some(({ window }) => window.perRecipient) ? recipientWindows(store, group.id, subjectOf(to)) : null
  const used: Record<string, Used> = {}
  for (const { rule, window } of windows) {
    if (window.perRecipient && !to) continue
    const counted = (window.perRecipient ? recipient : ofGroup)?.[rule.field]
    const each = usedOf(window.span, counted?.ring ?? null, now)
    const isFull = window.perRecipient && !recipient && group.subjects >= maxSubjects && !hasEnded(store, group.id, now)
    used[rule.field] = isFull ? { ...each, isFull } : each
  }
  return { used, group: ofGroup, recipient }
}

function recipientWindows(store: Store, groupId: string, subject: string): CountedWindows | null {
  const query = 'SELECT windows FROM recipient_window WHERE group_id = ? AND subject = ?'
  const row = store.first<{ windows: string }>(query, groupId, subject)
  return row && parseWindows(row.windows)
}

const ended = 'recipient_window WHERE group_id = ? AND ends_at <= ?'
const hasEnded = (store: Store, groupId: string, now: number): boolean =>
  store.first(`SELECT 1 FROM ${ended} LIMIT 1`, groupId, now) !== null

/**
 * Counts an accepted payment and returns the group's windows for its row, as text; null if they stay the same. `windows` is
 * what `readWindows` returned for the payment. Call inside the transaction.
 */
export function countPayment(
  store: Store,
  group: GroupRow,
  rules: RuleValues,
  { group: ofGroup, recipient }: GroupWindows,
  payment: { to: PaidTo; amount: bigint; facts: PaymentFacts },
): string | null {
  const [inGroup, toRecipient]: Record<string, Counted>[] = [{}, {}]
  for (const { rule, window } of windowsIn(rules)) {
    const amount = countedAs(rule, payment.amount, () => payment.facts)
    if (amount === 0n) continue
    const known = (window.perRecipient ? recipient : ofGroup)?.[rule.field]?.ring ?? null
    const ring = addTo(window.span, known, payment.facts.at, amount)
    const written = window.perRecipient ? toRecipient! : inGroup!
    written[rule.field] = { span: window.span, counts: rule.counts !== undefined, ring }
  }
  if (!isEmpty(toRecipient!)) {
    if (!recipient) addSubject(store, group.id, payment.facts.at)
    writeRecipient(store, group.id, subjectOf(payment.to), { ...recipient, ...toRecipient })
  }
  return isEmpty(inGroup!) ? null : formatWindows({ ...ofGroup, ...inGroup })
}

function isEmpty(windows: object): boolean {
  for (const _ in windows) return false
  return true
}

function writeRecipient(store: Store, groupId: string, subject: string, windows: CountedWindows): void {
  const ends_at = Math.max(...Object.values(windows).map(({ span, ring }) => endOf(span, ring)))
  store.insert(
    'recipient_window',
    { group_id: groupId, subject, windows: formatWindows(windows), ends_at },
    'ON CONFLICT DO UPDATE SET windows = excluded.windows, ends_at = excluded.ends_at',
  )
}

/** One more recipient; up to two whose windows have ended are forgotten for it. */
function addSubject(store: Store, groupId: string, now: number): void {
  const old = store.all<{ subject: string }>(`SELECT subject FROM ${ended} LIMIT 2`, groupId, now)
  for (const { subject } of old)
    store.run('DELETE FROM recipient_window WHERE group_id = ? AND subject = ?', groupId, subject)
  store.run('UPDATE policy_group SET subjects = subjects + ? WHERE id = ?', 1 - old.length, groupId)
}

/** Returns a payment's amount to the slices in which it was counted. Numbers of payments stay: it was made. */
export function returnPayment(store: Store, payment: PaymentRow): void {
  if (payment.group_id === null || payment.accepted_at === null) return
  const subject = subjectOf(paidToOf(payment))
  const row = store.first<{ windows: string; recipient: string | null }>(
    `SELECT windows, (SELECT windows FROM recipient_window WHERE group_id = id AND subject = ?) AS recipient
     FROM policy_group WHERE id = ?`,
    subject,
    payment.group_id,
  )!
  const inGroup = returned(parseWindows(row.windows), payment)
  if (inGroup) setWindows(store, payment.group_id, inGroup)
  const toRecipient = row.recipient === null ? null : returned(parseWindows(row.recipient), payment)
  if (toRecipient) writeRecipient(store, payment.group_id, subject, toRecipient)
}

/** The windows without the payment; null if they do not contain its amount. */
function returned(windows: CountedWindows, { accepted_at, amount }: PaymentRow): CountedWindows | null {
  const changed: Record<string, Counted> = {}
  for (const [field, counted] of Object.entries(windows)) {
    if (counted.counts) continue
    const ring = returnTo(counted.span, counted.ring, accepted_at!, BigInt(amount))
    if (ring !== counted.ring) changed[field] = { ...counted, ring }
  }
  return isEmpty(changed) ? null : { ...windows, ...changed }
}

const setWindows = (store: Store, groupId: string, windows: CountedWindows) =>
  store.update('policy_group', groupId, { windows: formatWindows(windows) })

/**
 * After a change of rules: windows whose rule is new, or counts another time, are made again from the payments; those of
 * rules that are gone are deleted. A rule that does not count every payment begins with nothing.
 */
export function rebuildWindows(
  store: Store,
  groupId: string,
  before: RuleValues,
  after: RuleValues,
  now: number,
): void {
  const stays = ({ rule, window }: { rule: Rule; window: Window }, others: ReturnType<typeof windowsIn>) =>
    others.some((each) => each.rule === rule && isSame(each.window, window))
  const [known, wanted] = [windowsIn(before), windowsIn(after)]
  replaceWindows(
    store,
    groupId,
    known.filter((each) => !stays(each, wanted)),
    wanted.filter((each) => !stays(each, known)),
    now,
  )
}

const isSame = (a: Window, b: Window) => a.span === b.span && a.perRecipient === b.perRecipient

/** Makes the windows of all rules again, except of a rule that does not count every payment: that one keeps what it has. */
export function recountWindows(store: Store, groupId: string, rules: RuleValues, now: number): void {
  const recounted = windowsIn(rules).filter(({ rule }) => countsAll(rule))
  replaceWindows(store, groupId, recounted, recounted, now)
}

type Windows = ReturnType<typeof windowsIn>

function replaceWindows(store: Store, groupId: string, gone: Windows, added: Windows, now: number): void {
  const ofGroup: Record<string, Counted> = { ...parseWindows(store.group(groupId)!.windows) }
  for (const { rule, window } of gone)
    if (window.perRecipient) forgetRecipients(store, groupId, rule.field)
    else delete ofGroup[rule.field]
  for (const { rule, window } of added.filter((each) => countsAll(each.rule)))
    for (const [subject, payments] of paidSince(store, groupId, window, rule.counts !== undefined, now)) {
      const ring = windowOf(window.span, payments, now)
      const counted: Counted = { span: window.span, counts: rule.counts !== undefined, ring }
      if (window.perRecipient) addToRecipient(store, groupId, subject, rule.field, counted)
      else ofGroup[rule.field] = counted
    }
  setWindows(store, groupId, ofGroup)
  if ([...gone, ...added].some(({ window }) => window.perRecipient))
    store.run(
      'UPDATE policy_group SET subjects = (SELECT count(*) FROM recipient_window WHERE group_id = ?1) WHERE id = ?1',
      groupId,
    )
}

function forgetRecipients(store: Store, groupId: string, field: string): void {
  store.run('UPDATE recipient_window SET windows = json_remove(windows, ?) WHERE group_id = ?', `$.${field}`, groupId)
  store.run("DELETE FROM recipient_window WHERE group_id = ? AND windows = '{}'", groupId)
}

const addToRecipient = (store: Store, groupId: string, subject: string, field: string, counted: Counted) =>
  store.run(
    `INSERT INTO recipient_window (group_id, subject, windows, ends_at) VALUES (?1, ?2, json_object(?3, json(?4)), ?5)
     ON CONFLICT DO UPDATE SET windows = json_set(windows, '$.' || ?3, json(?4)), ends_at = max(ends_at, ?5)`,
    groupId,
    subject,
    field,
    formatWindow(counted),
    endOf(counted.span, counted.ring),
  )

/** What a rule counts of past payments can be known only if it counts all. */
const countsAll = ({ counts }: Rule) => typeof counts !== 'function'

/** What the group's payments add to a window, by subject: their amounts, or with `counts` their numbers. */
function paidSince(
  store: Store,
  groupId: string,
  { span, perRecipient }: Window,
  counts: boolean,
  now: number,
): Map<string, { at: number; amount: bigint }[]> {
  const bySubject = new Map<string, { at: number; amount: bigint }[]>()
  type Paid = { at: number; paid: number } & Pick<
    PaymentRow,
    'kind' | 'to_address' | 'recipient_email' | 'recipient_phone'
  >
  const to = perRecipient ? ', kind, to_address, recipient_email, recipient_phone, seller' : ''
  const rows = store.all<Paid>(
    `SELECT max(accepted_at) AS at, ${counts ? 'count(*)' : 'sum(amount)'} AS paid${to} FROM payment
     WHERE agent_id IN (SELECT id FROM agent WHERE group_id = ?) AND accepted_at IS NOT NULL AND ${listedAt} >= ?
     ${counts ? '' : `AND (status IN ${statusIn.alive} OR id IN (SELECT id FROM payout WHERE returned_block IS NOT NULL))`}
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
