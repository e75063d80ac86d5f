import { beforeAll, expect, test } from 'vitest'
import { allowed, type Call, isAllowed, memberRoles, ownerOnly } from '#domain/roles.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { type AccountFixture, createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { bodies, id, signedInRoutes } from '../support/signedInRoutes.ts'
import { inTreasury } from '../support/treasuries.ts'
import { type Api, createUser, mailedLinkToken } from './apiClient.ts'

/**
 * Who may make which call for an account: every route of the dashboard has a cell here, checked against the app's own list of
 * routes. `own`: it is about the person, and ignores the account that is named.
 */
type Cell = 'everyone' | 'approver' | 'preparer' | 'approver, preparer' | 'owner' | 'own'
const cells: Record<string, Cell> = {
  'GET /api/audit': 'own',
  'POST /api/connections/device': 'own',
  'GET /api/connections/requests/:requestId': 'own',
  'POST /api/connections/requests/:requestId/allow': 'own',
  'POST /api/connections/requests/:requestId/deny': 'own',
  'GET /api/people/accounts': 'own',
  'POST /api/people/invitation': 'own',
  'POST /api/people/join': 'own',
  'GET /api/preferences': 'own',
  'PUT /api/preferences': 'own',
  'GET /api/push/key': 'own',
  'DELETE /api/push/subscriptions': 'own',
  'POST /api/push/subscriptions': 'own',
  'POST /api/push/test': 'own',
  'GET /api/users/:userId': 'own',
  'PATCH /api/users/:userId': 'own',
  'PATCH /api/users/:userId/change-password': 'own',
  'PATCH /api/users/:userId/public-address': 'own',
  'POST /api/users/:userId/public-address/nonce': 'own',
  'POST /api/users/complete-onboarding': 'own',
  'GET /api/account': 'everyone',
  'GET /api/agents': 'everyone',
  'GET /api/audit/export': 'everyone',
  'GET /api/agents/:agentId/refusals': 'everyone',
  'GET /api/approval-settings': 'everyone',
  'GET /api/approvals': 'everyone',
  'GET /api/approvals/:approvalId': 'everyone',
  'GET /api/changes': 'everyone',
  'GET /api/changes/export': 'everyone',
  'GET /api/connections': 'everyone',
  'GET /api/contacts': 'everyone',
  'GET /api/contacts/:contactId': 'everyone',
  'GET /api/contacts/:contactId/groups': 'everyone',
  'GET /api/contacts/balances': 'everyone',
  'GET /api/contacts/matches': 'everyone',
  'POST /api/contacts/names': 'everyone',
  'GET /api/escrow/:escrowId': 'everyone',
  'GET /api/escrow/export': 'everyone',
  'GET /api/escrow/list': 'everyone',
  'GET /api/grants': 'everyone',
  'GET /api/notices': 'everyone',
  'GET /api/notices/count': 'everyone',
  'POST /api/notices/read': 'everyone',
  'GET /api/overview': 'everyone',
  'GET /api/overview/balance': 'everyone',
  'GET /api/people': 'everyone',
  'POST /api/people/leave': 'everyone',
  'GET /api/policy-groups': 'everyone',
  'GET /api/policy-groups/:groupId': 'everyone',
  'GET /api/policy-groups/:groupId/budget-history': 'everyone',
  'POST /api/policy-groups/:groupId/replay': 'everyone',
  'GET /api/policy-groups/:groupId/whitelist': 'everyone',
  'GET /api/policy-groups/with-agents': 'everyone',
  'GET /api/transactions/:transactionId': 'everyone',
  'GET /api/transactions/books': 'everyone',
  'GET /api/transactions/export': 'everyone',
  'GET /api/transactions/user': 'everyone',
  'GET /api/usage/dashboard': 'everyone',
  'GET /api/usage/spending': 'everyone',
  'GET /api/usage/agents/:agentId': 'everyone',
  'GET /api/usage/recipients': 'everyone',
  'GET /api/usage/refusals': 'everyone',
  'GET /api/wallets': 'everyone',
  'GET /api/wallets/:walletId/ledger': 'everyone',
  'GET /api/wallets/:walletId/usdc-balance': 'everyone',
  'GET /api/wallets/smart-wallets-v2/:walletId/session-key': 'everyone',
  'POST /api/account/pause': 'approver',
  'POST /api/agents/:agentId/pause': 'approver',
  'POST /api/approvals/:approvalId/approve': 'approver',
  'POST /api/approvals/:approvalId/deny': 'approver',
  'POST /api/policy-groups/:groupId/pause': 'approver',
  'POST /api/policy-groups/:groupId/confirm': 'approver',
  'POST /api/wallets/:walletId/pause': 'approver',
  'GET /api/runs': 'everyone',
  'GET /api/runs/:runId': 'everyone',
  'GET /api/runs/:runId/rows': 'everyone',
  'GET /api/runs/:runId/export': 'everyone',
  'POST /api/runs': 'preparer',
  'POST /api/runs/:runId/submit': 'preparer',
  'POST /api/runs/:runId/repeat': 'preparer',
  'POST /api/runs/:runId/approve': 'approver',
  'POST /api/runs/:runId/deny': 'approver',
  'POST /api/runs/:runId/stop': 'approver, preparer',
  'POST /api/contacts': 'preparer',
  'DELETE /api/contacts/:contactId': 'preparer',
  'PUT /api/contacts/:contactId': 'preparer',
  'POST /api/contacts/:contactId/restore': 'preparer',
  'GET /api/account/handed-out': 'owner',
  'POST /api/account/resume': 'owner',
  'POST /api/agents': 'owner',
  'DELETE /api/agents/:agentId': 'owner',
  'PUT /api/agents/:agentId': 'owner',
  'POST /api/agents/:agentId/check': 'owner',
  'POST /api/agents/:agentId/regenerate-api-key': 'owner',
  'POST /api/agents/:agentId/regenerate-credentials': 'owner',
  'POST /api/agents/:agentId/resume': 'owner',
  'PUT /api/approval-settings': 'owner',
  'POST /api/changes/end': 'owner',
  'DELETE /api/connections/:connectionId': 'owner',
  'GET /api/escrow/:escrowId/link': 'owner',
  'POST /api/escrow/:escrowId/reclaim': 'owner',
  'POST /api/escrow/:escrowId/resend': 'owner',
  'POST /api/escrow/create': 'owner',
  'POST /api/escrow/reclaim-all': 'owner',
  'POST /api/grants/:grantId/end': 'owner',
  'POST /api/onramp/session': 'owner',
  'POST /api/people': 'owner',
  'DELETE /api/people/:memberId': 'owner',
  'PATCH /api/people/:memberId': 'owner',
  'PUT /api/people/second-person': 'owner',
  'POST /api/policy-groups': 'owner',
  'PUT /api/policy-groups/:groupId': 'owner',
  'DELETE /api/policy-groups/:groupId/cascade': 'owner',
  'POST /api/policy-groups/:groupId/contacts/:contactId/confirm': 'owner',
  'POST /api/policy-groups/:groupId/resume': 'owner',
  'POST /api/policy-groups/:groupId/top-up': 'owner',
  'POST /api/transactions/recipient-check': 'owner',
  'POST /api/transactions/send': 'owner',
  'DELETE /api/wallets/:walletId': 'owner',
  'PUT /api/wallets/:walletId': 'owner',
  'POST /api/wallets/:walletId/private-key': 'owner',
  'POST /api/wallets/:walletId/resume': 'owner',
  'POST /api/wallets/smart-wallets-v2/:walletId/owner-actions': 'owner',
  'GET /api/wallets/smart-wallets-v2/:walletId/owner-signing-context': 'owner',
  'POST /api/wallets/smart-wallets-v2/:walletId/rotate-session-key': 'owner',
  'POST /api/wallets/smart-wallets-v2/:walletId/session-offers': 'owner',
  'POST /api/wallets/smart-wallets-v2/deploy': 'owner',
  'POST /api/wallets/with-private-key': 'owner',
  'GET /api/webhooks': 'owner',
  'POST /api/webhooks': 'owner',
  'DELETE /api/webhooks/:webhookId': 'owner',
  'PATCH /api/webhooks/:webhookId': 'owner',
  'GET /api/webhooks/:webhookId/deliveries': 'owner',
  'POST /api/webhooks/:webhookId/deliveries/:deliveryId/replay': 'owner',
  'POST /api/webhooks/:webhookId/rotate-secret': 'owner',
  'POST /api/webhooks/:webhookId/test': 'owner',
}

