/**
 * Kills the Worker repeatedly under load, on real chains and storage, with a node that fails now and then. CHAOS_KILLS
 * sets the number of kills (12). CHAOS_SEED repeats the clients' choices, the faults and the times of the kills.
 */
import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, expect, test } from 'vitest'
import type { SignedIn } from '#schemas/account.ts'
import { root } from '../../local/tools/runTool.ts'
import type { Address } from '../../worker/chain/types.ts'
import { relayerAccount } from '../../worker/relayer/account.ts'
import { payOnce } from '../support/agentCalls.ts'
import { patient, within } from '../support/patience.ts'
import { type Random, randomFrom } from '../support/random.ts'
import { leaks, linesOf, watchSecrets } from '../support/secretsInLog.ts'
import { startShop } from '../support/shop.ts'
import { chainReader, createSender, pause } from '../support/stackClient.ts'
import { booksAtRest, violations } from './checker.ts'
import { Client, type SenderRecord } from './client.ts'
import { createFaultyStack, logProblems } from './faultyStack.ts'
import { History } from './history.ts'
import { addVersions, removeFirst, rotationEnds } from './rotateKeys.ts'
import { addWebhook, type ChaosWebhook, webhookProblems } from './webhooks.ts'
import { wideRules } from './wideRules.ts'

const kills = Number(process.env.CHAOS_KILLS ?? 12)
const seed = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 32))
/** CHAOS_ROTATE=1 adds a version to every keyring during the load (`npm run test:long rotate-keys`). */
const rotates = process.env.CHAOS_ROTATE === '1'
const senders = 3
const clientsEach = 4
/** Budget of each sender's group in USDC, which the agents reach toward the end. */
const limit = 2 + Math.ceil(kills / 5)
const restMs = patient(90_000) // 1.5 minutes

const { stack, node, stop } = await createFaultyStack()
afterAll(stop)
const shop = await startShop({ rpcUrl: stack.rpc[8453], usdc: stack.contracts[8453].usdc })
afterAll(shop.stop)
const watched = watchSecrets(stack.url)

test(`${kills} kills: no payment is lost or made twice, every figure is exact, every event is delivered @chaos-1`, {
  ...within(120_000 + kills * 15_000),
}, async () => {
  console.log(`CHAOS_SEED=${seed} CHAOS_KILLS=${kills}`)
  const startedAt = Date.now()
  const { bursar } = stack
  const history = new History()
  const records: SenderRecord[] = []
  const hooks: ChaosWebhook[] = []
  for (let index = 0; index < senders; index++) {
    const sender = await createSender(stack, {
      ...{ funds: '900', limit, agents: 2, rules: wideRules(), purchaseAllowance: 50 },
      scopes: ['address_payments:write', 'email_payments:write', 'x402_payments:write'],
    })
    records.push({ index, sender, payouts: [], problems: [], replays: [] })
    hooks.push(await addWebhook(bursar, sender, randomFrom(seed + 2_000 + index)))
  }

  let isOver = false
  const clients = records.flatMap((record) =>
    Array.from({ length: clientsEach }, (_, i) => {
      const name = `s${record.index}c${i}`
      const random = randomFrom(seed + 1 + record.index * clientsEach + i)
      return new Client({ name, bursar, record, random, history, shop, settlesAll: kills < 50 }).run(() => isOver)
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
      // Without a preceding kill, this starts another process, which reads the secrets again.
      await addVersions(stack)
      await stack.restartWorker()
    }
    await pause(1_000) // so that recovery from the last kill is under load as well
    isOver = true
  })()
  const faults = injectFaults(randomFrom(seed + 1_000), () => isOver)
  await Promise.all([killing, faults, ...clients]).finally(() => {
    isOver = true
  })
  const loadedAt = Date.now()

  const problems = records.flatMap((record) => record.problems)
  try {
    for (const { sender } of records) await booksAtRest(bursar, sender, restMs)
    const restAt = Date.now()
    problems.push(...(await repeatRequests(records)), ...(await relayerProblems()), ...logProblems(stack))
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
    console.log(summary(history, { load: loadedAt - startedAt, rest: restAt - loadedAt, check: Date.now() - restAt }))
    expect(problems).toEqual([])
    // Last, because the history does not contain its payments.
    if (rotates) await checkNewKeys(records)
  } catch (error) {
    keepEvidence(history)
    throw error
  } finally {
    await Promise.all(hooks.map((hook) => hook.stop()))
  }
})

