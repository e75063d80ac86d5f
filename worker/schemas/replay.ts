import { z } from 'zod'
import type { Outcome } from '#domain/replay.ts'
import { UpdatePolicyGroup } from './policy.ts'

/** POST /policy-groups/{id}/replay. `candidate`: the fields of PUT; absent ones are as they are now. */
export const ReplayRequest = z.strictObject({
  candidate: UpdatePolicyGroup.partial(),
  days: z.int().min(1, 'Days must be 1 to 30').max(30, 'Days must be 1 to 30').default(30),
})

type Outcomes = { allowed: number; refused: number; asked: number }

/**
 * What the candidate would have decided about the group's payments of these days, compared with what was decided. `changed`:
 * at most 200, newest first; `rule` is the one that refuses or asks, before or after. `notCovered`: sentences.
 */
export type Replay = {
  decisions: number
  before: Outcomes
  after: Outcomes
  changed: { paymentId: string; at: string; amount: string; before: Outcome; after: Outcome; rule: string | null }[]
  notCovered: string[]
}
