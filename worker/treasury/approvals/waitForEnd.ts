import type { Context } from '../core/context.ts'

/** Maximum number of concurrent waits per agent. */
const maxWaiting = 10

/**
 * Waits until one of these payments no longer waits for approval, for `forMs` at most. Returns false if the agent already
 * has too many waits. Waits are held in memory only: after a restart the caller has to call again.
 */
export async function waitForEnd(ctx: Context, agentId: string, paymentIds: string[], forMs: number): Promise<boolean> {
  const { endWaiters, store } = ctx
  if ([...endWaiters.values()].filter((id) => id === agentId).length >= maxWaiting) return false
  const ended = "SELECT 1 FROM approval WHERE payment_id IN (SELECT value FROM json_each(?)) AND status <> 'PENDING'"
  let wake = () => {}
  const waiter = () => wake()
  let hasTimedOut = false
  const timer = setTimeout(() => {
    hasTimedOut = true
    wake()
  }, forMs)
  endWaiters.set(waiter, agentId)
  try {
    while (!hasTimedOut && store.first(ended, JSON.stringify(paymentIds)) === null)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
  } finally {
    endWaiters.delete(waiter)
    clearTimeout(timer)
  }
  return true
}

/** Called in the transaction that ends an approval; the waiters check again after it. */
export function wakeWaiters({ endWaiters }: Context): void {
  for (const wake of endWaiters.keys()) wake()
}