let api: Api
let acme: AccountFixture

beforeAll(async () => {
  api = await createTestApp()
  acme = await createAccountFixture(api)
})

type User = Awaited<ReturnType<typeof createUser>>

/** What the route answers to this person: `refused` by the role, `not found` as an account, or anything else. */
async function answerTo({ id: userId, token }: User, route: string): Promise<'refused' | 'no account' | 'passed'> {
  const [method, path] = route.split(' ') as [string, string]
  const body = method === 'GET' ? undefined : (bodies[route] ?? {})
  const ids: Record<string, string> = {
    ...{ ':userId': userId, ':agentId': acme.agent, ':groupId': acme.group, ':walletId': acme.wallet },
  }
  const filled = path.replace(/:\w+/g, (name) => ids[name] ?? id)
  const { status, json } = await api.call(method, filled, { token, headers: { 'x-account-id': acme.user }, body })
  if (status === 403 && /^Your role in Ann, \w+, does not allow this\.$/.test(json.error)) return 'refused'
  return status === 404 && json.error === 'Account not found.' ? 'no account' : 'passed'
}

async function member(role: string) {
  const user = await createUser(api)
  const password = 'correct horse battery'
  const invited = await acme.asOwner('POST', '/people', { email: user.email, role, password })
  const token = await mailedLinkToken(user.email)
  const joined = await user.asOwner('POST', '/people/join', { token })
  expect(joined.status, joined.text).toBe(200)
  return { user, memberId: invited.json.data.id as string }
}

