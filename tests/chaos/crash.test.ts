/**
 * The Worker is killed again and again under load, on real chains and storage, with a node that fails now and then.
 * CHAOS_KILLS says how often (12), CHAOS_SEED repeats the clients' choices, the faults and the moments of the kills.
 */
import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SignedIn } from '#schemas/account.ts'
import { root } from '../../local/tools/runTool.ts'
import type { Address } from '../../worker/chain/types.ts'
import { relayerAccount } from '../../worker/relayer/account.ts'
import { type Random, randomFrom } from '../support/random.ts'
import { leaks, linesOf, watchSecrets } from '../support/secretsInLog.ts'
import { chainReader, createSender, pause } from '../support/stackClient.ts'
import { booksAtRest, violations } from './checker.ts'
import { Client, type SenderRecord } from './client.ts'
import { createFaultyStack, type FaultyStack, logProblems } from './faultyStack.ts'
import { History } from './history.ts'
import { addVersions, removeFirst, rotationEnds } from './rotateKeys.ts'
import { addWebhook, type ChaosWebhook, webhookProblems } from './webhooks.ts'

const kills = Number(process.env.CHAOS_KILLS ?? 12)
const seed = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 32))
/** CHAOS_ROTATE=1: every ring of keys gets another version in the middle of it (`npm run test:long rotate-keys`). */
const rotates = process.env.CHAOS_ROTATE === '1'
const senders = 3
const clientsEach = 4
/** Reached by the agents towards the end. */
const limit = 2 + Math.ceil(kills / 5)
const restMs = 90_000 // 1.5 minutes

let stack: FaultyStack['stack']
let node: FaultyStack['node']
let stop: FaultyStack['stop'] | undefined
let watched: ReturnType<typeof watchSecrets>
beforeAll(async () => {
  ;({ stack, node, stop } = await createFaultyStack())
  watched = watchSecrets(stack.url)
})
afterAll(() => stop?.())

test(`${kills} kills: nothing lost, nothing twice, every figure exact, every event told @chaos-1`, {
  timeout: 120_000 + kills * 15_000,
}, async () => {
  console.log(`CHAOS_SEED=${seed} CHAOS_KILLS=${kills}`)
  const startedAt = Date.now()
  const { bursar } = stack
  const history = new History()
  const records: SenderRecord[] = []
  const hooks: ChaosWebhook[] = []
  for (let index = 0; index < senders; index++) {
    const sender = await createSender(stack, { funds: '900', limit, agents: 2 })
    records.push({ index, sender, payouts: [], problems: [], replays: [] })
    hooks.push(await addWebhook(bursar, sender, randomFrom(seed + 2_000 + index)))
  }

  let isOver = false
  const clients = records.flatMap((record) =>
    Array.from({ length: clientsEach }, (_, i) => {
      const name = `s${record.index}c${i}`
      const random = randomFrom(seed + 1 + record.index * clientsEach + i)
      return new Client({ name, bursar, record, random, history }).run(() => isOver)
    }),
  )
  const random = randomFrom(seed)
  const killing = (async () => {
    for (let kill = 1; kill <= kills; kill++) {
      await pause(random.int(100, 2_000))
      history.note('kill', null, kill)
      await stack.killWorker()
      await stack.restartWorker()
      if (!rotates || kill !== Math.ceil(kills / 3)) continue
      // Without a kill before it this starts another process, which reads the secrets again.
      await addVersions(stack)
      await stack.restartWorker()
    }
    await pause(1_000) // the last kill is recovered from under load as well
    isOver = true
  })()
  const weather = stormy(randomFrom(seed + 1_000), () => isOver)
  await Promise.all([killing, weather, ...clients]).finally(() => {
    isOver = true
  })
  const calmAt = Date.now()

  const problems = records.flatMap((record) => record.problems)
  try {
    for (const { sender } of records) await booksAtRest(bursar, sender, restMs)
    const restAt = Date.now()
    problems.push(...(await askAgain(records)), ...(await relayerProblems()), ...logProblems(stack))
    const chain = chainReader(stack.rpc[8453], stack.contracts[8453].usdc)
    for (const { sender, index } of records) {
      const operations = history.operations.filter((operation) => operation.sender === index)
      const books = await booksAtRest(bursar, sender, restMs)
      const address = sender.wallet.address as Address
      const [transfers, balance, nonces] = await Promise.all([
        chain.transfers(),
        chain.balanceOf(address),
        chain.nonces(address),
      ])
      const found = violations(sender, operations, books, { transfers, balance, nonces })
      await hooks[index]!.atRest(restMs)
      found.push(...webhookProblems(hooks[index]!.received, books))
      problems.push(...found.map((problem) => `${sender.wallet.id}: ${problem}`))
    }
    console.log(summary(history, { load: calmAt - startedAt, rest: restAt - calmAt, check: Date.now() - restAt }))
    expect(problems).toEqual([])
    // Its payments are in no history.
    if (rotates) await newKeysHold(records)
  } catch (error) {
    keepEvidence(history)
    throw error
  } finally {
    await Promise.all(hooks.map((hook) => hook.stop()))
  }
})

