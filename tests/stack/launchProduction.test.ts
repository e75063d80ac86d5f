/**
 * A launch to production against a stand-in for Cloudflare's API, with wrangler itself and anvil in place of Base.
 * LAUNCH_CHAIN=84532 makes it a launch to staging, with anvil in place of Base Sepolia. LAUNCH_LONG=1 interrupts it after
 * every step.
 *
 * @module-tag all
 */
import { globSync, readFileSync } from 'node:fs'
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWalletClient, type Hex, http } from 'viem'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { experimental_readRawConfig } from 'wrangler'
import { circleUsdc } from '../../contracts/deployment.ts'
import { productionSchema, stagingSchema } from '../../launch/config.ts'
import { production } from '../../launch/production/production.ts'
import { relayerAddresses } from '../../launch/production/relayers.ts'
import { decrypt } from '../../launch/production/secrets.ts'
import { openVault } from '../../launch/rotation/vault.ts'
import { openState, type State } from '../../launch/state.ts'
import { runSteps } from '../../launch/steps.ts'
import { type Anvil, startAnvil } from '../../local/stack/anvil.ts'
import { placeOracle } from '../../local/standIns/sanctionsOracle.ts'
import { root, runTool } from '../../local/tools/runTool.ts'
import { parseContractSets } from '../../worker/chain/contractSets.ts'
import type { ContractSets } from '../../worker/chain/types.ts'
import { networks } from '../../worker/domain/networks.ts'
import { passcodeHash } from '../../worker/identity/secrets.ts'
import { accountId, apiToken, type CloudflareStandIn, startCloudflare } from '../support/cloudflareStandIn.ts'

const isLong = Boolean(process.env.LAUNCH_LONG)
const chainId = process.env.LAUNCH_CHAIN === '84532' ? 84532 : 8453
/** Returns 6 to every call, as `decimals()` of USDC does. */
const returnsSix = '0x60065f5260205ff3'
const passphrase = 'correct horse battery staple'

let cloudflare: CloudflareStandIn
let anvil: Anvil
let folder: string
let state: State
beforeAll(async () => {
  ;[cloudflare, anvil] = await Promise.all([startCloudflare(), startAnvil({ chainId })])
  await rpc('anvil_setCode', [circleUsdc[chainId], returnsSix])
  folder = await mkdtemp(join(tmpdir(), 'bursar-launch-'))
  state = openState(folder)
})
afterAll(async () => {
  await Promise.all([cloudflare?.stop(), anvil?.stop()])
  await rm(folder, { recursive: true, force: true })
})
beforeEach(() => void cloudflare.calls.splice(0))

const rpc = (method: string, params: unknown[]) =>
  createWalletClient({ transport: http(anvil.url) }).request({ method, params } as never) as Promise<unknown>

type Changes = {
  chain?: { providerAdmin: string; deployer: 'hardware'; contractSet?: number; sanctionsOracle?: string }
}
const config = (changes: Changes = {}) =>
  (chainId === 8453 ? productionSchema : stagingSchema).parse({
    name: 'bursar',
    accountId,
    origin: cloudflare.url,
    databaseLocation: 'weur',
    chain: { providerAdmin: `0x${'11'.repeat(20)}`, deployer: 'hardware' },
    metrics: true,
    logDestinations: ['archive'],
    email: { provider: 'resend', from: 'hello@bursar.example' },
    operators: { accessTeamOrigin: 'https://team.cloudflareaccess.com', accessAudience: 'a'.repeat(64) },
    ...changes,
  })

const environmentOf = ({ apiUrl }: CloudflareStandIn) => ({
  CLOUDFLARE_API_TOKEN: apiToken,
  CLOUDFLARE_API_BASE_URL: apiUrl,
  BURSAR_PASSPHRASE: passphrase,
})

