import type { z } from 'zod'
import { formatUsdc } from '#domain/money.ts'
import { type Outcome, type PastDecision, type PastPolicy, type Replayed, replayInSteps } from '#domain/replay.ts'
import { editRules, parseRules, type RuleEdits, type RuleValues } from '#domain/rules/values.ts'
import { dayMs, isoOf } from '#domain/time.ts'
import type { Replay, ReplayRequest } from '#schemas/replay.ts'
import { rulesIn } from '#schemas/rules.ts'
import type { Person } from '../appEnv.ts'
import { nextTurn } from '../durable/turns.ts'
import type { DecisionCursor } from '../history/api.ts'
import { historyOf } from '../historyOf.ts'
import { unwrap } from '../result.ts'

const maxDecisions = 10_000
const maxChanged = 200
/** The longest window that a rule may have, a month: what was paid in it counts. */
const longestWindowMs = 31 * dayMs

/** What a changed policy would have decided about the group's past payments. Changes nothing. */
export async function replayGroup(
  { deps, accountId, treasury, callerId }: Person,
  groupId: string,
  { candidate, days }: z.output<typeof ReplayRequest>,
): Promise<Replay> {
  const now = deps.now()
  const since = now - days * dayMs
  const current = unwrap(await treasury.policies().rules(groupId))
  const newestFirst: PastDecision[] = []
  let before: DecisionCursor | null = null
  do {
    const read = historyOf(deps.env, accountId).decisions(callerId, groupId, since - longestWindowMs, before)
    const { decisions, next } = unwrap(await read)
    newestFirst.push(...decisions)
    before = next
  } while (before !== null && newestFirst.length < maxDecisions)
  const rules = parseRules(editRules(current.rules, rulesIn(candidate as RuleEdits))).values
  const policy = { rules, scopes: candidate.scopes ?? current.scopes }
  const all = await replayInTurns(newestFirst.toReversed(), ({ at }) => (at < since ? null : policy))
  const replayed = all.filter(({ decision }) => decision.at >= since).toReversed()
  const changed = replayed.filter(({ decision, outcome }) => decision.outcome !== outcome)
  return {
    decisions: replayed.length,
    before: counts(replayed.map(({ decision }) => decision.outcome)),
    after: counts(replayed.map(({ outcome }) => outcome)),
    changed: changed.slice(0, maxChanged).map(({ decision, outcome, rule }) => ({
      paymentId: decision.id,
      at: isoOf(decision.at),
      amount: formatUsdc(BigInt(decision.amount)),
      before: decision.outcome,
      after: outcome,
      rule: rule ?? decision.rules[0] ?? null,
    })),
    notCovered: notCovered(candidate, rules, before === null ? null : newestFirst.at(-1)!.at),
  }
}

/** Pauses between steps: on a thread that other users share, 10,000 decisions must not be one piece of work. */
async function replayInTurns(
  decisions: PastDecision[],
  policyAt: (decision: PastDecision) => PastPolicy | null,
): Promise<Replayed[]> {
  const steps = replayInSteps(decisions, policyAt)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await nextTurn(1)
  }
}

const counts = (outcomes: Outcome[]) => ({
  allowed: outcomes.filter((outcome) => outcome === 'allowed').length,
  refused: outcomes.filter((outcome) => outcome === 'refused').length,
  asked: outcomes.filter((outcome) => outcome === 'asked').length,
})

/** `from` (ms): where the decisions that were read begin, if there were more. */
function notCovered(
  candidate: z.output<typeof ReplayRequest>['candidate'],
  rules: RuleValues,
  from: number | null,
): string[] {
  const sentences = [
    from !== null &&
      `Only the newest ${maxDecisions.toLocaleString('en-US')} decisions are covered, since ${isoOf(from)}.`,
    candidate.spendLimit !== undefined && 'The total budget is not covered.',
    candidate.whitelistedContactIds !== undefined && 'Whitelisted contacts are not covered.',
    rules.maxUnclaimed !== null && 'The limit of unclaimed payouts is not covered.',
  ]
  return sentences.filter((sentence) => typeof sentence === 'string')
}
