import { Hono } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { claimPage } from '../web/functions/claimPage.ts'
import type { AppEnv } from './appEnv.ts'
import type { ServerOf } from './mcp/server.ts'
import { onFailure, onMethodNotAllowed, onNotFound } from './middleware/failures.ts'
import { requireOwnHost } from './middleware/host.ts'
import {
  cacheHeaders,
  dependencies,
  limitBodySize,
  ownRequestId,
  requireJson,
  requireSettings,
  securityHeaders,
} from './middleware/requests.ts'
import { withRequestId } from './observability/log.ts'
import { account, audit, changes, notices, preferences, push } from './routes/account.ts'
import { agents } from './routes/agents.ts'
import { approvalSettings, approvals, grants } from './routes/approvals.ts'
import { auth, plainLogin } from './routes/auth.ts'
import { connections } from './routes/connections.ts'
import { contacts } from './routes/contacts.ts'
import { deliveryReports } from './routes/deliveryReports.ts'
import { dev } from './routes/dev.ts'
import { docs, wellKnown } from './routes/documents.ts'
import { escrow } from './routes/escrow.ts'
import { mcp } from './routes/mcp.ts'
import { meta } from './routes/meta.ts'
import { oauth } from './routes/oauth.ts'
import { ops } from './routes/ops.ts'
import { payments } from './routes/payments.ts'
import { people } from './routes/people.ts'
import { policyGroups } from './routes/policyGroups.ts'
import { runs } from './routes/runs.ts'
import { transactions } from './routes/transactions.ts'
import { overview, usage } from './routes/usage.ts'
import { users } from './routes/users.ts'
import { onramp, wallets } from './routes/wallets.ts'
import { webhooks } from './routes/webhooks.ts'

/** All routes of the Worker. Tests pass their own clock, and another MCP server to test the protocol of /mcp. */
export function createApp(options: { now?: () => number; mcpServer?: ServerOf } = {}) {
  // Not strict: some clients add a slash, and do not repeat a POST after a redirect.
  const base = new Hono<AppEnv>({ strict: false })
  base.onError(onFailure)
  base.notFound(onNotFound)
  // Before the rest of the middleware, whose headers are those of the API.
  base.get('/claim/*', ownRequestId, requireOwnHost, (c, next) => {
    const { env, executionCtx, req } = c
    return env.ASSETS
      ? claimPage(req.raw, env.ASSETS, { fetch: (call) => base.fetch(call, env, executionCtx) })
      : next()
  })
  base
    .use(ownRequestId)
    .use((c, next) => withRequestId(c.get('requestId'), next))
    .use(securityHeaders)
    .use(cacheHeaders)
    .use(requireSettings)
    .use(requireOwnHost)
    .use(methodNotAllowed({ app: base, onMethodNotAllowed }))
    .use(limitBodySize)
    .use('/api/*', requireJson)
    .use('/v1/*', requireJson)
    .use(dependencies(options.now ?? Date.now))
  // Chained, so that App carries the types of all routes; tests/worker/apiContract.test.ts checks the contract against them.
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
    .route('/api/push', push)
    .route('/api/audit', audit)
    .route('/api/changes', changes)
    .route('/api/approvals', approvals)
    .route('/api/notices', notices)
    .route('/api/grants', grants)
    .route('/api/approval-settings', approvalSettings)
    .route('/api/connections', connections)
    .route('/api/webhooks', webhooks)
    .route('/api/people', people)
    .route('/api/runs', runs)
    .route('/v1', payments)
    .route('/mcp', mcp(options.mcpServer))
    .route('/oauth', oauth)
    .route('/delivery-reports', deliveryReports)
    .route('/ops', ops)
    .route('/.well-known', wellKnown)
    .route('/', docs)
    .route('/dev', dev)
}

export type App = ReturnType<typeof createApp>
