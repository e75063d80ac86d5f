/**
 * The burst test: 2,000 accounts, whose deposits are booked, pay within one second, each for the first time, while every call
 * to D1 takes 50 ms. Each payment must be answered within 60 seconds and confirmed, once, on the chain.
 *
 *   node tests/long/burst.ts
 *
 * ACCOUNTS changes their number. The Worker, D1 and all objects share one thread and one process here, unlike on
 * Cloudflare, so the number of files that a process may open limits that of the accounts.
 */
import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import type { Payment, Problem } from '#schemas/payment.ts'
import type { CreatedAgent, PolicyGroup } from '#schemas/policy.ts'
import type { Wallet, WalletLedger } from '#schemas/wallet.ts'
import { until } from '../../local/client.ts'
import { type LocalServer, serve } from '../../local/standIns/server.ts'
import { agentAt } from '../support/agentCalls.ts'
import { addAccounts, takeAccount } from '../support/readyAccounts.ts'
import { addressFor, pause } from '../support/stackClient.ts'
import { createTestStack, type TestStack } from '../support/testStack.ts'

const accounts = Number(process.env.ACCOUNTS ?? 2_000)
const answerMs = 60_000 // 1 minute
const micro = 100n
const amount = '0.0001'
const merchant = addressFor('merchant')
/** Files that workerd has open per account: the databases of its two objects, its call and calls of the node, each twice. */
const filesPerAccount = 12

type Payer = { apiKey: string; walletId: string; token: string }

/** An account with an imported wallet, which needs no deployment, and an agent. */
async function createPayer(stack: TestStack): Promise<Payer> {
  const { bursar } = stack
  const { session } = await takeAccount(stack, accounts)
  const privateKey = generatePrivateKey()
  const address = privateKeyToAddress(privateKey)
  // The chain takes a limited number of the minter's transactions at once.
  const mint = () => bursar.call('/dev/faucet', { body: { address, amount: '1' } })
  await until('money', async () => (await mint()).status < 300)
  const make = <T>(path: string, body: unknown) =>
    bursar.api<T>(path, { token: session.accessToken, key: randomUUID(), body })
  const wallet = await make<Wallet>('/wallets/with-private-key', {
    address,
    chain: 'base',
    privateKey,
    masterPassword: 'a master password',
  })
  const group = await make<PolicyGroup>('/policy-groups', {
    name: 'Group',
    spendLimit: 1,
    scopes: ['address_payments:write'],
    walletId: wallet.id,
  })
  const agent = await make<CreatedAgent>('/agents', { name: 'Buyer', policyGroupId: group.id })
  return { apiKey: agent.apiKey!, walletId: wallet.id, token: session.accessToken }
}

/** Whether the deposit is booked. Reading the balance books it, once it is deep enough. */
async function isFunded({ bursar }: TestStack, { walletId, token }: Payer): Promise<boolean> {
  await bursar.api(`/wallets/${walletId}/usdc-balance`, { token })
  const { available } = await bursar.api<WalletLedger>(`/wallets/${walletId}/ledger`, { token })
  return available !== '0'
}

/** Runs `work` for each number below `count`, ten at a time. */
async function tenAtATime<T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  let next = 0
  const lane = async () => {
    for (let i = next++; i < count; i = next++) results[i] = await work(i)
  }
  await Promise.all(Array.from({ length: 10 }, lane))
  return results
}

type Answer = { status: number; ms: number; id: string; code: string | undefined }

async function pay({ url }: TestStack, apiKey: string, key: string): Promise<Answer> {
  const startedAt = performance.now()
  const call = async (): Promise<Omit<Answer, 'ms'>> => {
    const response = await fetch(`${url}/v1/payments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}`, 'idempotency-key': key },
      body: JSON.stringify({ to: { type: 'address', address: merchant }, amount }),
      signal: AbortSignal.timeout(2 * answerMs),
    })
    const { id, code } = (await response.json()) as Payment & Partial<Problem>
    return { status: response.status, id, code }
  }
  const answer = await call().catch((error: Error) => ({ status: 0, id: '', code: error.name }))
  return { ...answer, ms: performance.now() - startedAt }
}

