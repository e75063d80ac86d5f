import { AppError } from '../errors.ts'

const maxConcurrent = 16
// Waiting polls a timer: workerd cancels a request that only waits for another one as hung (record 025).
/** A call whose client disconnects never runs its `finally`, so its slot expires instead. */
const slotLifeMs = 30_000 // 30 seconds
const maxWaitMs = 15_000 // 15 seconds
const pollMs = 10

type Slot = { takenAt: number }
const slots = new Map<string, Set<Slot>>()

/**
 * Runs at most 16 calls of one agent at a time in this isolate. Further calls wait here, where they delay only each other,
 * so that the Treasury's queue stays short for the owner's dashboard, and the isolate's for other users. Throws
 * `rate_limited` after waiting 15 seconds.
 */
export async function withConcurrencyLimit<T>(agentId: string, work: () => Promise<T>): Promise<T> {
  const startedAt = Date.now()
  while (isFull(agentId)) {
    if (Date.now() - startedAt > maxWaitMs)
      throw new AppError('rate_limited', `More than ${maxConcurrent} concurrent calls. Try again in 1 s.`, {
        retryAfter: 1,
      })
    await scheduler.wait(pollMs)
  }
  const taken = slots.get(agentId) ?? new Set()
  slots.set(agentId, taken)
  const slot = { takenAt: Date.now() }
  taken.add(slot)
  try {
    return await work()
  } finally {
    taken.delete(slot)
    if (taken.size === 0) slots.delete(agentId)
  }
}

function isFull(agentId: string): boolean {
  const taken = slots.get(agentId)
  if (!taken || taken.size < maxConcurrent) return false
  const now = Date.now()
  for (const slot of taken) if (now - slot.takenAt > slotLifeMs) taken.delete(slot)
  return taken.size >= maxConcurrent
}
