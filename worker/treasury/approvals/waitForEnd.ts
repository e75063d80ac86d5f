import type { Context } from '../context.ts'

/** Of one agent at once. */
const maxWaiting = 10

/**
 * Waits until one of these payments, which wait for the owner, does so no longer, for `forMs` at most. False: this agent
 * waits too often already. Kept in memory only: after a restart the caller asks again.
 */
export async function waitForEnd(ctx: Context, agentId: string, paymentIds: string[], forMs: number): Promise<boolean> {
  const { endWaiters, store } = ctx
  if ([...endWaiters.values()].filter((id) => id === agentId).length >= maxWaiting) return false
  const ended = "SELECT 1 FROM approval WHERE payment_id IN (SELECT value FROM json_each(?)) AND status <> 'PENDING'"
  let wake = () => {}
  const waiter = () => wake()
  let isOver = false
  const timer = setTimeout(() => {
    isOver = true
    wake()
  }, forMs)
  endWaiters.set(waiter, agentId)
  try {
    while (!isOver && store.first(ended, JSON.stringify(paymentIds)) === null)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
  } finally {
    endWaiters.delete(waiter)
    clearTimeout(timer)
  }
  return true
}

/** A question ends in this transaction: they look again after it. */
export function wakeWaiting({ endWaiters }: Context): void {
  for (const wake of endWaiters.keys()) wake()
}
