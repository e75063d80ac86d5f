/**
 * How long the actions of people and agents take when D1, the objects and the node are far away: `npm run bench:distance`.
 * The real stack with a delay for each call (distance/delays.ts), so a figure shows how many calls wait for each other. Exits
 * with 1 if an action with a target misses it. "Before" was measured with this file at commit 2455e30a.
 */
import { randomUUID } from 'node:crypto'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { demo } from '../../local/stack/seed.ts'
import { agentAt } from '../support/agentCalls.ts'
import { startRpcProxy } from '../support/rpcProxy.ts'
import { createFundedWallet, createPayout, createTestStack, signIn } from '../support/testStack.ts'
import { delays } from './distance/delays.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
/** Longer than anything that the Worker or an object keeps in memory stays fresh. */
const coldMs = 60_000 // 1 minute
const { d1: D, object: O, objectToObject: o, node: N } = delays

/** `formula`: what the action has to wait for, without the machine's own time. `target`: the most that is accepted. */
type Action = { formula: string; ms: number; before: number; target?: number }
const actions = {
  'claim: open': { formula: 'O', ms: O, before: 386 },
  'claim: verify': { formula: 'O', ms: O, before: 456 },
  'claim: claim': { formula: 'O + N', ms: O + N, before: 1391 },
  'claim: from opening to on its way': { formula: '3 O + N', ms: 3 * O + N, before: 2222, target: 600 },
  'pay, warm': { formula: 'O', ms: O, before: 176 },
  'pay, cold': { formula: 'O + o', ms: O + o, before: 588, target: 200 },
  'pay, new recipient': { formula: 'O + N', ms: O + N, before: 408 },
  'budget, cold': { formula: 'O', ms: O, before: 388 },
  'transactions, cold': { formula: 'O + o', ms: O + o, before: 830, target: 200 },
  'overview, cold': { formula: 'O + o', ms: O + o, before: 464, target: 200 },
  'sign in': { formula: '2 D + O + scrypt', ms: 2 * D + O, before: 2457, target: 600 },
  'refresh the session': { formula: 'D', ms: D, before: 434 },
  'send as owner': { formula: 'O + N', ms: O + N, before: 812 },
  'create a payout': { formula: '2 O', ms: 2 * O, before: 638 },
} satisfies Record<string, Action>
type Name = keyof typeof actions

const proxies: { url: string; stop(): Promise<void> }[] = []
const slowNode = async (url: string) => {
  const proxy = await startRpcProxy(url)
  proxy.setFault({ mode: 'slow', delayMs: delays.node })
  proxies.push(proxy)
  return proxy.url
}
const stack = await createTestStack({
  entry: 'tests/bench/distance/worker.ts',
  vars: async ({ rpc }) => ({ RPC_URLS_8453: await slowNode(rpc[8453]), RPC_URLS_84532: await slowNode(rpc[84532]) }),
})
const { bursar } = stack
const measured = new Map<Name, number[]>()
const record = (name: Name, ms: number) => measured.set(name, [...(measured.get(name) ?? []), ms])
async function timed<T>(name: Name, act: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  const result = await act()
  record(name, performance.now() - startedAt)
  return result
}
const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

const freshAddress = () => privateKeyToAddress(generatePrivateKey())
/** As if nobody had called for a while: caches are out of date. */
async function becomeCold(): Promise<void> {
  const body = JSON.stringify({ ms: coldMs })
  await fetch(`${bursar.url}/dev/ahead`, { method: 'POST', body })
}
/** Lets what was started in the background end. */
const settled = (ms = 3_000) => new Promise((resolve) => setTimeout(resolve, ms))

try {
  let token = await signIn(bursar)
  const wallet = await createFundedWallet(bursar, token)
  const group = await bursar.api<{ id: string }>('/policy-groups', {
    token,
    key: randomUUID(),
    body: { name: 'Bench', scopes: ['address_payments:write'], walletId: wallet.id },
  })
  const { apiKey } = await bursar.api<{ apiKey: string }>('/agents', {
    token,
    key: randomUUID(),
    body: { name: 'Bench', policyGroupId: group.id },
  })
  const agent = agentAt(bursar.url, apiKey)
  const shop = freshAddress()
  const pay = (address: string) => agent.pay({ to: address, amount: '0.01' })
  await pay(shop)
  const payouts = []
  for (let i = 0; i < rounds + 1; i++) payouts.push(await createPayout(bursar, token, wallet.id))

  for (let i = -1; i < rounds; i++) {
    // The first round runs code for the first time, and does not count.
    if (i === 0) measured.clear()
    await settled()
    await pay(shop)
    await timed('pay, warm', () => pay(shop))
    await timed('pay, new recipient', () => pay(freshAddress()))
    await settled()

    await becomeCold()
    await timed('pay, cold', () => pay(shop))
    await settled()
    await becomeCold()
    await timed('budget, cold', () => agent.context())
    await settled(500)
    await becomeCold()
    await timed('transactions, cold', () => bursar.api('/transactions/user', { token }))
    await settled(500)
    await becomeCold()
    await timed('overview, cold', () => bursar.api('/overview', { token }))
    await settled(500)

    const session = await timed('sign in', () => bursar.signIn(demo.email, demo.password))
    // The clock has moved, and access tokens expire after 15 minutes.
    token = session.accessToken
    const { refreshToken } = session
    await timed('refresh the session', () => bursar.api('/auth/cognito/refresh', { body: { refreshToken } }))

    await timed('send as owner', () =>
      bursar.api('/transactions/send', {
        token,
        key: randomUUID(),
        body: { walletId: wallet.id, toAddress: freshAddress(), amount: '0.01' },
      }),
    )
    await settled()
    const body = { sourceWalletId: wallet.id, amount: '0.1', recipientEmail: 'bench@bursar.test', expiresInDays: 7 }
    await timed('create a payout', () => bursar.api('/escrow/create', { token, key: randomUUID(), body }))
    await settled()

    const { accessToken, passcode } = payouts[i + 1]!
    await becomeCold()
    const startedAt = performance.now()
    await timed('claim: open', () => bursar.api(`/escrow/claim/${accessToken}`))
    const { sessionToken } = await timed('claim: verify', () =>
      bursar.api<{ sessionToken: string }>('/escrow/verify-passcode', { body: { accessToken, passcode } }),
    )
    await timed('claim: claim', () =>
      bursar.api('/escrow/claim', { body: { accessToken, sessionToken, recipientAddress: freshAddress() } }),
    )
    record('claim: from opening to on its way', performance.now() - startedAt)
  }

  console.log(`ms: D1 ${D}, Worker to object ${O}, object to object ${o}, node ${N}; median of ${rounds}`)
  console.log(`${''.padEnd(36)}${['before', 'now', 'formula', 'target'].map((head) => head.padStart(10)).join('')}`)
  for (const [name, { formula, ms, before, target }] of Object.entries<Action>(actions)) {
    const now = Math.round(median(measured.get(name as Name)!))
    const isMissed = target !== undefined && now > target
    if (isMissed) process.exitCode = 1
    const figures = [before, now, ms, target ?? ''].map((figure) => String(figure).padStart(10)).join('')
    console.log(`${name.padEnd(36)}${figures}  ${formula}${isMissed ? '  MISSED' : ''}`)
  }
} finally {
  await stack.stop()
  await Promise.all(proxies.map((proxy) => proxy.stop()))
}
