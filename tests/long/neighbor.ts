/**
 * The neighbor test: one account creates contacts without end, lists, searches, exports and refreshes its tokens as fast as it
 * can, over 24 connections, while another pays, signs in and claims. Its short form is tests/worker/neighbor.test.ts.
 *
 *   node tests/long/neighbor.ts
 *
 * The account has 10,000 contacts and 100,000 transactions, written into D1 while the Worker is down. Both have the default
 * limits of a user. The other's medians may be 1.5 times those of a quiet server plus 20 ms, the 95th percentiles 3 times;
 * none of its calls may fail, and the account's accepted calls must be within its quota. CONNECTIONS and SAMPLES change the
 * figures. D1, the objects and the Worker share one thread here, unlike on Cloudflare. Runs without wrangler, whose proxy would
 * pass the calls of both through one more process that Cloudflare does not have.
 */
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { LoginReply } from '#schemas/account.ts'
import type { CreateEscrowReply } from '#schemas/escrow.ts'
import { until } from '../../local/client.ts'
import { defaultLimits } from '../../worker/domain/limits.ts'
import { agentAt } from '../support/agentCalls.ts'
import { fillAccount } from '../support/fullAccount.ts'
import { noLimits } from '../support/limits.ts'
import { takeAccount } from '../support/readyAccounts.ts'
import { addressFor, createSender, pause } from '../support/stackClient.ts'
import { createTestStack } from '../support/testStack.ts'

const figure = (name: string, value: number) => Number(process.env[name] ?? value)
const connections = figure('CONNECTIONS', 24)
const samples = figure('SAMPLES', 60)
/** Long enough for the account to use up its burst before anything is measured. */
const warmUpMs = 12_000 // 12 seconds

const { userCallsPerSecond, userCallBurst, userCallsAtOnce, userListsAtOnce, userSearchCost } = defaultLimits
const { signInCallsPerMinute } = defaultLimits
const limits = {
  userCallsPerSecond,
  userCallBurst,
  userCallsAtOnce,
  userListsAtOnce,
  userSearchCost,
  signInCallsPerMinute,
}

type Counts = { accepted: number; cost: number; refused: number; refreshes: number; others: Record<string, number> }
type Attack = { url: string; accessToken: string; refreshToken: string }