/** Leaving ends what the others are asked with. */
const inOrder = (routes: string[]) => [
  ...routes.filter((route) => route !== 'POST /api/people/leave'),
  'POST /api/people/leave',
]

test.each(memberRoles)(
  'each route does for a member who is %s what the table says, and nothing for one who was @people-7',
  async (role) => {
    const { user } = await member(role)
    const wrong: Record<string, string> = {}
    for (const route of inOrder(signedInRoutes())) {
      const cell = cells[route]
      const expected = cell === 'own' || cell === 'everyone' || cell?.split(', ').includes(role) ? 'passed' : 'refused'
      const answer = await answerTo(user, route)
      if (!cell || answer !== expected) wrong[route] = `${answer}, but ${cell ?? 'it has no cell'}`
    }
    expect(wrong).toEqual({})
    for (const route of inOrder(signedInRoutes())) {
      const answer = await answerTo(user, route)
      if (answer !== (cells[route] === 'own' ? 'passed' : 'no account')) wrong[route] = `${answer} after the end`
    }
    expect(wrong).toEqual({})
  },
)

test('for a stranger, no route finds the account @people-8', async () => {
  const eve = await createUser(api)
  const wrong: Record<string, string> = {}
  for (const route of signedInRoutes()) {
    const answer = await answerTo(eve, route)
    if (answer !== (cells[route] === 'own' ? 'passed' : 'no account')) wrong[route] = answer
  }
  expect(wrong).toEqual({})
})

test('every call that roles allow is one of the Treasury, or is asked for by name @people-9', async () => {
  const byName = ['contacts.read', 'contacts.change', 'lists.read']
  const missing = await inTreasury(acme.user, (treasury) =>
    (Object.keys(allowed) as Call[]).filter((call) => {
      const [object, method] = call.includes('.') ? (call.split('.') as [keyof Treasury, string]) : [null, call]
      const target: object =
        object === null ? treasury : byName.includes(call) ? {} : (treasury[object] as () => object)()
      return !byName.includes(call) && typeof Reflect.get(target, method!) !== 'function'
    }),
  )
  expect(missing).toEqual([])
  for (const call of ownerOnly) for (const role of memberRoles) expect(isAllowed(role, call), call).toBe(false)
})

test('no role refuses the owner, who may name their own account @people-19', async () => {
  const owner = { id: acme.user, token: acme.token } as User
  const wrong: Record<string, string> = {}
  for (const route of inOrder(signedInRoutes())) {
    const answer = await answerTo(owner, route)
    if (answer !== 'passed') wrong[route] = answer
  }
  expect(wrong).toEqual({})
})
