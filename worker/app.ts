import { Hono } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { requestId } from 'hono/request-id'
import type { AppEnv } from './appEnv.ts'
import { answerHeaders, onFailure, onMethodNotAllowed, onNotFound } from './middleware/answers.ts'
import { dependencies, jsonOnly, smallBody } from './middleware/requests.ts'
import { agents } from './routes/agents.ts'
import { audit } from './routes/audit.ts'
import { auth, plainLogin } from './routes/auth.ts'
import { contacts } from './routes/contacts.ts'
import { dev } from './routes/dev.ts'
import { escrow } from './routes/escrow.ts'
import { meta } from './routes/meta.ts'
import { oauth } from './routes/oauth.ts'
import { overview } from './routes/overview.ts'
import { payments } from './routes/payments.ts'
import { policyGroups } from './routes/policyGroups.ts'
import { transactions } from './routes/transactions.ts'
import { users } from './routes/users.ts'
import { wallets } from './routes/wallets.ts'
import { wellKnown } from './routes/wellKnown.ts'

/** Every path the Worker answers. Tests give their own clock. */
export function createApp(options: { now?: () => number } = {}) {
  const base = new Hono<AppEnv>()
  base.onError(onFailure)
  base.notFound(onNotFound)
  base
    .use(requestId())
    .use(answerHeaders)
    .use(methodNotAllowed({ app: base, onMethodNotAllowed }))
    .use(smallBody)
    .use('/api/*', jsonOnly)
    .use('/v1/*', jsonOnly)
    .use(dependencies(options.now ?? Date.now))
  // Chained, so that the browser's client can infer every route.
  return base
    .route('/api', meta)
    .route('/api/auth/cognito', auth)
    .route('/api/login', plainLogin)
    .route('/api/users', users)
    .route('/api/contacts', contacts)
    .route('/api/wallets', wallets)
    .route('/api/policy-groups', policyGroups)
    .route('/api/agents', agents)
    .route('/api/transactions', transactions)
    .route('/api/escrow', escrow)
    .route('/api/overview', overview)
    .route('/api/audit', audit)
    .route('/v1', payments)
    .route('/oauth', oauth)
    .route('/.well-known', wellKnown)
    .route('/dev', dev)
}

export type App = ReturnType<typeof createApp>
