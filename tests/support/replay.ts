import { type PastDecision, type PastPolicy, type Replayed, replayInSteps } from '#domain/replay.ts'

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
