/**
 * Compares the throughput of an agent's calls with that of a bare Hono handler: `npm run bench:latency`. Both run on
 * Miniflare in child processes and take turns on the same machine, so their ratio is meaningful where absolute numbers
 * are not. Each round is cut into short slices, so that a change of the machine's speed, and the collection of garbage,
 * fall on all of them alike. Payments are real: authenticated, decided, reserved, durable and signed; a local chain
 * confirms them. While acceptance is measured, the Relayer has no ETH and sends nothing.
 */
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { unstable_splitSqlQuery } from 'wrangler'
import { minuteMs } from '#domain/time.ts'
import { deployContracts } from '../../contracts/deployment.ts'
import { startAnvil } from '../../local/stack/anvil.ts'
import { freePort } from '../../local/stack/ports.ts'
import { newSigningKey } from '../../local/stack/secrets.ts'
import { demo, seedSql } from '../../local/stack/seed.ts'
import { relayerAccount } from '../../worker/relayer/account.ts'
import { noLimits } from '../support/limits.ts'
import { deployment, party, roles } from '../support/localChain.ts'
import { startShop } from '../support/shop.ts'

const users = 4
const walletsEach = 6 // the most a user may have; each may have 64 payments in flight
const wallets = users * walletsEach
const connections = 32
const rounds = 5
const slices = 10
/** Longest wait until all payments are settled, on a machine that is busy with something else, too. */
const settleMs = 5 * minuteMs
const perSlice = { hello: 600, read: 300, pay: 120 }
const enoughWei = 1_000n * 10n ** 18n
const floors = { pay: 0.1, read: 0.3, buy: 0.8 }
const targets = { pay: 0.18, read: 0.4 }

const root = join(import.meta.dirname, '../..')
/** Folder of the databases. Durable means fsync, so the disk matters. */
const work = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'bursar-bench-'))
const wrangler = join(root, 'node_modules/.bin/wrangler')

async function rpc(url: string, method: string, params: unknown[]) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
  if (error) throw new Error(error.message)
  return result
}

function bundle(name: string, main: string) {
  const config = join(work, `${name}.toml`)
  writeFileSync(
    config,
    `name = "${name}"\nmain = "${main}"\ncompatibility_date = "2026-11-01"\ncompatibility_flags = ["nodejs_compat"]\nkeep_names = false\n`,
  )
  execFileSync(wrangler, ['deploy', '--dry-run', '--config', config, '--outdir', join(work, name)], {
    cwd: root,
    stdio: 'pipe',
  })
  const files = readdirSync(join(work, name))
  const script = files.find((entry) => entry.endsWith('.js'))
  if (!script) throw new Error(`no bundle for ${name}`)
  const read = (path: string) => ({ path, contents: readFileSync(join(work, name, path)) })
  return [
    { type: 'ESModule' as const, ...read(script) },
    ...files
      .filter((entry) => entry.endsWith('.wasm'))
      .map((path) => ({ type: 'CompiledWasm' as const, ...read(path) })),
  ]
}

/** Closes a connection that is idle for a second: the server would close it after five, maybe while a request is on its way. */
const agent = new Agent({ keepAlive: true, maxSockets: connections, timeout: 1_000 })
type Call = { path: string; method?: string; headers?: Record<string, string>; body?: string }
function send(base: URL, call: Call): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: base.hostname,
        port: base.port,
        path: call.path,
        method: call.method ?? 'GET',
        agent,
        headers: { ...(call.body && { 'content-type': 'application/json' }), ...call.headers },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
      },
    )
    outgoing.on('error', reject)
    outgoing.end(call.body)
  })
}

/** Seconds that `count` calls take, `connections` at a time. `isDone` checks each reply; until it is true, the call is repeated. */
async function measure(
  base: URL,
  count: number,
  next: (i: number) => Call,
  isDone: (answer: { status: number; text: string }) => boolean,
): Promise<number> {
  let i = 0
  const start = performance.now()
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (i < count) {
        const call = next(i++)
        while (!isDone(await send(base, call))) await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }),
  )
  return (performance.now() - start) / 1000
}
/** Median time of a durable write of 4 kB, in ms. */
function fsyncMs(): number {
  const file = openSync(join(work, 'fsync'), 'w')
  const times = Array.from({ length: 100 }, () => {
    const start = performance.now()
    writeSync(file, Buffer.alloc(4096))
    fdatasyncSync(file)
    return performance.now() - start
  })
  closeSync(file)
  return median(times)
}

