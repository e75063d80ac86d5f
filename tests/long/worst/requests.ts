/**
 * The most expensive request of each route that somebody may send, for ../worst.ts. Bodies are as large as their route allows, lists
 * are searched for what none of their rows has, and changes are valid as long as their limit lasts.
 */
import { address, asForm, asJson, maximal, mcpCall, names, text, type World, type Worst, x402Request } from './build.ts'

/** Without an account, from one network address. */
const strangers: Record<string, Worst> = {
  'GET /.well-known/passkey-endpoints': {},
  'GET /api/ready': {},
  'GET /api/health': {},
  'GET /api/config': {},
  'POST /api/auth/cognito/login': ({ n }) => asJson({ email: `x${n}@bursar.test`, password: 'p'.repeat(128) }),
  'POST /api/auth/cognito/new-password': ({ n }) =>
    asJson({
      email: `x${n}@bursar.test`,
      password: 'p'.repeat(60),
      newPassword: `P${'q'.repeat(60)}1`,
      session: text(1000),
    }),
  'POST /api/auth/cognito/refresh': ({ n }) => asJson({ refreshToken: `br_${n}.${text(2000)}` }),
  'POST /api/auth/cognito/sign-out': ({ n }) => asJson({ refreshToken: `br_${n}.${text(2000)}` }),
  'POST /api/auth/cognito/signup': ({ n }) =>
    asJson({ email: `new${n}@bursar.test`, name: text(40), password: 'difference-engine-2' }),
  'POST /api/auth/cognito/confirm': ({ n }) => asJson({ email: `x${n % 9}@bursar.test`, code: '123456' }),
  'POST /api/auth/cognito/confirm-link': ({ n }) => asJson({ token: `${n}.${text(500)}` }),
  'POST /api/auth/cognito/resend-code': ({ n }) => asJson({ email: `x${n}@bursar.test` }),
  'POST /api/auth/cognito/forgot-password': ({ world }) => asJson({ email: world.email }),
  'POST /api/auth/cognito/reset-password': ({ world }) =>
    asJson({ email: world.email, code: '123456', newPassword: 'difference-engine-3' }),
  'POST /api/auth/cognito/reset-password-link': ({ n }) =>
    asJson({ token: `${n}.${text(500)}`, newPassword: 'difference-engine-3' }),
  'POST /api/login': ({ n }) => asJson({ email: `x${n}@bursar.test`, password: 'p'.repeat(128) }),
  'POST /api/users': ({ n }) => asJson({ email: `y${n}@bursar.test`, name: text(40), signupPasscode: `wrong-${n}` }),
  'GET /api/escrow/claim/:accessToken': ({ world, n }) => ({ path: [n % 2 ? world.claimToken : text(64)] }),
  'POST /api/escrow/verify-passcode': ({ world, n }) =>
    asJson({ accessToken: world.claimToken, passcode: String(100_000 + (n % 900_000)) }),
  'POST /api/escrow/claim': ({ world }) =>
    asJson({ accessToken: world.claimToken, passcode: '000000', recipientAddress: address(1) }),
  'GET /api/escrow/kept-balance/:accessToken': ({ world, n }) => ({ path: [n % 2 ? world.claimToken : text(64)] }),
  'GET /api/escrow/send-on/:accessToken': ({ world, n }) => ({
    path: [world.claimToken],
    query: { nonce: `0x${n.toString(16).padStart(64, '0')}` },
  }),
  'POST /api/escrow/send-on': ({ world, n }) =>
    asJson({
      ...{ accessToken: world.claimToken, to: address(1), amount: '1', validBefore: 4_000_000_000 },
      ...{ nonce: `0x${n.toString(16).padStart(64, '0')}`, signature: `0x${'1'.repeat(130)}` },
    }),
  'POST /api/escrow/resend-passcode': ({ world }) => asJson({ accessToken: world.claimToken }),
  'POST /api/escrow/receipt': ({ world }) => asJson({ accessToken: world.claimToken, email: 'x@bursar.test' }),
  'POST /oauth/token': ({ n, world }) =>
    n % 2
      ? asForm(names(16))
      : asForm({
          ...{ grant_type: 'authorization_code', code: text(500), client_id: world.clientId, redirect_uri: text(9000) },
          ...{ code_verifier: text(128), resource: text(2000) },
        }),
  'POST /oauth/revoke': ({ world }) => asForm({ token: text(12_000), client_id: world.clientId }),
  'POST /oauth/introspect': () => asForm(names(16)),
  'POST /oauth/register': ({ n }) =>
    asJson({
      ...{
        client_name: `App ${n}`,
        redirect_uris: Array.from({ length: 10 }, (_, i) => `https://x${i}.example/${text(200)}`),
      },
      more: text(40_000),
    }),
  'POST /oauth/device': ({ n }) => asForm({ client_id: 'bursar-cli', device_name: `Device ${n}`, more: text(9_000) }),
  'GET /oauth/authorize': ({ world, n }) => ({
    query: {
      ...{ response_type: 'code', client_id: world.clientId, redirect_uri: world.redirectUri, state: text(4_000) },
      ...{ code_challenge: text(43), code_challenge_method: 'S256', scope: `payment_context:read`, nonce: String(n) },
    },
  }),
  'POST /delivery-reports/:vendor': ({ n }) => ({ path: [n % 2 ? 'twilio' : 'resend'], ...asForm(names(60)) }),
  'GET /openapi.json': {},
  'GET /docs': {},
  'GET /.well-known/jwks.json': {},
  'GET /.well-known/oauth-protected-resource': {},
  'GET /.well-known/oauth-protected-resource/v1': {},
  'GET /.well-known/oauth-protected-resource/mcp': {},
  'GET /.well-known/oauth-authorization-server': {},
  'GET /claim/*': ({ world }) => ({ path: [world.claimToken] }),
}

