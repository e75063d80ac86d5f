import { AppError } from '../errors.ts'

// Waiting polls a timer: workerd cancels a request that only waits for another one as hung (record 007).
/** A call whose client disconnects never releases its slot, so an unused slot expires. */
const slotLifeMs = 30_000 // 30 seconds
const maxWaitMs = 15_000 // 15 seconds
const pollMs = 10

/** `touch` keeps the slot of a call that is still running for another 30 seconds. */
export type Slot = { touch: () => void; release: () => void }
type Held = { usedAt: number }
const slots = new Map<string, Set<Held>>()

/** Runs `work` in a slot of `key`, of which there are `most` in this isolate. */
export async function withConcurrencyLimit<T>(key: string, most: number, work: () => Promise<T>): Promise<T> {
  const slot = await takeSlot(key, most)
  try {
    return await work()
  } finally {
    slot.release()
  }
}

/**
 * Waits for a slot. Calls wait here, where they delay only calls of the same key, so that the Treasury's queue stays short
 * for its owner, and the isolate's and D1's for other users. Throws `rate_limited` after waiting 15 seconds.
 */
export async function takeSlot(key: string, most: number): Promise<Slot> {
  const startedAt = Date.now()
  while (isFull(key, most)) {
    if (Date.now() - startedAt > maxWaitMs)
      throw new AppError('rate_limited', `More than ${most} concurrent calls. Try again in 1 s.`, { retryAfter: 1 })
    await scheduler.wait(pollMs)
  }
  const taken = slots.get(key) ?? new Set()
  slots.set(key, taken)
  const held = { usedAt: Date.now() }
  taken.add(held)
  return {
    touch() {
      held.usedAt = Date.now()
    },
    release() {
      taken.delete(held)
      if (taken.size === 0 && slots.get(key) === taken) slots.delete(key)
    },
  }
}

function isFull(key: string, most: number): boolean {
  const taken = slots.get(key)
  if (!taken || taken.size < most) return false
  const now = Date.now()
  for (const held of taken) if (now - held.usedAt > slotLifeMs) taken.delete(held)
  return taken.size >= most
}