test('the log of all this is JSON, and no secret that was issued or sent is in it @log-3', async () => {
  await everyKindOfSecret()
  const secrets = await watched.stop()
  for (const [name, secret] of Object.entries(stack.secrets))
    secrets.set(name.endsWith('_JWK') ? JSON.parse(secret).d : secret, name)
  const kinds = new Set(secrets.values())
  for (const kind of ['access token', 'refresh token', 'session token', 'client secret', 'API key', 'password'])
    expect(kinds).toContain(kind)
  for (const kind of ['private key', 'email address', 'phone number', 'claim link', 'link token', 'code', 'KEK_V1'])
    expect(kinds).toContain(kind)
  const [email, code] = ['email address', 'code'].map((kind) => [...secrets].find((entry) => entry[1] === kind)![0])
  expect(leaks(`{"to":"${email}"}\n{"code": ${code}}`, secrets), 'it would be found').toHaveLength(2)

  const log = readFileSync(join(stack.stateDir, 'wrangler.log'), 'utf8')
  expect(leaks(log, secrets)).toEqual([])
  const entries = linesOf(log).map((line) => {
    try {
      return JSON.parse(line) as { level?: string; event?: string }
    } catch {
      return null
    }
  })
  expect(entries.length).toBeGreaterThan(0)
  // A kill may cut the line that is being written.
  expect(entries.filter((entry) => entry === null).length).toBeLessThanOrEqual(kills)
  for (const entry of entries)
    if (entry) expect(entry).toMatchObject({ level: expect.any(String), event: expect.stringMatching(/^[a-z0-9_]+$/) })
})

/** What the clients of the load do not send: accounts, codes, contacts and keys; half of it while the node is down. */
async function everyKindOfSecret(): Promise<void> {
  const { bursar } = stack
  const email = `augusta-${seed}@bursar.test`
  const password = `difference engine ${seed}`
  const auth = (path: string, body: unknown) => bursar.call<{ data: SignedIn }>(`/api/auth/cognito/${path}`, { body })
  await auth('signup', { email, password, name: 'Augusta' })
  await auth('confirm', { email, code: '123456' })
  const [, code] = await bursar.message(email, /^(\d{6})$/m, 'the code')
  await auth('confirm', { email, code })
  await auth('login', { email, password: `${password} no` })
  const { data } = (await auth('login', { email, password })).body
  await auth('refresh', { refreshToken: data.refreshToken })
  await auth('refresh', { refreshToken: `${data.refreshToken}x` })
  await auth('forgot-password', { email })
  await bursar.message(email, /#token=(\S+)/, 'the link')

  const sender = await createSender(stack, { funds: '5', limit: 5 })
  const { apiKey, clientId, clientSecret } = sender.agents[0]!
  const token = await sender.token()
  const contact = { name: 'Augusta', email: `contact-${seed}@bursar.test`, recipientPhone: '+14155550123' }
  const grant = { grant_type: 'client_credentials', client_id: clientId }
  const privateKey = generatePrivateKey()
  const address = privateKeyToAddress(privateKey)
  for (const mode of ['none', 'down'] as const) {
    node.setFault({ mode })
    const calls = [
      bursar.call('/oauth/token', { form: { ...grant, client_secret: clientSecret } }),
      bursar.call('/oauth/token', { form: { ...grant, client_secret: `${clientSecret}x` } }),
      bursar.call('/api/wallets/with-private-key', {
        token,
        key: randomUUID(),
        body: { address, chain: 'base', privateKey, masterPassword: `master ${seed}` },
      }),
      bursar.call('/v1/payments', {
        token: apiKey,
        key: randomUUID(),
        body: { to: { type: 'email', email: contact.email }, amount: '1' },
      }),
      bursar.call('/api/escrow/create', {
        token,
        key: randomUUID(),
        body: {
          sourceWalletId: sender.wallet.id,
          amount: '1',
          expiresInDays: 7,
          recipientPhone: contact.recipientPhone,
        },
      }),
      bursar.call('/api/contacts', { token, body: contact }),
      bursar.call('/api/contacts', { token: `${token}x`, body: contact }),
    ]
    await Promise.allSettled(calls)
  }
  node.setFault({ mode: 'none' })
}

/** The Worker's node between good hours: gone, slow, or executing requests without replying. */
async function stormy(random: Random, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    node.setFault({ mode: 'none' })
    await pause(random.int(200, 2_000))
    const mode = random.pick(['down', 'swallow', 'slow'] as const)
    node.setFault({ mode, delayMs: random.int(200, 2_000) })
    await pause(random.int(100, 600))
  }
  node.setFault({ mode: 'none' })
}