/** With the account's session. */
const account: Record<string, Worst> = {
  'POST /api/users/complete-onboarding': () => asJson({ name: text(40), password: 'difference-engine-3' }),
  'GET /api/users/:userId': ({ world }) => ({ path: [world.userId] }),
  'PATCH /api/users/:userId': ({ world, n }) => ({ path: [world.userId], ...asJson({ name: `Eve ${n}` }) }),
  'POST /api/users/:userId/public-address/nonce': ({ world }) => ({
    path: [world.userId],
    ...asJson({ address: address(1) }),
  }),
  'PATCH /api/users/:userId/public-address': ({ world }) => ({
    path: [world.userId],
    ...asJson({ publicAddress: address(1), address: address(1), signature: `0x${'11'.repeat(65)}`, nonce: text(32) }),
  }),
  'PATCH /api/users/:userId/change-password': ({ world }) => ({
    path: [world.userId],
    ...asJson({
      currentPassword: 'p'.repeat(60),
      previousPassword: 'p'.repeat(60),
      newPassword: 'difference-engine-3',
    }),
  }),
  'GET /api/contacts': ({ n }) => ({ query: n % 2 ? { search: 'zzzz' } : { page: '100', pageSize: '100' } }),
  'POST /api/contacts': ({ n }) =>
    asJson({ name: `Person ${n}`, email: `more${n}@bursar.test`, description: 'я'.repeat(500) }),
  'GET /api/contacts/balances': ({ world }) => ({ query: { ids: world.contactIds.slice(0, 50).join() } }),
  'GET /api/contacts/matches': () => ({
    query: { name: 'Person 9999', email: 'p9999@bursar.test', address: address(2) },
  }),
  'POST /api/contacts/names': ({ n }) =>
    asJson({ values: Array.from({ length: 100 }, (_, i) => `p${n}${i}@bursar.test`) }),
  'GET /api/contacts/:contactId': ({ world, n }) => ({ path: [world.contactIds[n % 9000]!] }),
  'GET /api/contacts/:contactId/groups': ({ world, n }) => ({ path: [world.contactIds[n % 9000]!] }),
  'PUT /api/contacts/:contactId': ({ world, n }) => ({
    path: [world.contactIds[5]!],
    ...asJson({ name: `Person ${n}`, email: `changed${n}@bursar.test`, description: 'я'.repeat(500) }),
  }),
  'DELETE /api/contacts/:contactId': ({ world, n }) => ({ path: [world.contactIds[9001 + (n % 800)]!] }),
  'POST /api/contacts/:contactId/restore': ({ world, n }) => ({
    path: [world.contactIds[9001 + (n % 800)]!],
    ...asJson({}),
  }),
  'GET /api/wallets': {},
  'POST /api/wallets/smart-wallets-v2/deploy': ({ n }) =>
    asJson({ ownerAddress: address(n), chainId: 8453, name: text(40) }),
  'GET /api/wallets/smart-wallets-v2/:walletId/session-key': ({ world }) => ({ path: [world.walletId] }),
  'POST /api/wallets/smart-wallets-v2/:walletId/rotate-session-key': ({ world }) => ({
    path: [world.walletId],
    ...asJson({ spendingLimit: '1000000', ttlHours: 1 }),
  }),
  'POST /api/wallets/smart-wallets-v2/:walletId/session-offers': ({ world }) => ({
    path: [world.walletId],
    ...asJson({ spendingLimit: '1000000', ttlHours: 1 }),
  }),
  'GET /api/wallets/smart-wallets-v2/:walletId/owner-signing-context': ({ world }) => ({ path: [world.walletId] }),
  'POST /api/wallets/smart-wallets-v2/:walletId/owner-actions': ({ world }) => ({
    path: [world.walletId],
    ...asJson({ kind: 'revokeSession', ownerNonce: '0', deadline: 1, signature: `0x${'11'.repeat(65)}` }),
  }),
  'POST /api/wallets/with-private-key': ({ n }) =>
    asJson({
      ...{
        address: address(n),
        chain: 'base',
        privateKey: `0x${'22'.repeat(32)}`,
        masterPassword: 'a master password',
      },
    }),
  'PUT /api/wallets/:walletId': ({ world, n }) => ({ path: [world.walletId], ...asJson({ name: `Ops ${n}` }) }),
  'DELETE /api/wallets/:walletId': ({ n }) => ({ path: [`wal_${n}`] }),
  'POST /api/wallets/:walletId/private-key': ({ world }) => ({
    path: [world.walletId],
    ...asJson({ masterPassword: text(60) }),
  }),
  'POST /api/wallets/:walletId/pause': ({ n }) => ({ path: [`wal_${n}`] }),
  'POST /api/wallets/:walletId/resume': ({ world }) => ({ path: [world.walletId] }),
  'GET /api/wallets/:walletId/usdc-balance': ({ world }) => ({ path: [world.walletId] }),
  'GET /api/wallets/:walletId/ledger': ({ world }) => ({ path: [world.walletId] }),
  'POST /api/onramp/session': ({ world }) =>
    asJson({
      ...{ destinationAddress: world.walletAddress, blockchains: ['base'], assets: ['USDC'], presetFiatAmount: '50' },
      redirectUrl: `${world.url}/dashboard?onramp=success`,
    }),
  'GET /api/policy-groups': {},
  'GET /api/policy-groups/with-agents': {},
  'POST /api/policy-groups': ({ world, n }) =>
    asJson(
      n % 2
        ? maximal(1000)
        : {
            name: `Group ${n}`,
            scopes: [],
            walletId: world.walletId,
            whitelistedContactIds: world.contactIds.slice(0, 9000),
          },
    ),
  'GET /api/policy-groups/:groupId': ({ world }) => ({ path: [world.groupId] }),
  'GET /api/policy-groups/:groupId/whitelist': ({ world }) => ({ path: [world.groupId], query: { search: 'zzzz' } }),
  'PUT /api/policy-groups/:groupId': ({ world, n }) => ({
    path: [world.groupId],
    ...asJson(
      n % 2 ? maximal(1000) : { name: 'Full', scopes: [], whitelistedContactIds: world.contactIds.slice(n % 3, 9000) },
    ),
  }),
  'POST /api/policy-groups/:groupId/replay': ({ world }) => ({
    path: [world.groupId],
    ...asJson({ candidate: { maxPayment: null, duplicateMinutes: 10_080 }, days: 30 }),
  }),
  'GET /api/policy-groups/:groupId/budget-history': ({ world }) => ({
    path: [world.groupId],
    query: { pageSize: '100' },
  }),
  'POST /api/policy-groups/:groupId/top-up': ({ world }) => ({ path: [world.groupId], ...asJson({ amount: '1' }) }),
  'DELETE /api/policy-groups/:groupId/cascade': ({ n }) => ({ path: [`pg_${n}`] }),
  'POST /api/policy-groups/:groupId/pause': ({ n }) => ({ path: [`pg_${n}`] }),
  'POST /api/policy-groups/:groupId/resume': ({ world }) => ({ path: [world.groupId] }),
  'POST /api/policy-groups/:groupId/contacts/:contactId/confirm': ({ world }) => ({
    path: [world.groupId, world.contactIds[7]!],
    ...asJson({ address: null, email: 'p7@bursar.test', phone: null }),
  }),
  'GET /api/account': {},
  'GET /api/account/handed-out': {},
  'POST /api/account/pause': () => asJson(maximal(60)),
  'POST /api/account/resume': {},
  'GET /api/agents': {},
  'POST /api/agents': ({ world, n }) => asJson({ name: `Agent ${n}`, memo: text(200), policyGroupId: world.groupId }),
  'PUT /api/agents/:agentId': ({ world, n }) => ({ path: [world.agentId], ...asJson({ name: `Agent ${n}` }) }),
  'DELETE /api/agents/:agentId': ({ n }) => ({ path: [`agt_${n}`] }),
  'POST /api/agents/:agentId/regenerate-api-key': ({ world }) => ({ path: [world.otherAgentId], ...asJson({}) }),
  'POST /api/agents/:agentId/regenerate-credentials': ({ world }) => ({ path: [world.otherAgentId], ...asJson({}) }),
  'POST /api/agents/:agentId/pause': ({ world }) => ({ path: [world.otherAgentId] }),
  'POST /api/agents/:agentId/resume': ({ world }) => ({ path: [world.otherAgentId] }),
  'GET /api/agents/:agentId/refusals': ({ world }) => ({ path: [world.agentId] }),
  'POST /api/agents/:agentId/check': ({ world, n }) => ({
    path: [world.agentId],
    ...asJson({ to: { type: 'address', address: address(n) }, amount: '1', memo: text(100) }),
  }),
  'POST /api/transactions/send': ({ world, n }) => ({
    key: true,
    ...asJson({ walletId: world.walletId, toAddress: address(n), amount: '0.000001', memo: text(100) }),
  }),
  'POST /api/transactions/recipient-check': ({ world, n }) =>
    asJson({ walletId: world.walletId, toAddress: address(n), amount: '1' }),
  'GET /api/transactions/user': ({ n }) => ({
    query: n % 2 ? { memo: 'zzzz' } : { recipient: 'zzzz', sort: 'smallest', pageSize: '100' },
  }),
  'GET /api/transactions/export': () => ({ query: { memo: 'Invoice' } }),
  'GET /api/transactions/books': () => ({ query: { format: 'xero', days: '2026-01-01..2026-10-31' } }),
  'GET /api/transactions/:transactionId': ({ world }) => ({ path: [world.paymentId] }),
  'POST /api/escrow/create': ({ world, n }) => ({
    key: true,
    ...asJson({ sourceWalletId: world.walletId, amount: '0.01', recipientEmail: `r${n}@bursar.test`, memo: text(100) }),
  }),
  'GET /api/escrow/list': () => ({ query: { search: 'zzzz' } }),
  'GET /api/escrow/export': {},
  'POST /api/escrow/reclaim-all': () => ({
    key: true,
    ...asJson({ ids: Array.from({ length: 100 }, (_, i) => `pay_${i}`) }),
  }),
  'GET /api/escrow/:escrowId': ({ world }) => ({ path: [world.payoutId] }),
  'GET /api/escrow/:escrowId/link': ({ world }) => ({ path: [world.payoutId] }),
  'POST /api/escrow/:escrowId/resend': ({ world }) => ({ path: [world.payoutId] }),
  'POST /api/escrow/:escrowId/reclaim': ({ n }) => ({ path: [`pay_${n}`] }),
  'GET /api/overview': {},
  'GET /api/overview/balance': {},
  'GET /api/usage/dashboard': {},
  'GET /api/usage/recipients': { query: { period: 'month', limit: '100' } },
  'GET /api/usage/agents/:agentId': ({ world }) => ({ path: [world.agentId], query: { period: 'month' } }),
  'GET /api/usage/refusals': { query: { period: 'month' } },
  'GET /api/usage/spending': () => ({ query: { from: '2025-12-01', to: '2026-11-28', by: 'agent' } }),
  'GET /api/preferences': {},
  'PUT /api/preferences': () => asJson(maximal(60)),
  'GET /api/push/key': {},
  'POST /api/push/subscriptions': () => asJson(maximal(60)),
  'DELETE /api/push/subscriptions': () => asJson({ endpoint: `https://fcm.googleapis.com/${text(400)}` }),
  'POST /api/push/test': () => asJson({ endpoint: `https://fcm.googleapis.com/${text(400)}` }),
  'GET /api/audit': () => ({ query: { pageSize: '100' } }),
  'GET /api/audit/export': {},
  'GET /api/approvals': () => ({ query: { status: 'decided' } }),
  'GET /api/approvals/:approvalId': ({ n }) => ({ path: [`apr_${n}`] }),
  'POST /api/approvals/:approvalId/approve': ({ n }) => ({ path: [`apr_${n}`], ...asJson({ hash: '0'.repeat(64) }) }),
  'POST /api/approvals/:approvalId/deny': ({ n }) => ({ path: [`apr_${n}`], ...asJson({ hash: '0'.repeat(64) }) }),
  'GET /api/changes': () => ({ query: { by: 'owner', kind: 'rules,agents,wallets,people,webhooks,payments,account' } }),
  'GET /api/changes/export': () => ({ query: { by: 'owner' } }),
  // Ids that no change has: ending real ones would leave nothing for the next request.
  'POST /api/changes/end': () => asJson({ ids: Array.from({ length: 1000 }, (_, i) => 1e9 + i) }),
  'GET /api/notices': {},
  'GET /api/notices/count': {},
  'POST /api/notices/read': () => asJson(maximal(60)),
  'GET /api/grants': {},
  'POST /api/grants/:grantId/end': ({ n }) => ({ path: [`grt_${n}`] }),
  'GET /api/approval-settings': {},
  'PUT /api/approval-settings': () => asJson(maximal(60)),
  'GET /api/connections': {},
  'DELETE /api/connections/:connectionId': ({ n }) => ({ path: [`con_${n}`] }),
  'POST /api/connections/device': ({ n }) =>
    asJson({ code: `BCDF-${String(n).padStart(4, '0')}`, userCode: 'BCDF-GHJK' }),
  'GET /api/connections/requests/:requestId': ({ world }) => ({ path: [world.requestId] }),
  'POST /api/connections/requests/:requestId/allow': ({ world }) => ({
    path: [world.requestId],
    ...asJson(maximal(1000)),
  }),
  'POST /api/connections/requests/:requestId/deny': ({ n }) => ({ path: [`request_${n}`] }),
  'GET /api/runs': {},
  'POST /api/runs': ({ world, n }) =>
    asJson({
      ...{ title: 'Worst', walletId: world.walletId, again: true },
      csv: `to,amount\n${Array.from({ length: 1000 }, (_, i) => `${address(n * 1000 + i)},0.000001`).join('\n')}`,
    }),
  'GET /api/runs/:runId': ({ n }) => ({ path: [`run_${n}`] }),
  'GET /api/runs/:runId/rows': ({ n }) => ({ path: [`run_${n}`] }),
  'GET /api/runs/:runId/export': ({ n }) => ({ path: [`run_${n}`] }),
  'POST /api/runs/:runId/submit': ({ n }) => ({ path: [`run_${n}`] }),
  'POST /api/runs/:runId/approve': ({ n }) => ({ path: [`run_${n}`], ...asJson({ hash: '0'.repeat(64) }) }),
  'POST /api/runs/:runId/deny': ({ n }) => ({ path: [`run_${n}`], ...asJson({ hash: '0'.repeat(64) }) }),
  'POST /api/runs/:runId/stop': ({ n }) => ({ path: [`run_${n}`] }),
  'POST /api/runs/:runId/repeat': ({ n }) => ({ path: [`run_${n}`], ...asJson({ repeat: null }) }),
  'GET /api/people': {},
  'POST /api/people': ({ n }) => asJson({ email: `person${n}@bursar.test`, role: 'viewer' }),
  'PUT /api/people/second-person': () => asJson({ above: '50' }),
  'POST /api/policy-groups/:groupId/confirm': ({ n }) => ({ path: [`grp_${n}`], ...asJson({ version: n + 1 }) }),
  'GET /api/people/accounts': {},
  'POST /api/people/invitation': ({ n }) => asJson({ token: `bi_${n}` }),
  'POST /api/people/join': ({ n }) => asJson({ token: `bi_${n}` }),
  'POST /api/people/leave': {},
  'PATCH /api/people/:memberId': ({ n }) => ({ path: [`mem_${n}`], ...asJson({ role: 'viewer' }) }),
  'DELETE /api/people/:memberId': ({ n }) => ({ path: [`mem_${n}`] }),
  'GET /api/webhooks': {},
  'POST /api/webhooks': ({ n }) =>
    asJson({ url: `https://x${n}.example/${text(1000)}`, events: ['*'], password: 'p'.repeat(60) }),
  'PATCH /api/webhooks/:webhookId': ({ n }) => ({ path: [`whk_${n}`], ...asJson({ enabled: false }) }),
  'DELETE /api/webhooks/:webhookId': ({ n }) => ({ path: [`whk_${n}`] }),
  'POST /api/webhooks/:webhookId/rotate-secret': ({ n }) => ({ path: [`whk_${n}`] }),
  'POST /api/webhooks/:webhookId/test': ({ n }) => ({ path: [`whk_${n}`] }),
  'GET /api/webhooks/:webhookId/deliveries': ({ n }) => ({ path: [`whk_${n}`] }),
  'POST /api/webhooks/:webhookId/deliveries/:deliveryId/replay': ({ n }) => ({ path: [`whk_${n}`, 'evt_1'] }),
}

