import { onTestFinished, vi } from 'vitest'

/**
 * Timers of `ms` never fire until the end of the test: what does not wait for such a timer goes on, on any machine, and what
 * does wait never ends.
 */
export function stopTimersOf(ms: number): void {
  const real = globalThis.setTimeout
  const stopped = (...[handler, delay, ...rest]: Parameters<typeof setTimeout>) =>
    delay === ms ? 0 : real(handler, delay, ...rest)
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(stopped as typeof setTimeout)
  onTestFinished(() => spy.mockRestore())
}
