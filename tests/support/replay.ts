import { type PastDecision, type PastPolicy, type Replayed, replayInSteps } from '#domain/replay.ts'
import { rulesFromWire } from '#domain/rules/values.ts'
import type { Store } from '../../worker/treasury/core/storage/store.ts'

/** The policy under which each decision about a group was made, from its versions in the audit log. */
export function policiesOf(store: Store, groupId: string): (decision: PastDecision) => PastPolicy {
  const versions = store
    .all<{ at: number; data: string }>(
      "SELECT at, data FROM audit WHERE ref = ? AND event IN ('group.created', 'group.changed') ORDER BY at, seq",
      groupId,
    )
    .map(({ at, data }) => {
      const { policyVersion: _, scopes, ...rules } = JSON.parse(data) as Record<string, unknown>
      return { at, policy: { rules: rulesFromWire(rules), scopes: scopes as string[] } }
    })
  return ({ at }) => versions.findLast((each) => each.at <= at)!.policy
}

/** The whole replay at once. */
export function replay(
  decisions: readonly PastDecision[],
  policyAt: (decision: PastDecision) => PastPolicy | null,
): Replayed[] {
  const steps = replayInSteps(decisions, policyAt)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
