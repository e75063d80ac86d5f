/**
 * Starts the calls with which the overview begins, which would otherwise wait for its code, and shows its first figures. The
 * build puts this into a file of its own, which pages run as soon as it is there, while the others load (web/preloads.ts).
 */
import { startEarly } from './lib/http.ts'
import { expiresSoon, idleLeftMs, storedUser } from './lib/tokens.ts'

/** Resolves once the figures of the last visit are painted, for which the first render of the page waits. */
export let firstFigures = Promise.resolve()

if (location.pathname === '/dashboard/overview' && storedUser() && idleLeftMs() > 0 && !expiresSoon()) {
  const figures = import('./firstFigures.ts')
  const replies = ['/config', '/preferences', '/overview'].map((call) => startEarly(call))
  for (const call of ['/notices/count', '/transactions/user?page=1&pageSize=5']) startEarly(call)
  // Without them, the page shows the logo until it is there.
  firstFigures = figures.then(({ showFirstFigures }) => showFirstFigures(replies)).catch(() => undefined)
}
