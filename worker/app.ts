import { Hono } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { requestId } from 'hono/request-id'
import type { AppEnv } from './appEnv.ts'
import type { ServerOf } from './mcp/server.ts'
import { answerHeaders, onFailure, onMethodNotAllowed, onNotFound } from './middleware/answers.ts'
import { dependencies, jsonOnly, smallBody } from './middleware/requests.ts'
import { account } from './routes/account.ts'
import { agents } from './routes/agents.ts'
import { audit } from './routes/audit.ts'
import { auth, plainLogin } from './routes/auth.ts'
import { contacts } from './routes/contacts.ts'
import { dev } from './routes/dev.ts'
import { docs } from './routes/docs.ts'
import { escrow } from './routes/escrow.ts'
import { mcp } from './routes/mcp.ts'
import { meta } from './routes/meta.ts'
import { oauth } from './routes/oauth.ts'
import { onramp } from './routes/onramp.ts'
import { overview } from './routes/overview.ts'
import { payments } from './routes/payments.ts'
import { policyGroups } from './routes/policyGroups.ts'
import { preferences } from './routes/preferences.ts'
import { transactions } from './routes/transactions.ts'
import { usage } from './routes/usage.ts'
import { users } from './routes/users.ts'
import { wallets } from './routes/wallets.ts'
import { wellKnown } from './routes/wellKnown.ts'

/** Every path the Worker answers. Tests give their own clock, and other tools to test the protocol of /mcp. */
export function createApp(options: { now?: () => number; mcpServer?: ServerOf } = {}) {
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
    .route('/api/account', account)
    .route('/api/agents', agents)
    .route('/api/transactions', transactions)
    .route('/api/escrow', escrow)
    .route('/api/onramp', onramp)
    .route('/api/overview', overview)
    .route('/api/usage', usage)
    .route('/api/preferences', preferences)
    .route('/api/audit', audit)
    .route('/v1', payments)
    .route('/mcp', mcp(options.mcpServer))
    .route('/oauth', oauth)
    .route('/.well-known', wellKnown)
    .route('/', docs)
    .route('/dev', dev)
}

export type App = ReturnType<typeof createApp>