const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!

const anvil = await startAnvil({ chainId: 8453, blockTime: 2 })
const seed = '33'.repeat(32)
let bursar: Miniflare | undefined
let hello: Miniflare | undefined
try {
  const setEther = (address: string, wei: bigint) =>
    rpc(anvil.url, 'anvil_setBalance', [address, `0x${wei.toString(16)}`])
  const relayer = relayerAccount(seed, 8453, 0).address
  for (const address of [roles.relayer.address, roles.providerAdmin.address, roles.usdcAdmin.address, relayer])
    await setEther(address, enoughWei)
  const contracts = await deployContracts(anvil.url, deployment)

  writeFileSync(
    join(work, 'hello.ts'),
    `import { Hono } from '${join(root, 'node_modules/hono/dist/index.js')}'\nexport default new Hono().get('/', (c) => c.json({ ok: true }))\n`,
  )
  const secrets = {
    KEK_V1: '11'.repeat(32),
    PAYOUT_SECRET_V1: '22'.repeat(32),
    ID_SECRET_V1: '66'.repeat(32),
    RELAYER_SEED_V1: seed,
    CODE_PEPPER: '44'.repeat(32),
    PASSWORD_PEPPER: '55'.repeat(32),
    JWT_PRIVATE_JWK: await newSigningKey(),
  }
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const bindings = {
    ...secrets,
    ENVIRONMENT: 'test',
    API_ORIGIN: origin,
    APP_ORIGIN: origin,
    BETA_ACCESS_URL: 'http://localhost',
    EXPLORER_URL_8453: 'http://localhost',
    EXPLORER_URL_84532: 'http://localhost',
    RPC_URLS_8453: anvil.url,
    RPC_URLS_84532: anvil.url,
    CONTRACTS_8453: JSON.stringify(contracts),
    CONTRACTS_84532: JSON.stringify(contracts),
    CONFIRM_DEPTH: '1',
    // No limit on the chain's clock skew.
    MAX_CLOCK_SKEW_SECONDS: '',
    RELAYER_SHARDS: '1',
    LIMITS: JSON.stringify(noLimits),
  }
  const sqlite = (className: string) => ({ className, useSQLite: true })
  const base = {
    modules: true,
    compatibilityDate: '2026-11-01',
    compatibilityFlags: ['nodejs_compat'],
    cf: false as const,
  }
  hello = new Miniflare(convertV4MiniflareOptions({ ...base, modules: bundle('hello', join(work, 'hello.ts')) }))
  bursar = new Miniflare(
    convertV4MiniflareOptions({
      ...base,
      modules: bundle('bursar', join(root, 'worker/index.ts')),
      host: '127.0.0.1',
      port,
      bindings,
      d1Databases: { DB: 'bench' },
      d1Persist: join(work, 'd1'),
      r2Buckets: { BACKUP: 'bench' },
      durableObjects: {
        TREASURY: sqlite('Treasury'),
        HISTORY: sqlite('History'),
        CLAIM_DESK: sqlite('ClaimDesk'),
        RELAYER: sqlite('Relayer'),
        WEBHOOK_SENDER: sqlite('WebhookSender'),
        SERVICE_STOPS: sqlite('ServiceStops'),
        MESSAGE_COUNTER: sqlite('MessageCounter'),
        WATCH: sqlite('Watch'),
      },
      durableObjectsPersist: join(work, 'do'),
    }),
  )
  const [helloUrl, url] = await Promise.all([hello.ready, bursar.ready])

  const db = await bursar.getD1Database('DB')
  const migrations = readdirSync(join(root, 'migrations'))
    .filter((name) => name.endsWith('.sql'))
    .sort()
  for (const sql of [
    ...migrations.map((name) => readFileSync(join(root, 'migrations', name), 'utf8')),
    await seedSql(secrets),
  ])
    for (const statement of unstable_splitSqlQuery(sql)) await db.prepare(statement).run()

  const api = async (path: string, body: unknown, token?: string) => {
    const answer = await send(url, {
      path,
      method: body === undefined ? 'GET' : 'POST',
      headers: token ? { authorization: `Bearer ${token}` } : {},
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    return JSON.parse(answer.text).data
  }
  // Users sign up as usual, then each wallet gets a group without a limit and one agent.
  const keys: string[] = []
  const mintTo = async (address: string) => {
    const data = `0x40c10f19${address.slice(2).padStart(64, '0')}${1_000_000_000_000n.toString(16).padStart(64, '0')}`
    await rpc(anvil.url, 'anvil_impersonateAccount', [roles.usdcAdmin.address])
    await rpc(anvil.url, 'eth_sendTransaction', [
      { from: roles.usdcAdmin.address, to: contracts.usdc, data, gas: '0x30d40' },
    ])
  }
  const temporaryPassword = async (email: string) => {
    const deadline = Date.now() + 10_000
    for (;;) {
      const mail = await db
        .prepare('SELECT text FROM dev_inbox WHERE recipient = ?')
        .bind(email)
        .first<{ text: string }>()
      const password = /^[a-z0-9]{4}(-[a-z0-9]{4}){3}$/m.exec(mail?.text ?? '')?.[0]
      if (password) return password
      if (Date.now() > deadline) throw new Error('no temporary password was mailed')
    }
  }
  for (let i = 0; i < users; i++) {
    const email = `bench${i}@bursar.test`
    await api('/api/users', { email, name: 'Bench', signupPasscode: demo.signupPasscode })
    const login = { email, password: await temporaryPassword(email) }
    const token = (await api('/api/auth/cognito/login', login)).accessToken
    for (let j = 0; j < walletsEach; j++) {
      const ownerAddress = party(`bench ${i} ${j}`).address
      const wallet = await api(
        '/api/wallets/smart-wallets-v2/deploy',
        { ownerAddress, chainId: 8453, purchaseAllowance: 900 },
        token,
      )
      await mintTo(wallet.walletAddress)
      const group = await api(
        '/api/policy-groups',
        { name: 'G', scopes: ['address_payments:write', 'x402_payments:write'], walletId: wallet.id },
        token,
      )
      keys.push((await api('/api/agents', { name: 'A', policyGroupId: group.id }, token)).apiKey)
    }
    const deadline = Date.now() + 30_000
    while (
      (await api('/api/wallets', undefined, token)).some((wallet: { status: string }) => wallet.status !== 'active')
    )
      if (Date.now() > deadline) throw new Error('wallets not active')
  }

  let number = 0
  let unsigned = 0
  const to = party('merchant').address
  const pay = () => {
    number += 1
    return {
      path: '/v1/payments',
      method: 'POST',
      headers: { authorization: `Bearer ${keys[number % wallets]}`, 'idempotency-key': `bench-${number}` },
      body: JSON.stringify({ to: { type: 'address', address: to }, amount: '0.000001' }),
    }
  }
  const shop = await startShop({ rpcUrl: anvil.url, usdc: contracts.usdc })
  const purchase = JSON.stringify(shop.requestOf(to, 1n))
  const buy = () => ({ ...pay(), path: '/v1/x402-payments', body: purchase })
  let repeated = 0
  /** A purchase that can't be signed yet is answered with 202, and signed when its agent asks again with the same key. */
  const handedOut = ({ status, text }: { status: number; text: string }) => {
    if (status === 202 && JSON.parse(text).status === 'QUEUED' && repeated < 1_000) {
      repeated += 1
      return false
    }
    if (status !== 201 || JSON.parse(text).x402 === null) throw new Error(`${status} ${text}`)
    return true
  }
  const signed = ({ status, text }: { status: number; text: string }) => {
    if (status !== 201) throw new Error(`${status} ${text}`)
    if (JSON.parse(text).signed_at === null && JSON.parse(text).status !== 'PROCESSING') unsigned += 1
    return true
  }
  const good = ({ status, text }: { status: number; text: string }) => {
    if (status !== 200) throw new Error(`${status} ${text}`)
    return true
  }
  const settled = async () => {
    const deadline = Date.now() + settleMs
    for (;;) {
      const answers = await Promise.all(
        keys.map((key) => send(url, { path: '/v1/context', headers: { authorization: `Bearer ${key}` } })),
      )
      if (answers.every(({ text }) => JSON.parse(text).budget.held === '0')) return
      if (Date.now() > deadline) throw new Error(`payments did not settle in ${settleMs / minuteMs} minutes`)
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }

  /** Until no wallet has payments in flight that the Relayer sends. */
  const sent = async () => {
    const inFlight = async (key: string) => {
      const { text } = await send(url, { path: '/v1/payments?limit=100', headers: { authorization: `Bearer ${key}` } })
      const { data } = JSON.parse(text) as { data: { status: string; to: { type: string } }[] }
      return data.some(({ status, to }) => to.type === 'address' && (status === 'PROCESSING' || status === 'QUEUED'))
    }
    const deadline = Date.now() + settleMs
    while ((await Promise.all(keys.map(inFlight))).some(Boolean)) {
      if (Date.now() > deadline) throw new Error(`payments did not settle in ${settleMs / minuteMs} minutes`)
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }

  const phases: Record<keyof typeof perSlice, () => Promise<number>> = {
    hello: () => measure(helloUrl, perSlice.hello, () => ({ path: '/' }), good),
    read: () =>
      measure(
        url,
        perSlice.read,
        (i) => ({ path: '/v1/context', headers: { authorization: `Bearer ${keys[i % wallets]}` } }),
        good,
      ),
    pay: () => measure(url, perSlice.pay, pay, signed),
  }
  const names = Object.keys(phases) as (keyof typeof phases)[]
  const rates: Record<keyof typeof phases | 'settled', number[]> = { hello: [], read: [], pay: [], settled: [] }
  for (let round = -1; round < rounds; round++) {
    // The Relayer would take part of the processors, and of the thread on which Miniflare runs all objects.
    await setEther(relayer, 0n)
    const seconds = { hello: 0, read: 0, pay: 0 }
    for (let slice = 0; slice < slices; slice++) for (const name of names) seconds[name] += await phases[name]()
    await setEther(relayer, enoughWei)
    await settled()
    const startedAt = performance.now()
    await measure(url, perSlice.pay * slices, pay, signed)
    await settled()
    const settledRate = (perSlice.pay * slices) / ((performance.now() - startedAt) / 1000)
    if (round < 0) continue // warms up
    for (const name of names) rates[name].push((perSlice[name] * slices) / seconds[name])
    rates.settled.push(settledRate)
  }
  // Purchases beside payments, in turns. Nobody settles them, so they come last: each round adds to those that are open.
  const buying = { pay: [] as number[], buy: [] as number[] }
  await measure(url, wallets, buy, handedOut) // asks the seller once for each account
  for (let round = 0; round < rounds; round++) {
    await setEther(relayer, 0n)
    const seconds = { pay: 0, buy: 0 }
    for (let slice = 0; slice < slices; slice++) {
      seconds.pay += await measure(url, perSlice.pay, pay, signed)
      seconds.buy += await measure(url, perSlice.pay, buy, handedOut)
    }
    for (const name of ['pay', 'buy'] as const) buying[name].push((perSlice.pay * slices) / seconds[name])
    await setEther(relayer, enoughWei)
    await sent()
  }
  await shop.stop()
  const toPayments = median(buying.buy.map((rate, round) => rate / buying.pay[round]!))
  const toHello = (name: 'read' | 'pay') => median(rates[name].map((rate, round) => rate / rates.hello[round]!))
  const ratio = { read: toHello('read'), pay: toHello('pay') }
  console.log(
    `bare Hono handler           ${median(rates.hello).toFixed(0)} requests/s (median of ${rounds} rounds, ${connections} connections)`,
  )
  for (const [name, label] of [
    ['pay', 'agent payment accepted'],
    ['read', 'budget read           '],
  ] as const)
    console.log(
      `${label}      ${median(rates[name]).toFixed(0)} requests/s, ratio ${ratio[name].toFixed(3)} (floor ${floors[name]}, target ${targets[name]})`,
    )
  console.log(
    `payments confirmed          ${median(rates.settled).toFixed(0)} per second, accepted and delivered at the same time`,
  )
  console.log(
    `purchase signed             ${median(buying.buy).toFixed(0)} requests/s, ratio to payments ${toPayments.toFixed(2)} (floor ${floors.buy})`,
  )
  console.log(`durable write on this disk   ${fsyncMs().toFixed(2)} ms (median)`)
  console.log(
    `payments sent ${number}, returned before their signature ${unsigned}, purchases requested again ${repeated}`,
  )
  if (ratio.pay < floors.pay || ratio.read < floors.read || toPayments < floors.buy) process.exitCode = 1
} finally {
  agent.destroy()
  await bursar?.dispose()
  await hello?.dispose()
  await anvil.stop()
  rmSync(work, { recursive: true, force: true })
}