/** Launches as a new process would. With a `lastStep`, the launch is interrupted after that step. */
async function launch({
  lastStep,
  changes,
  in: folder = state,
}: {
  lastStep?: string | undefined
  changes?: Changes
  in?: State
} = {}) {
  const lines: string[] = []
  const say = (line: string) => void lines.push(line)
  const environment = {
    ...environmentOf(cloudflare),
    [`RPC_URLS_${chainId}`]: anvil.url,
    RESEND_API_KEY: 're_0123456789',
  }
  const waiting = { pauseMs: 5, firstMs: 1_000, upgradeMs: 100 }
  const steps = production(config(changes), chainId, folder, { environment, say, waiting })
  const end = lastStep === undefined ? steps.length : steps.findIndex(({ name }) => name === lastStep) + 1
  await runSteps(steps.slice(0, end), folder, say)
  return { lines, names: steps.map(({ name }) => name) }
}

/** Sends the transactions that the launch asks for. Returns the names of the contracts they deploy. */
async function sendTransactions(): Promise<string[]> {
  const transactions = JSON.parse(await readFile(join(folder, 'transactions.json'), 'utf8')) as Record<string, string>[]
  const [from] = (await rpc('eth_accounts', [])) as Hex[]
  for (const { to, data, gas } of transactions)
    await rpc('eth_sendTransaction', [{ from, to, data, gas: `0x${BigInt(gas!).toString(16)}` }])
  return transactions.map(({ contract }) => contract!)
}

const savedSecrets = async () => decrypt(await readFile(join(folder, 'secrets.backup.json'), 'utf8'), passphrase)
/** Collects the files of the launch that contain this secret while Cloudflare is called. */
function filesDuringCalls(secret: string): Set<string> {
  const found = new Set<string>()
  cloudflare.state.fails = () => {
    for (const path of globSync(join(folder, '*.json')))
      if (readFileSync(path, 'utf8').includes(secret)) found.add(path)
    return false
  }
  return found
}

test('a launch fails if something else uses its hostname, or without Workers Paid @launch-5', async () => {
  cloudflare.pages.state.dnsRecords = [{ type: 'CNAME', content: 'shop.example' }]
  await expect(launch()).rejects.toThrow(/DNS records \(CNAME shop\.example\)/)
  cloudflare.pages.state.dnsRecords = []
  cloudflare.state.domains = [{ hostname: '127.0.0.1', service: 'shop' }]
  await expect(launch()).rejects.toThrow('is a domain of the Worker shop')
  cloudflare.state.domains = []
  cloudflare.state.plans = ['pro']
  await expect(launch()).rejects.toThrow('Workers Paid')
  cloudflare.state.plans = ['workers_paid']
})

test('a launch stops until the hardware wallet’s transactions are sent, then until the relayers have ETH @launch-6', async () => {
  await expect(launch()).rejects.toThrow(/\[5\/15\] contracts failed: send the transactions in .*transactions\.json/)
  expect(await sendTransactions()).toEqual(['PayoutEscrow', 'Provider', 'AgentWalletFactory', 'Relay'])
  const [relayer] = relayerAddresses(config(), chainId, await savedSecrets())
  await expect(launch()).rejects.toThrow(
    new RegExp(`relayers failed: send at least .* ETH on ${networks[chainId].label} to each of ${relayer}`),
  )
  await rpc('anvil_setBalance', [relayer, '0xde0b6b3a7640000'])
  await launch({ lastStep: 'relayers' })
})

test('a launch interrupted after each step resumes, and makes each change at Cloudflare once, in order @launch-7', async () => {
  const { names } = await launch({ lastStep: 'account and plan' })
  const withSecret = filesDuringCalls((await savedSecrets()).KEK_V1!)
  for (const lastStep of isLong ? names : ['database', 'migrations', 'Worker', 'pages', 'first passcode'])
    await launch({ lastStep })
  const { lines } = await launch()
  expect(lines.filter((line) => line.includes(': done,'))).toEqual([])

  const [database] = cloudflare.databases
  const changes = cloudflare.calls
    .filter((call) => !call.startsWith('GET '))
    .map((call) => call.replace(database!.uuid, 'ID'))
  const made = changes.filter((call, i) => call !== changes[i - 1])
  expect(made).toEqual([
    'POST /d1/database',
    'PUT /d1/database/ID', // read replication
    'POST /r2/buckets',
    'POST /d1/database/ID/query', // the migrations
    'PUT /workers/scripts/bursar',
    'POST /workers/scripts/bursar/subdomain',
    'PUT /workers/scripts/bursar/schedules',
    'POST /pages/projects',
    'POST /pages/assets/check-missing',
    'POST /pages/assets/upload',
    'POST /pages/assets/upsert-hashes',
    'POST /pages/projects/bursar-web/deployments',
    'POST /pages/projects/bursar-web/domains',
    'POST /zones/zone/dns_records',
    'POST /d1/database/ID/query', // the passcode
  ])
  expect(cloudflare.databases).toMatchObject([{ read_replication: { mode: 'auto' } }])
  expect(cloudflare.databases).toHaveLength(1)
  expect(cloudflare.versions).toHaveLength(1)
  expect(cloudflare.calls.filter((call) => call.startsWith('DELETE '))).toEqual([])
  expect([...withSecret]).toEqual([])
})

