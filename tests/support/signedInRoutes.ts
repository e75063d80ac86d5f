import { createApp } from '../../worker/app.ts'

/** In place of every parameter of a path, and of ids in bodies. */
export const id = 'abc_0123456789'
const someone = `0x${'12'.repeat(20)}`
const to = { type: 'address', address: someone }
const group = { name: 'Group', scopes: ['address_payments:write'], walletId: id }
const rotation = { spendingLimit: '2000000000', ttlHours: 1 }
const signature = { signature: `0x${'12'.repeat(65)}`, deadline: 1, ownerNonce: '0' }

/** Routes that need no login. */
const open = new Set([
  'GET /api/config',
  'GET /api/health',
  'GET /api/ready',
  'POST /api/login',
  'POST /api/users',
  'GET /api/escrow/claim/:accessToken',
  'GET /api/escrow/kept-balance/:accessToken',
  'GET /api/escrow/send-on/:accessToken',
  'POST /api/escrow/claim',
  'POST /api/escrow/receipt',
  'POST /api/escrow/resend-passcode',
  'POST /api/escrow/send-on',
  'POST /api/escrow/verify-passcode',
])

/** Bodies of routes that look at their input before they call the Treasury. */
export const bodies: Record<string, object> = {
  'POST /api/transactions/send': { walletId: id, toAddress: someone, amount: '1' },
  'POST /api/transactions/recipient-check': { toAddress: someone, amount: '1' },
  'POST /api/escrow/create': { sourceWalletId: id, amount: '1', recipientEmail: 'thief@example.com' },
  'POST /api/policy-groups': group,
  'PUT /api/policy-groups/:groupId': group,
  'POST /api/policy-groups/:groupId/top-up': { amount: '1' },
  'POST /api/policy-groups/:groupId/contacts/:contactId/confirm': { address: someone, email: null, phone: null },
  'POST /api/agents': { name: 'Thief', policyGroupId: id },
  'PUT /api/agents/:agentId': { name: 'Thief' },
  'POST /api/agents/:agentId/check': { to, amount: '1' },
  'POST /api/wallets/smart-wallets-v2/deploy': { ownerAddress: someone, chainId: 8453 },
  'POST /api/wallets/smart-wallets-v2/:walletId/rotate-session-key': rotation,
  'POST /api/wallets/smart-wallets-v2/:walletId/session-offers': rotation,
  'POST /api/wallets/smart-wallets-v2/:walletId/owner-actions': { kind: 'revokeSession', ...signature },
  'POST /api/wallets/with-private-key': {
    address: someone,
    chain: 'base',
    privateKey: `0x${'12'.repeat(32)}`,
    masterPassword: 'correct horse battery',
  },
  'POST /api/wallets/:walletId/private-key': { masterPassword: 'correct horse battery' },
  'POST /api/approvals/:approvalId/approve': { hash: '0'.repeat(64) },
  'POST /api/approvals/:approvalId/deny': { hash: '0'.repeat(64) },
  'POST /api/policy-groups/:groupId/replay': { candidate: {} },
  'POST /api/connections/requests/:requestId/allow': { agent: { type: 'existing', agentId: id } },
  'PUT /api/approval-settings': { passwordAbove: '50' },
  'POST /api/runs': { title: 'Theft', walletId: id, csv: `to,amount\n${someone},1` },
  'POST /api/runs/:runId/approve': { hash: '0'.repeat(64) },
  'POST /api/runs/:runId/deny': { hash: '0'.repeat(64) },
  'POST /api/runs/:runId/repeat': { repeat: { every: 'week', times: 2 } },
  'POST /api/changes/end': { ids: [1] },
  'POST /api/notices/read': { upTo: 1 },
  'POST /api/people': { email: 'thief@example.com', role: 'approver' },
  'PUT /api/people/second-person': { above: '50' },
  'POST /api/policy-groups/:groupId/confirm': { version: 1 },
  'PATCH /api/people/:memberId': { role: 'approver' },
  'POST /api/webhooks': { url: 'https://example.com/hook', events: ['payment.confirmed'] },
}

/** The same for queries. */
export const queries: Record<string, string> = {
  'GET /api/transactions/books': '?format=xero&days=2026-10-01..2026-10-31',
}

/** The routes of the dashboard that need a login: 'GET /api/wallets'. */
export const signedInRoutes = () => [
  ...new Set(
    createApp()
      .routes.filter(({ method, path }) => method !== 'ALL' && path.startsWith('/api/'))
      .map(({ method, path }) => `${method} ${path.replace(/(.)\/$/, '$1')}`)
      .filter((route) => !open.has(route) && !route.includes('/api/auth/cognito/')),
  ),
]
