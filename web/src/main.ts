/**
 * What every page runs first, while its other files load: starts the calls with which the overview begins, which would
 * otherwise wait for its code, and shows its first figures. Then loads the code that renders the page.
 */
import './styles.css'
import { startEarly } from './lib/http.ts'
import { expiresSoon, hasAnswers, idleLeftMs, storedUser } from './lib/tokens.ts'

const startCalls = (paths: string[]) => paths.map((path) => startEarly(path))

/** Resolves once the figures of the last visit are painted. */
async function startOverview(): Promise<void> {
  const figures = import('./firstFigures.ts')
  // Starting the calls takes about as long as drawing, so they follow what is there already.
  if (hasAnswers()) await figures.then(({ showLastFigures }) => showLastFigures())
  const replies = startCalls(['/config', '/preferences', '/overview'])
  startCalls(['/notices/count', '/transactions/user?page=1&pageSize=5'])
  void figures.then(({ showFigures }) => showFigures(replies)).catch(() => undefined)
}

const isOverview = location.pathname === '/dashboard/overview' && storedUser() && idleLeftMs() > 0 && !expiresSoon()
// Without the figures, the page shows the logo until it is there.
const started = isOverview ? startOverview().catch(() => undefined) : Promise.resolve()
void started.then(() => import('./app.tsx'))