test('the deployed Worker has every secret, no workers.dev or preview URL, and one sign-up passcode @launch-8', async () => {
  const secrets = await savedSecrets()
  const { bindings } = cloudflare.versions[0]!.metadata
  const texts = (type: string) =>
    Object.fromEntries(bindings.filter((each) => each.type === type).map(({ name, text }) => [name, text]))
  expect(texts('secret_text')).toEqual(secrets)
  expect(Object.keys(secrets)).toContain(`RPC_URLS_${chainId}`)
  expect(texts('plain_text')).not.toHaveProperty(`RPC_URLS_${chainId}`)
  expect(texts('plain_text').PRIMARY_CHAIN).toBe(String(chainId))
  const written = JSON.parse(await readFile(join(folder, 'wrangler.json'), 'utf8'))
  expect(written).toMatchObject({
    workers_dev: false,
    preview_urls: false,
    account_id: accountId,
    observability: { logs: { destinations: ['archive'], invocation_logs: false }, traces: { enabled: false } },
  })

  expect(written).not.toHaveProperty('routes')
  expect(written).not.toHaveProperty('assets')
  expect(bindings).toContainEqual(expect.objectContaining({ name: 'METRICS', dataset: 'bursar' }))

  const passcode = passcodeHash(secrets.CODE_PEPPER!, state.get('passcode')!)
  const rows = cloudflare.databases[0]!.db.prepare('SELECT hash, max_uses, used FROM signup_passcode').all()
  expect(rows.map((row) => ({ ...row }))).toEqual([{ hash: passcode, max_uses: 1, used: 0 }])
  const acts = cloudflare.databases[0]!.db.prepare('SELECT actor, action FROM operator_action').all()
  expect(acts.map((row) => ({ ...row }))).toEqual([{ actor: 'launch', action: 'passcode.create' }])
})

test('a rotation uploads the secrets that it changes, and never writes them unencrypted @launch-30', async () => {
  const secrets = { ...(await savedSecrets()), KEK_V1: 'ab'.repeat(32), PAYOUT_SECRET_V1: '"quotes" and\nlines' }
  const withSecret = filesDuringCalls(secrets.KEK_V1)
  const vault = openVault(state, environmentOf(cloudflare), Date.now)
  expect(await vault.distribute(secrets, ['KEK_V1', 'PAYOUT_SECRET_V1'])).toBe('uploaded to bursar')
  expect(cloudflare.replacedSecrets).toEqual({ KEK_V1: secrets.KEK_V1, PAYOUT_SECRET_V1: secrets.PAYOUT_SECRET_V1 })
  expect([...withSecret]).toEqual([])
})

test('the deployed pages have the built files and headers, and a function that is bound to the Worker @launch-18', async () => {
  const { state, upload, file } = cloudflare.pages
  expect(state.project).toMatchObject({ deployment_configs: { production: { fail_open: false } } })
  expect(state.dnsRecords).toEqual([
    { type: 'CNAME', name: '127.0.0.1', content: 'bursar-web-4x7.pages.dev', proxied: true, ttl: 1 },
  ])
  const [deployment] = state.deployments
  const { bindings, routes, headers } = upload(deployment!)
  expect(bindings).toEqual([{ name: 'API', type: 'service', service: 'bursar' }])
  const { rawConfig } = experimental_readRawConfig({ config: join(root, 'wrangler.toml') })
  expect(routes.include).toEqual(rawConfig.assets!.run_worker_first)
  expect(headers).toMatch(/\/login\n {2}Link: <\/assets/)
  expect(headers).toContain("connect-src 'self' https://mainnet.base.org")
  expect(file(deployment!, '/index.html')!.toString()).toBe(await readFile(join(root, 'web/dist/index.html'), 'utf8'))
})