/** With the key of the account's agent. */
const agent: Record<string, Worst> = {
  'POST /v1/payments': ({ n }) => ({
    key: true,
    ...asJson({ to: { type: 'address', address: address(n) }, amount: '0.000001', memo: text(100) }),
  }),
  'POST /v1/payments/check': ({ n }) => asJson({ to: { type: 'email', email: `e${n}@bursar.test` }, amount: '0.01' }),
  'GET /v1/payments': () => ({ query: { limit: '100' } }),
  'GET /v1/payments/:paymentId': ({ world }) => ({ path: [world.paymentId] }),
  'POST /v1/payments/:paymentId/cancel': ({ world }) => ({ path: [world.paymentId] }),
  'POST /v1/x402-payments': () => ({ key: true, ...asJson(x402Request(120)) }),
  'POST /v1/x402-payments/check': () => asJson(x402Request(120)),
  'POST /v1/x402-payments/:paymentId/receipt': ({ world }) => ({
    path: [world.paymentId],
    ...asJson({ payment_response: text(20_000), served: true }),
  }),
  'POST /v1/budget-requests': ({ n }) => ({
    key: true,
    ...asJson({ amount: '1', reason: `Because ${n} ${text(300)}` }),
  }),
  'GET /v1/budget-requests/:requestId': ({ n }) => ({ path: [`req_${n}`] }),
  'POST /v1/runs': ({ n }) => ({
    key: true,
    ...asJson({
      title: `Run ${n}`,
      rows: Array.from({ length: 200 }, (_, i) => ({ to: `e${n}-${i}@bursar.test`, amount: '0.1', memo: text(100) })),
    }),
  }),
  'GET /v1/runs/:runId': ({ n }) => ({ path: [`run_${n}`] }),
  'GET /v1/context': ({ world }: { world: World }) => ({ query: { contact: world.contactIds[9]!.slice(0, 20) } }),
  'POST /mcp': ({ n }) => mcpCall(n),
}

/** By route, `METHOD /path/:id`, with the credential that its requests carry. */
export const worstRequests: Record<string, { by: 'nobody' | 'account' | 'agent'; worst: Worst }> = Object.fromEntries(
  Object.entries({ nobody: strangers, account, agent }).flatMap(([by, routes]) =>
    Object.entries(routes).map(([route, worst]) => [route, { by: by as 'nobody', worst }]),
  ),
)