test('the Worker’s log during kills and faults is JSON and contains no secret that was issued or sent @log-3', async () => {
  const walletId = await sendEveryKindOfSecret()
  const secrets = await watched.stop()
  for (const [name, secret] of Object.entries(stack.secrets))
    secrets.set(name.endsWith('_JWK') ? JSON.parse(secret).d : secret, name)
  const kinds = new Set(secrets.values())
  for (const kind of ['access token', 'refresh token', 'session token', 'client secret', 'API key', 'password'])
    expect(kinds).toContain(kind)
  for (const kind of ['private key', 'email address', 'phone number', 'claim link', 'link token', 'code', 'KEK_V1'])
    expect(kinds).toContain(kind)
  const [email, code] = ['email address', 'code'].map((kind) => [...secrets].find((entry) => entry[1] === kind)![0])
  expect(leaks(`{"to":"${email}"}\n{"code": ${code}}`, secrets), 'leaks are found').toHaveLength(2)

  // What the load logs is chance; this line always comes, through two processes.
  const line = new RegExp(`"event":"wallet_not_read","user":"[^"]+","wallet":"${walletId}"`)
  await expect.poll(readLog, within(10_000)).toMatch(line)
  const log = readLog()
  expect(leaks(log, secrets)).toEqual([])
  const entries = linesOf(log).map((line) => {
    try {
      return JSON.parse(line) as { level?: string; event?: string }
    } catch {
      return null
    }
  })
  // A kill may cut off the line that is being written.
  expect(entries.filter((entry) => entry === null).length).toBeLessThanOrEqual(kills)
  for (const entry of entries)
    if (entry) expect(entry).toMatchObject({ level: expect.any(String), event: expect.stringMatching(/^[a-z0-9_]+$/) })
})

/**
 * Sends what the load clients do not: accounts, codes, contacts and keys, half of it while the node is down. Returns the
 * id of a wallet whose balance the Worker then cannot read, which it logs.
 */
async function sendEveryKindOfSecret(): Promise<string> {
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
      payOnce(bursar, apiKey, { to: contact.email, amount: '1' }),
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
  const balance = `/api/wallets/${sender.wallet.id}/usdc-balance`
  // One that was read less than two seconds ago is shown again.
  await expect.poll(async () => (await bursar.call(balance, { token })).status, within(10_000)).toBe(502)
  node.setFault({ mode: 'none' })
  return sender.wallet.id
}

/** Makes the Worker's node fail now and then: down, slow, or executing requests without replying. */
async function injectFaults(random: Random, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    node.setFault({ mode: 'none' })
    await pause(random.int(200, 2_000))
    const mode = random.pick(['down', 'swallow', 'slow'] as const)
    node.setFault({ mode, delayMs: random.int(200, 2_000) })
    await pause(random.int(100, 600))
  }
  node.setFault({ mode: 'none' })
}

/** Checks what still needs the first versions, and that accounts still pay without the first KEK. */
async function checkNewKeys(records: SenderRecord[]): Promise<void> {
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
    const { status } = await payOnce(stack.bursar, sender.agents[0]!.apiKey, {
      to: 'after@bursar.test',
      amount: '0.10',
    })
    expect([201, 202, 422, 403]).toContain(status)
    await booksAtRest(stack.bursar, sender, restMs)
  }
}

/** I7: repeating an acknowledged request returns its payment, whatever happened since. */
async function repeatRequests(records: SenderRecord[]): Promise<string[]> {
  const problems: string[] = []
  for (const { replays } of records)
    for (const { operation, ask } of replays.slice(-20)) {
      const { outcome, key } = operation
      const id = await ask()
      if (outcome?.ok && id !== outcome.id) problems.push(`I7: ${key} was ${outcome.id}, repeated it is ${id}`)
    }
  return problems
}

/** I6: there is no gap in the relayer account's nonces. */
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
  const kinds = ['send', 'payout', 'purchase', 'claim', 'reclaim'].map(
    (kind) => `${kind} ${count(kind, true)}+${count(kind, false)}`,
  )
  const unknown = operations.filter((operation) => operation.unknown > 0).length
  const seconds = (name: keyof typeof ms) => `${name} ${(ms[name] / 1000).toFixed(1)} s`
  return `ok+refused: ${kinds.join(', ')}; ${unknown} had unknown outcomes; ${seconds('load')}, ${seconds('rest')}, ${seconds('check')}`
}

const readLog = () => readFileSync(join(stack.stateDir, 'wrangler.log'), 'utf8')

/** Keeps the history and the Worker's log, to find the cause of a failure. */
function keepEvidence(history: History): void {
  const folder = join(root, '.bursar', `chaos-${seed}`)
  mkdirSync(folder, { recursive: true })
  history.write(join(folder, 'history.jsonl'))
  copyFileSync(join(stack.stateDir, 'wrangler.log'), join(folder, 'wrangler.log'))
  console.log(`evidence in ${folder}`)
}