test('another contract set is deployed only if the config asks for it, and earlier sets are kept @launch-17', async () => {
  const setting = async (from = folder): Promise<ContractSets> => {
    const { vars } = JSON.parse(await readFile(join(from, 'wrangler.json'), 'utf8'))
    return parseContractSets(vars[`CONTRACTS_${chainId}`]) as ContractSets
  }
  const before = await setting()
  expect(Object.keys(before.sets)).toEqual(['1'])
  // Other roles give other addresses, as other code would; alone they deploy nothing.
  const chain = { providerAdmin: `0x${'22'.repeat(20)}`, deployer: 'hardware' } as const
  await launch({ changes: { chain }, lastStep: 'configuration' })
  expect(await setting()).toEqual(before)
  await expect(launch({ changes: { chain: { ...chain, contractSet: 3 } } })).rejects.toThrow('the next set of this')

  const changes = { chain: { ...chain, contractSet: 2 } }
  await expect(launch({ changes })).rejects.toThrow('send the transactions')
  // The escrow and the Relay have not changed.
  expect(await sendTransactions()).toEqual(['Provider', 'AgentWalletFactory'])
  await launch({ changes, lastStep: 'configuration' })
  const { newest, sets } = await setting()
  expect([newest, sets[1], sets[2]!.escrow]).toEqual([2, before.sets[1], before.sets[1]!.escrow])
  expect(sets[2]!.factory).not.toBe(sets[1]!.factory)
  const recoveryPage = await readFile(join(folder, 'pages/dist/recovery.html'), 'utf8')
  const factories = JSON.stringify({ [chainId]: [sets[1]!.factory, sets[2]!.factory] })
  expect(recoveryPage).toContain(`<meta name="wallet-factories" content='${factories}'>`)
  expect(recoveryPage, 'recipients keep no money here').toContain('<meta name="passkey-domain" content="">')
  await expect(launch({ changes: { chain: { ...chain, contractSet: 3 } } })).rejects.toThrow('are those of set 2')
  await launch({ changes: { chain: { ...chain, contractSet: 1 } }, lastStep: 'configuration' })
  expect(await setting()).toEqual({ newest: 1, sets })

  // Without the state folder, the launch uses the sets that the deployment serves.
  const elsewhere = await mkdtemp(join(tmpdir(), 'bursar-launch-'))
  await copyFile(join(folder, 'secrets.backup.json'), join(elsewhere, 'secrets.backup.json'))
  await launch({ in: openState(elsewhere), changes: { chain }, lastStep: 'configuration' })
  expect(await setting(elsewhere)).toEqual(before)
  await rm(elsewhere, { recursive: true })
})

test('a sanctions oracle that does not answer stops the launch; one that does is set @screening-10', async () => {
  const oracle = `0x${'5a'.repeat(20)}` as const
  const chain = { providerAdmin: `0x${'11'.repeat(20)}`, deployer: 'hardware', sanctionsOracle: oracle } as const
  const contracts = () => launch({ changes: { chain }, lastStep: 'contracts' })
  await expect(contracts()).rejects.toThrow(`${oracle} does not answer isSanctioned(address)`)
  const { become } = await placeOracle((method, ...params) => rpc(method, params), oracle)
  await become('wrong')
  await expect(contracts()).rejects.toThrow('correct chain.sanctionsOracle')
  await become('right')
  await launch({ changes: { chain }, lastStep: 'configuration' })
  const { vars } = JSON.parse(await readFile(join(folder, 'wrangler.json'), 'utf8'))
  expect(vars[`SANCTIONS_ORACLE_${chainId}`]).toBe(oracle)
})

if (isLong)
  test('wrangler’s dry run accepts the generated config @launch-16', async () => {
    const config = join(folder, 'wrangler.json')
    const args = ['deploy', '--dry-run', '--config', config, '--outdir', join(folder, 'dry')]
    const output = await runTool(['wrangler', ...args])
    expect(output).toContain('--dry-run: exiting now.')
    expect(output).not.toMatch(/warning/i)
  })
