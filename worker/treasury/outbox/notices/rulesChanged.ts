import { capitalized } from '#domain/capitalized.ts'
import { formatUsdcText, parseUsdc } from '#domain/money.ts'
import { anyRules, rulesFromWire, rulesInWords } from '#domain/rules/values.ts'
import { scopeNames, visibleScopes } from '#domain/scopes.ts'
import { utcText } from '#domain/utcText.ts'
import { oneLine } from '../../../notifications/format.ts'
import type { Store } from '../../core/storage/store.ts'

type Policy = Record<string, unknown>
type Recorded = { ref: string; data: Policy; at?: number; seq?: number }

/** Top-ups between two versions of the rules that are looked at. */
const maxTopUps = 20
/** The most that is said of one rule: it may name a thousand addresses. */
const maxLength = 200

/**
 * Which rules of a group changed, and what they were before. Null if that is no longer known, or if only what no rule is about
 * has changed.
 */
export function rulesChanged(store: Store, { ref, data, at, seq }: Recorded): string | null {
  if (at === undefined || seq === undefined) return null
  const earlier = store
    .all<{ event: string; data: string }>(
      `SELECT event, data FROM audit INDEXED BY audit_budget
       WHERE event IN ('group.created', 'group.changed', 'group.topped_up') AND ref = ? AND (at, seq) < (?, ?)
       ORDER BY at DESC, seq DESC LIMIT ${maxTopUps}`,
      ref,
      at,
      seq,
    )
    .map((row) => ({ event: row.event, policy: JSON.parse(row.data) as Policy }))
  const rules = earlier.find(({ event }) => event !== 'group.topped_up')?.policy
  if (!rules) return null
  const before: Policy = { ...rules, limit: earlier[0]!.policy.limit }
  const parts = [
    ...(before.name === data.name ? [] : [`It was called ${oneLine(String(before.name), 60)}.`]),
    ...(before.limit === data.limit ? [] : [`Its budget is ${budget(data.limit)}, before: ${budget(before.limit)}.`]),
    ...permissionsChanged(before, data),
    ...sentencesChanged(before, data),
    ...contactsChanged(data),
  ]
  return parts.length === 0 ? null : parts.join(' ')
}

const budget = (limit: unknown) =>
  limit === null ? 'without a limit' : `${formatUsdcText(parseUsdc(String(limit)) ?? 0n)} USDC`

function permissionsChanged(before: Policy, after: Policy): string[] {
  const has = (policy: Policy, scope: string) => Array.isArray(policy.scopes) && policy.scopes.includes(scope)
  const named = (from: Policy, to: Policy) =>
    visibleScopes.filter((scope) => !has(from, scope) && has(to, scope)).map((scope) => scopeNames[scope])
  const [added, removed] = [named(before, after), named(after, before)]
  return [
    ...(added.length > 0 ? [`Added: ${added.join(', ')}.`] : []),
    ...(removed.length > 0 ? [`Removed: ${removed.join(', ')}.`] : []),
  ]
}

const say = {
  money: (amount: bigint) => `${formatUsdcText(amount)} USDC`,
  moment: utcText,
}

function sentencesChanged(before: Policy, after: Policy): string[] {
  const [was, is] = [before, after].map((policy) =>
    Object.fromEntries(
      rulesInWords(rulesFromWire(policy), say).map(({ rule, sentence }) => [rule.field, sentence.replace(/\.$/, '')]),
    ),
  ) as [Record<string, string>, Record<string, string>]
  return anyRules
    .filter(({ field }) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
    .map(({ field, title, off }) => {
      const words = (sentence: string | undefined) => oneLine(sentence ?? (off ? String(off) : 'off'), maxLength)!
      return `${capitalized(title)}: ${words(is[field])}. Before: ${words(was[field])}.`
    })
}

function contactsChanged({ added, removed }: Policy): string[] {
  const parts = [
    Array.isArray(added) && `${added.length} added to`,
    Array.isArray(removed) && `${removed.length} removed from`,
  ].filter((part) => typeof part === 'string')
  return parts.length === 0 ? [] : [`Contacts: ${parts.join(', ')} its whitelist.`]
}