/** What needs the first versions ends as it should; without the first KEK everything still opens and pays. */
async function newKeysHold(records: SenderRecord[]): Promise<void> {
  const remaining = await rotationEnds(stack)
  console.log(JSON.stringify(remaining, null, 1))
  expect(remaining.KEK).toEqual([])
  for (const what of remaining.PAYOUT_SECRET!) expect(what).toMatch(/^\d+ open payouts, the last of which expires/)
  for (const what of remaining.CODE_PEPPER!)
    expect(what).toMatch(/^(\d+ open payouts|\d+ sign-up passcodes|login sessions)/)
  for (const what of remaining.PASSWORD_PEPPER!) expect(what).toMatch(/^\d+ passwords/)
  for (const what of remaining.RELAYER_SEED!) expect(what).toMatch(/^the ETH of relayer/)
  removeFirst(stack, ['KEK'])
  await stack.restartWorker()
  for (const { sender } of records) {
    const { status } = await stack.bursar.call('/v1/payments', {
      token: sender.agents[0]!.apiKey,
      key: randomUUID(),
      body: { to: { type: 'email', email: 'after@bursar.test' }, amount: '0.10' },
    })
    expect([201, 202, 422, 403]).toContain(status)
    await booksAtRest(stack.bursar, sender, restMs)
  }
}

/** I7: an acknowledged request finds its payment again, whatever happened since. */
async function askAgain(records: SenderRecord[]): Promise<string[]> {
  const problems: string[] = []
  for (const { replays } of records)
    for (const { operation, ask } of replays.slice(-20)) {
      const { outcome, key } = operation
      const id = await ask()
      if (outcome?.ok && id !== outcome.id) problems.push(`I7: ${key} was ${outcome.id}, asked again it is ${id}`)
    }
  return problems
}

/** I6: no gap is left in the account's numbers. */
async function relayerProblems(): Promise<string[]> {
  const { address } = relayerAccount(stack.secrets.RELAYER_SEED_V1, 8453, 0)
  const chain = chainReader(stack.rpc[8453], stack.contracts[8453].usdc)
  const { latest, pending } = await chain.accountNonces(address)
  const pool = await chain.client.request({ method: 'txpool_status' } as never)
  const { queued } = pool as { queued: string }
  const problems = latest === pending ? [] : [`I6: ${pending - latest} transactions are still pending`]
  return Number(queued) === 0 ? problems : [...problems, `I6: ${Number(queued)} transactions behind a gap`]
}

function summary({ operations }: History, ms: Record<'load' | 'rest' | 'check', number>): string {
  const count = (kind: string, ok: boolean) =>
    operations.filter(({ asked, outcome }) => asked.kind === kind && outcome?.ok === ok).length
  const kinds = ['send', 'payout', 'claim', 'reclaim'].map(
    (kind) => `${kind} ${count(kind, true)}+${count(kind, false)}`,
  )
  const unknown = operations.filter((operation) => operation.unknown > 0).length
  const seconds = (name: keyof typeof ms) => `${name} ${(ms[name] / 1000).toFixed(1)} s`
  return `ok+refused: ${kinds.join(', ')}; ${unknown} had unknown outcomes; ${seconds('load')}, ${seconds('rest')}, ${seconds('check')}`
}

/** The history and the Worker's log, to find the cause. */
function keepEvidence(history: History): void {
  const folder = join(root, '.bursar', `chaos-${seed}`)
  mkdirSync(folder, { recursive: true })
  history.write(join(folder, 'history.jsonl'))
  copyFileSync(join(stack.stateDir, 'wrangler.log'), join(folder, 'wrangler.log'))
  console.log(`evidence in ${folder}`)
}
