/**
 * `npm run test:long worst`: the worst request of each route, from one connection of one stranger or of one account with 10,000
 * contacts and 100,000 transactions, as fast as the replies come, while another account reads and its agent pays.
 *
 * The other's medians may be 1.5 times those of the quiet seconds before plus 20 ms, and none of its calls may fail. In the quiet
 * seconds the limits of the one who calls have time to recover.
 *
 *   SECONDS=10       of each route
 *   ROUTES=oauth     only routes with this text
 *   FROM=contacts    from the first route with this text on
 *
 * D1, the objects and the Worker share one thread here, unlike on Cloudflare. Test id: @safety-40
 */
import { type ChildProcess, fork } from 'node:child_process'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { decodeJwt } from 'jose'
import type { CreatedAgent, PolicyGroup } from '#schemas/policy.ts'
import { defaultLimits, type Limits } from '../../worker/domain/limits.ts'
import { agentAt } from '../support/agentCalls.ts'
import { fillAccount } from '../support/fullAccount.ts'
import { noLimits } from '../support/limits.ts'
import { addressFor, createSender, pause, type Sender } from '../support/stackClient.ts'
import { createPayout, createTestStack, type TestStack } from '../support/testStack.ts'
import type { World } from './worst/build.ts'
import type { Counts, Order } from './worst/caller.ts'
import { worstRequests } from './worst/requests.ts'

const seconds = Number(process.env.SECONDS ?? 10)
const wanted = process.env.ROUTES ?? ''
const from = process.env.FROM ?? ''
/** Between two turns of the other account, which has the limits of a user as well. */
const turnMs = 250

/** Limits of calls as they are; those of a day would end a request before its ten seconds. */
const kept: (keyof Limits)[] = [
  ...(['userCallsPerSecond', 'userCallBurst', 'userCallsAtOnce', 'userListsAtOnce', 'userSearchCost'] as const),
  ...(['signInCallsPerMinute', 'healthChecksPerMinute', 'connectingCallsPerMinute'] as const),
  ...(['agentLookupsPerSecond', 'agentLookupBurst', 'ownerChangesPerHour', 'openPurchases'] as const),
]
const limits = { ...noLimits, ...Object.fromEntries(kept.map((name) => [name, defaultLimits[name]])) }

/** The account of the one who calls, with what its requests name. Its token ends after 15 minutes, so each route gets a valid one. */
async function createWorld(stack: TestStack): Promise<{ world: World; token: Sender['token'] }> {
  const { bursar, url } = stack
  const sender = await createSender(stack, { funds: '200', limit: 1000, agents: 2 })
  const token = await sender.token()
  const userId = decodeJwt(token).sub!
  const contactIds = await fillAccount(stack, { userId, token })
  const { id: groupId } = await bursar.api<PolicyGroup>('/policy-groups', {
    token,
    key: randomUUID(),
    body: {
      ...{ name: 'Full', scopes: ['address_payments:write'], walletId: sender.wallet.id, spendLimit: 100 },
      whitelistedContactIds: contactIds.slice(0, 9_000),
    },
  })
  const body = { name: 'Agent', policyGroupId: groupId }
  const { agent, apiKey } = await bursar.api<CreatedAgent>('/agents', { token, key: randomUUID(), body })
  const paid = await agentAt(url, apiKey!).pay({ to: addressFor('shop'), amount: '0.01' })
  const payout = await createPayout(bursar, token, sender.wallet.id)
  const payouts = await bursar.api<{ escrows: { id: string }[] }>('/escrow/list', { token })
  const world = {
    ...{ url, email: sender.email, userId, token, groupId, agentId: agent.id, apiKey: apiKey!, contactIds },
    ...{ walletId: sender.wallet.id, walletAddress: sender.wallet.address, otherAgentId: sender.agents[1]!.id },
    ...{ paymentId: paid.id, payoutId: payouts.escrows[0]!.id, claimToken: payout.accessToken },
    ...(await registeredApp(url, token)),
  }
  return { world, token: sender.token }
}