/** A node in front of the local one, which drops connections above 128 at once. Keeps none open, to save files. */
function startNode(target: string): Promise<LocalServer> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  return serve((incoming, response) => {
    const { method, headers } = incoming
    const forwarded = request(target, { agent, method, headers: { ...headers, connection: 'keep-alive' } }, (reply) => {
      response.writeHead(reply.statusCode!, { 'content-type': 'application/json', connection: 'close' })
      reply.pipe(response)
    })
    forwarded.on('error', () => response.destroy())
    incoming.pipe(forwarded)
  })
}

/** Null if a process may open as many files as the accounts need. */
function tooManyAccounts(): string | null {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files: { hard: number | 'unlimited' } } }
  const limit = userLimits?.open_files.hard ?? 'unlimited'
  if (limit === 'unlimited' || accounts * filesPerAccount <= limit) return null
  const most = Math.floor(limit / filesPerAccount)
  return `a process may open ${limit} files here, which is enough for ${most} accounts: raise the limit, or set ACCOUNTS`
}

async function run(): Promise<boolean> {
  const tooMany = tooManyAccounts()
  if (tooMany) {
    console.log(tooMany)
    return false
  }
  let node: LocalServer | undefined
  await using stack = await createTestStack({
    entry: 'tests/long/slowDatabase.ts',
    blockTime: 2,
    vars: async ({ rpc }) => {
      node = await startNode(rpc[8453])
      return { RPC_URLS_8453: node.url }
    },
  })
  await using _node = { [Symbol.asyncDispose]: async () => node?.stop() }
  const { bursar, contracts } = stack
  await stack.stopWorker()
  await addAccounts(stack.stateDir, accounts)
  await stack.restartWorker()
  console.log(`creating ${accounts} accounts with a wallet and an agent …`)
  const payers = await tenAtATime(accounts, () => createPayer(stack))
  await tenAtATime(accounts, (i) => until('the deposit', () => isFunded(stack, payers[i]!)))

  const keys = payers.map(() => randomUUID())
  const startedAt = performance.now()
  const answers = await Promise.all(
    payers.map(async ({ apiKey }, i) => {
      await pause((i * 1000) / accounts)
      return pay(stack, apiKey, keys[i]!)
    }),
  )
  const times = answers.map(({ ms }) => ms).sort((a, b) => a - b)
  const refused = answers.filter(({ status }) => status !== 201)
  const slow = times.filter((ms) => ms > answerMs).length
  const at = (share: number) => `${((times[Math.ceil(times.length * share) - 1] ?? 0) / 1000).toFixed(1)} s`
  console.log(
    `answered: median ${at(0.5)}, 95 % ${at(0.95)}, last ${at(1)}; ${slow} too slow, ${refused.length} refused`,
  )
  for (const [code, those] of Map.groupBy(refused, ({ code }) => code))
    console.log(`  refused with ${code}: ${those.length}`)
  const silent = answers.flatMap(({ status }, i) => (status === 0 ? [i] : []))
  for (const again of await Promise.all(silent.map((i) => pay(stack, payers[i]!.apiKey, keys[i]!))))
    console.log(`  not answered; repeated under its key: ${again.status} after ${(again.ms / 1000).toFixed(1)} s`)
  if (refused.length > 0) return false

  await tenAtATime(accounts, (i) =>
    until(
      `payment ${answers[i]!.id}`,
      async () => {
        const { status } = await agentAt(bursar.url, payers[i]!.apiKey).payments.get(answers[i]!.id)
        if (status === 'FAILED') throw new Error(`payment ${answers[i]!.id} failed`)
        return status === 'CONFIRMED'
      },
      10 * answerMs,
    ),
  )
  console.log(`all confirmed ${((performance.now() - startedAt) / 1000).toFixed(0)} s after the first call`)
  const received = await bursar.usdcOnChain(contracts[8453].usdc, merchant)
  if (received !== micro * BigInt(accounts)) console.log(`the merchant received ${received} micro-USDC  WRONG`)
  return slow === 0 && received === micro * BigInt(accounts)
}

process.exitCode = (await run()) ? 0 : 1