/** Calls the API until a message arrives, then sends its counts. In a process of its own, so that the client of the other waits for nothing. */
async function attack({ url, accessToken, ...session }: Attack): Promise<void> {
  const counts: Counts = { accepted: 0, cost: 0, refused: 0, refreshes: 0, others: {} }
  let { refreshToken } = session
  let isOver = false
  process.once('message', () => {
    isOver = true
  })
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${accessToken}`,
    'cf-connecting-ip': '203.0.113.1',
  }
  const post = (path: string, body: unknown) =>
    fetch(`${url}/api${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const get = (path: string) => fetch(`${url}/api${path}`, { headers })
  let n = 0
  const text = 'я'.repeat(500)
  const calls: [cost: number, call: () => Promise<Response>][] = [
    [1, () => post('/contacts', { name: `Contact ${++n}`, email: `c${n}@bursar.test`, description: text })],
    [1, () => get(`/contacts?page=${(n++ % 100) + 1}`)],
    [1, () => get(`/transactions/user?page=${(n++ % 1000) + 1}&pageSize=100`)],
    [userSearchCost, () => get('/contacts?search=zzzz')],
    [userSearchCost, () => get('/transactions/user?memo=zzzz')],
    [userSearchCost, () => get('/transactions/user?recipient=zzzz&sort=smallest')],
    [userSearchCost, () => get('/transactions/user?status=completed')],
    [userSearchCost, () => get('/transactions/export?memo=zzzz')],
    [userSearchCost, () => get('/transactions/export')],
  ]
  const refresh = async () => {
    const answer = await post('/auth/cognito/refresh', { refreshToken })
    const { data } = (await answer.json()) as { data?: { refreshToken: string } }
    if (data) refreshToken = data.refreshToken
    if (answer.status !== 429) counts.refreshes += 1
  }
  const connection = async (i: number) => {
    for (let turn = i; !isOver; turn++) {
      if (i === 0) {
        await refresh()
        continue
      }
      const [cost, call] = calls[turn % calls.length]!
      const answer = await call()
      await answer.text()
      if (answer.status === 429) counts.refused += 1
      else {
        counts.accepted += 1
        counts.cost += cost
        counts.others[answer.status] = (counts.others[answer.status] ?? 0) + 1
      }
    }
  }
  await Promise.all(Array.from({ length: connections }, (_, i) => connection(i)))
  process.send!(counts)
  process.disconnect()
}

type Times = Record<'pay' | 'sign in' | 'claim', number[]>

async function timed(times: number[], work: () => Promise<unknown>): Promise<void> {
  const startedAt = performance.now()
  await work()
  times.push(performance.now() - startedAt)
}

const at = (times: number[], share: number) => {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

async function run(): Promise<boolean> {
  await using stack = await createTestStack({
    lean: true,
    vars: { LIMITS: JSON.stringify({ ...noLimits, ...limits }) },
  })
  const { bursar } = stack
  const hostile = await takeAccount(stack)
  const { user, accessToken: token } = hostile.session
  await fillAccount(stack, { userId: user.id, token })
  const honest = await createSender(stack, { funds: '200', limit: 1000 })
  const [agent] = honest.agents
  console.log('creating payouts to claim …')
  const payouts: { accessToken: string; passcode: string }[] = []
  for (let i = 0; i < 2 * samples; i++) {
    const body = {
      sourceWalletId: honest.wallet.id,
      amount: '0.10',
      recipientEmail: `r${i}@bursar.test`,
      expiresInDays: 7,
    }
    const made = await bursar.api<CreateEscrowReply>('/escrow/create', {
      token: await honest.token(),
      key: randomUUID(),
      body,
    })
    payouts.push({ accessToken: new URL(made.claimUrl).pathname.split('/').at(-1)!, passcode: made.passcode! })
  }
  const statusOf = async (accessToken: string) =>
    (await bursar.api<{ status: string }>(`/escrow/claim/${accessToken}`)).status
  for (const { accessToken } of payouts)
    await until('a claimable payout', async () => (await statusOf(accessToken)) === 'CREATED')

  const payingAgent = agentAt(bursar.url, agent!.apiKey)
  const measure = async (count: number): Promise<Times> => {
    const times: Times = { pay: [], 'sign in': [], claim: [] }
    for (let i = 0; i < count; i++) {
      await timed(times.pay, () => payingAgent.pay({ to: addressFor('merchant'), amount: '0.001' }))
      await timed(times['sign in'], () => {
        const { email, password } = honest
        return bursar.api<LoginReply>('/auth/cognito/login', { body: { email, password } })
      })
      const { accessToken, passcode } = payouts.pop()!
      await timed(times.claim, async () => {
        await statusOf(accessToken)
        await bursar.api('/escrow/verify-passcode', { body: { accessToken, passcode } })
        const body = { accessToken, passcode, recipientAddress: addressFor(`recipient ${accessToken}`) }
        await bursar.api('/escrow/claim', { body })
      })
      await pause(50)
    }
    return times
  }

  await measure(5) // warms up
  const before = await measure(Math.floor(samples / 2) - 5)
  const { accessToken, refreshToken } = hostile.session
  const input: Attack = { url: stack.url, accessToken, refreshToken }
  const attacker = fork(import.meta.filename, ['attack', JSON.stringify(input)])
  const startedAt = Date.now()
  await pause(warmUpMs)
  const during = await measure(samples)
  const reported = once(attacker, 'message') as Promise<[Counts]>
  attacker.send('stop')
  const [counts] = await reported
  const seconds = (Date.now() - startedAt) / 1000
  const after = await measure(Math.floor(samples / 2))

  let isFair = true
  for (const name of ['pay', 'sign in', 'claim'] as const) {
    const quiet = [...before[name], ...after[name]]
    const [median, p95] = [at(quiet, 0.5), at(quiet, 0.95)]
    const [busyMedian, busyP95] = [at(during[name], 0.5), at(during[name], 0.95)]
    const ok = busyMedian <= 1.5 * median + 20 && busyP95 <= 3 * p95
    isFair &&= ok
    console.log(
      `${name.padEnd(8)} median ${median.toFixed(0)} ms quiet, ${busyMedian.toFixed(0)} ms beside the attack; ` +
        `95th percentile ${p95.toFixed(0)} and ${busyP95.toFixed(0)} ms${ok ? '' : '  TOO SLOW'}`,
    )
  }
  const allowed = userCallBurst + userCallsPerSecond * seconds
  const isWithin = counts.cost <= allowed && counts.refreshes <= signInCallsPerMinute * (1 + seconds / 60)
  console.log(
    `accepted ${counts.accepted} calls that count as ${counts.cost} of ${allowed.toFixed(0)}, and ${counts.refreshes} refreshes; ` +
      `refused ${counts.refused} in ${seconds.toFixed(0)} s; by status ${JSON.stringify(counts.others)}${isWithin ? '' : '  TOO MANY'}`,
  )
  return isFair && isWithin
}

if (process.argv[2] === 'attack') await attack(JSON.parse(process.argv[3]!) as Attack)
else process.exitCode = (await run()) ? 0 : 1