/** An app that registered, and a request of it that the account has opened. */
async function registeredApp(url: string, token: string) {
  const redirectUri = 'http://127.0.0.1:9/callback'
  const registered = await fetch(`${url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Worst', redirect_uris: [redirectUri] }),
  })
  const { client_id: clientId } = (await registered.json()) as { client_id: string }
  const code_challenge = createHash('sha256').update(randomBytes(32)).digest('base64url')
  const query = {
    ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri, code_challenge_method: 'S256' },
    ...{ code_challenge, resource: `${url}/mcp` },
  }
  const asked = await fetch(`${url}/oauth/authorize?${new URLSearchParams(query)}`, { redirect: 'manual' })
  const requestId = new URL(asked.headers.get('location')!).searchParams.get('request')!
  await fetch(`${url}/api/connections/requests/${requestId}`, { headers: { authorization: `Bearer ${token}` } })
  return { clientId, redirectUri, requestId }
}

type Times = { read: number[]; pay: number[]; failures: string[] }

/** The other account reads and pays for so many seconds. */
async function measure({ url, bursar }: TestStack, { agents, token }: Sender): Promise<Times> {
  const times: Times = { read: [], pay: [], failures: [] }
  const agent = agentAt(url, agents[0]!.apiKey)
  const timed = async (into: number[], work: () => Promise<unknown>) => {
    const startedAt = performance.now()
    await work().catch((error: unknown) => times.failures.push(String(error)))
    into.push(performance.now() - startedAt)
  }
  const signedIn = await token()
  for (const endsAt = performance.now() + seconds * 1000; performance.now() < endsAt; await pause(turnMs)) {
    await timed(times.read, () => bursar.api('/wallets', { token: signedIn }))
    await timed(times.read, () => bursar.api('/contacts', { token: signedIn }))
    await timed(times.pay, () => agent.pay({ to: addressFor('merchant'), amount: '0.000001' }))
  }
  return times
}

const median = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!

async function order(caller: ChildProcess, message: Order): Promise<Counts> {
  const reply = once(caller, 'message') as Promise<[Counts]>
  caller.send(message)
  return (await reply)[0]
}

await using stack = await createTestStack({ lean: true, vars: { LIMITS: JSON.stringify(limits) } })
const { world, token } = await createWorld(stack)
const other = await createSender(stack, { funds: '100', limit: 100 })
const caller = fork(new URL('worst/caller.ts', import.meta.url).pathname)
const bad: string[] = []
await measure(stack, other) // warms up
// A deployment has no GET /api/audit (routes/account.ts): it reads the whole log.
const routes = Object.keys(worstRequests).filter((name) => name !== 'GET /api/audit')
const first = routes.findIndex((name) => name.includes(from))
for (const route of routes.slice(first).filter((name) => name.includes(wanted))) {
  await order(caller, { ...world, token: await token() })
  const quiet = await measure(stack, other)
  await order(caller, { begin: route })
  const busy = await measure(stack, other)
  const { statuses, longestMs } = await order(caller, 'stop')
  const figures = (['read', 'pay'] as const).map((kind) => [median(quiet[kind]), median(busy[kind])] as const)
  const isBad = busy.failures.length > 0 || figures.some(([before, during]) => during > 1.5 * before + 20)
  if (isBad) bad.push(route)
  if (busy.failures.length) console.log(`failed: ${busy.failures[0]}`)
  const [reads, payments] = figures.map((each) => each.map((ms) => ms.toFixed(0)).join(' → '))
  console.log(
    `${route}: reads ${reads} ms, payments ${payments} ms; ${JSON.stringify(statuses)}, longest ${longestMs.toFixed(0)} ms${isBad ? '  BAD' : ''}`,
  )
}
caller.disconnect()
if (bad.length) console.log(`others wait too long, or fail, beside: ${bad.join(', ')}`)
process.exitCode = bad.length ? 1 : 0
