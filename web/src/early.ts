/**
 * Starts the calls with which the overview begins, which would otherwise wait for its code. The build puts this into a file of
 * its own, which pages run as soon as it is there, while the others load (web/preloads.ts).
 */
import { startEarly } from './lib/http.ts'
import { expiresSoon, idleLeftMs, storedUser } from './lib/tokens.ts'

if (location.pathname === '/dashboard/overview' && storedUser() && idleLeftMs() > 0 && !expiresSoon())
  for (const call of ['/config', '/notices/count', '/preferences', '/overview', '/transactions/user?page=1&pageSize=5'])
    startEarly(call)
