import type { Replay } from '#schemas/replay.ts'
import { typedDecimal, typedMicro } from '#web/lib/amounts.ts'
import { plural } from '#web/lib/format.ts'
import type { Candidate, WholeGroup } from '#web/queries/agents.ts'
import { contactScope, type GroupValues, valuesOf } from './groupForm.ts'
import { ruleValuesOf, wireRulesOf } from './ruleForm.ts'

/** What to replay of the form: null while it is not valid, or if it changes no decision. `group` is null for a new one. */
export function candidateOf(typed: GroupValues, group: WholeGroup | null): Candidate | null {
  if (ruleValuesOf(typed.rules) === null) return null
  const rules = wireRulesOf(typed.rules)
  const { scopes } = typed
  const candidate = { scopes, ...rules } as Candidate
  if (group === null) return candidate
  const before = valuesOf(group)
  const isOtherBudget = typed.budget.trim() !== before.budget
  if (isOtherBudget && !typedMicro(typed.budget)) return null
  const same = (a: readonly string[], b: readonly string[]) => {
    const known = new Set(b)
    return a.length === b.length && a.every((one) => known.has(one))
  }
  const isSame = JSON.stringify(rules) === JSON.stringify(wireRulesOf(before.rules)) && same(scopes, before.scopes)
  if (isSame) return null
  return {
    ...candidate,
    ...(isOtherBudget && { spendLimit: typedDecimal(typed.budget) }),
    ...(scopes.includes(contactScope) &&
      !same(typed.contactIds, before.contactIds) && { whitelistedContactIds: typed.contactIds }),
  }
}

/** 'Of 214 payments in the last 30 days, 9 would have been refused and 3 would have needed approval.' */
export function replayInWords({ decisions, before, after, changed }: Replay): string {
  if (decisions === 0) return 'There were no payments in the last 30 days to try this on.'
  const payments = plural(decisions, 'payment')
  if (changed.length === 0) return `Nothing would have been different for ${payments} in the last 30 days.`
  const parts = [
    after.refused > 0 && `${count(after.refused)} would have been refused`,
    after.asked > 0 && `${count(after.asked)} would have needed approval`,
    after.refused + after.asked === 0 && 'all would have been paid',
  ].filter((part) => typeof part === 'string')
  const was = [
    before.refused > 0 && `${count(before.refused)} ${before.refused === 1 ? 'was' : 'were'} refused`,
    before.asked > 0 && `${count(before.asked)} needed approval`,
  ].filter((part) => typeof part === 'string')
  const sentence = `Of ${payments} in the last 30 days, ${list.format(parts)}.`
  return was.length === 0 ? sentence : `${sentence} In fact, ${list.format(was)}.`
}

const list = new Intl.ListFormat('en-US')
const count = (n: number) => n.toLocaleString('en-US')
