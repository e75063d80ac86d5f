/**
 * The target local-production: Worker and pages as production runs them, in workerd on this machine, with anvil in place of
 * Base and stand-ins for the mail and SMS vendors and for Cloudflare Access.
 */
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../local/client.ts'
import { type LocalChain, relayerShards, startLocalChain } from '../../local/stack/chains.ts'
import { isPortFree } from '../../local/stack/ports.ts'
import { ensureLocalSecrets, secretsPathOf } from '../../local/stack/secrets.ts'
import { bundle, startCron, startWrangler, type WorkerProcess } from '../../local/stack/workerProcess.ts'
import { startAccess } from '../../local/standIns/access.ts'
import { startInbox } from '../../local/standIns/inbox.ts'
import { root } from '../../local/tools/runTool.ts'
import { contractSetting } from '../../worker/chain/contractSets.ts'
import type { ContractSets } from '../../worker/chain/types.ts'
import type { CreatedPasscode } from '../../worker/schemas/ops.ts'
import type { LocalConfig } from '../config.ts'
import { pagesFolder, preparePages } from '../pagesConfig.ts'
import type { State } from '../state.ts'
import { buildStep, LaunchError, type Outcome, type Step } from '../steps.ts'
import { workerConfig } from '../workerConfig.ts'

const name = 'bursar'
const localDatabase = '00000000-0000-0000-0000-000000000000'
const readyWithinMs = 60_000 // 1 minute

export type LocalProduction = {
  steps: Step[]
  /** Resolves when the Worker or Pages exits. To be called after the steps. */
  hasEnded(): Promise<void>
  /** Stops everything that was started. */
  stop(): Promise<void>
}

const secret = (prefix: string) => `${prefix}${randomBytes(16).toString('hex')}`

export function localProduction(config: LocalConfig, state: State): LocalProduction {
  const { ports } = config
  const urls = {
    origin: `http://localhost:${ports.pages}`,
    chain: `http://127.0.0.1:${ports.chain}`,
    inbox: `http://127.0.0.1:${ports.inbox}`,
    access: `http://127.0.0.1:${ports.access}`,
  }
  const started: { stop(): Promise<unknown> }[] = []
  const configPath = state.path('wrangler.json')
  const secrets = () =>
    ensureLocalSecrets(secretsPathOf(state.folder), {
      RESEND_API_KEY: secret('re_'),
      TWILIO_AUTH_TOKEN: secret(''),
    })
  const serviceToken = () => ({
    id: remembered(state, 'accessClientId', () => `${secret('')}.access`),
    secret: remembered(state, 'accessClientSecret', () => secret('')),
  })
  let chain: LocalChain
  let halves: WorkerProcess[] = []

  const steps: Step[] = [
    {
      name: 'ports',
      effect: `checks that the ports ${Object.values(ports).join(', ')} are free`,
      cost: 'nothing',
      async run() {
        for (const [name, port] of Object.entries(ports))
          if (!(await isPortFree(port)))
            throw new LaunchError(
              `port ${port} is in use. Stop the program that uses it, or set local-production.ports.${name}.`,
            )
        return { changed: false, note: 'all are free' }
      },
    },
    buildStep,
    {
      name: 'secrets',
      effect: `generates the Worker's secrets in ${secretsPathOf(state.folder)}`,
      cost: 'nothing',
      async run() {
        const isNew = state.get('accessClientSecret') === undefined
        await secrets()
        serviceToken()
        return { changed: isNew, note: isNew ? 'generated' : 'kept' }
      },
    },
    {
      name: 'chain and contracts',
      effect: `starts anvil as Base on port ${ports.chain}, funds the relayer with ETH, deploys the contracts`,
      cost: 'nothing: the ETH and the USDC are worthless',
      async run() {
        const options = {
          chainId: 8453,
          stateDir: state.folder,
          blockTime: config.blockSeconds,
          port: ports.chain,
        } as const
        chain = await startLocalChain({ ...options, secrets: await secrets(), started: (anvil) => started.push(anvil) })
        return rememberedAs(
          state,
          'contracts',
          contractSetting(chain.contractSets),
          `factory ${chain.contracts.factory}`,
        )
      },
    },
    {
      name: 'configuration',
      effect: `writes wrangler.json and the folder pages into ${state.folder}`,
      cost: 'nothing',
      async run() {
        const vars = localProductionVariables({ ...urls, contractSets: chain.contractSets })
        const options = { name, databaseId: localDatabase, main: bundle, bundled: true, vars }
        const isNew = state.write('wrangler.json', await workerConfig(state, options))
        const hasNewPages = await preparePages(state, {
          worker: name,
          publicRpcUrl: urls.chain,
          contractSets: { 8453: chain.contractSets },
          passkeyDomain,
        })
        return { changed: isNew || hasNewPages, note: 'wrangler.json, pages' }
      },
    },
    {
      name: 'database',
      effect: 'applies the migrations',
      cost: 'nothing',
      async run() {
        const names = readdirSync(join(root, 'migrations')).sort().join(' ')
        const latest = names.split(' ').at(-1)!
        if (state.get('migrations') === names) return { changed: false, note: `at ${latest}` }
        // Imported here because it takes a second, which a dry run need not wait for.
        const { applyMigrations } = await import('../../local/stack/database.ts')
        await applyMigrations(state.folder, configPath)
        return rememberedAs(state, 'migrations', names, `at ${latest}`)
      },
    },
    {
      name: 'Worker, pages and stand-ins',
      effect: 'starts the stand-ins for mail, SMS and Access, the Worker and Pages, and waits until all is ready',
      cost: 'nothing',
      async run() {
        const { RESEND_API_KEY: resendKey, TWILIO_AUTH_TOKEN: authToken } = await secrets()
        const twilio = { accountSid: twilioAccount, authToken }
        started.push(await startInbox({ port: ports.inbox, path: state.path('inbox.jsonl'), resendKey, twilio }))
        const access = { target: urls.origin, audience: accessAudience, serviceToken: serviceToken() }
        started.push(await startAccess({ port: ports.access, ...access }))
        const server = { stateDir: state.folder, show: false }
        const workerArgs = ['dev', '--config', configPath, '--env-file', secretsPathOf(state.folder)]
        const worker = await startWrangler({ ...server, args: workerArgs, cwd: root, port: ports.worker })
        started.unshift(worker)
        // It finds the Worker by its name, as Pages does.
        const pages = await startWrangler({
          ...server,
          args: ['pages', 'dev'],
          cwd: pagesFolder(state),
          port: ports.pages,
          storage: 'pages-storage',
        })
        started.unshift(pages)
        halves = [worker, pages]
        await waitUntilReady()
        const stopCron = startCron(`http://localhost:${ports.worker}`)
        started.unshift({ stop: async () => stopCron() })
        return { changed: false, note: `ready at ${urls.origin}` }
      },
    },
    {
      name: 'first passcode',
      effect: 'creates a passcode to sign up with, as an operator through Access',
      cost: 'nothing',
      async run() {
        if (state.get('passcode')) return { changed: false, note: 'kept in state.json' }
        const reason = 'first passcode'
        const body = { label: 'launch', maxUses: null, expiresInDays: null, reason }
        const { passcode } = await asOperator<CreatedPasscode>('/passcodes', body)
        return rememberedAs(state, 'passcode', passcode, 'kept in state.json')
      },
    },
  ]
  return {
    steps,
    hasEnded: () => Promise.race(halves.map(({ ended }) => ended)),
    async stop() {
      for (const part of started.splice(0)) await part.stop()
    },
  }

  async function waitUntilReady(): Promise<void> {
    await until(
      '/api/ready',
      async () => (await fetch(`${urls.origin}/api/ready`)).status === 200,
      readyWithinMs,
    ).catch(async () => {
      const { problems } = await asOperator<{ problems: string[] }>('/ready')
      throw new LaunchError(`the Worker is not ready: ${problems.join('; ')}`)
    })
  }

  async function asOperator<T>(path: string, body?: unknown): Promise<T> {
    const { id, secret } = serviceToken()
    const response = await fetch(`${urls.access}/ops/api${path}`, {
      headers: {
        'cf-access-client-id': id,
        'cf-access-client-secret': secret,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    })
    const reply = (await response.json()) as { success: true; data: T } | { success: false; error: string }
    if (!reply.success) throw new LaunchError(`/ops/api${path} returned ${response.status}: ${reply.error}`)
    return reply.data
  }
}

/** Whether this deployment is already running: only its own Access stand-in knows the service token. */
export async function isRunning(config: LocalConfig, state: State): Promise<boolean> {
  const [id, secret] = [state.get('accessClientId'), state.get('accessClientSecret')]
  if (!id || !secret || !state.get('passcode')) return false
  const headers = { 'cf-access-client-id': id, 'cf-access-client-secret': secret }
  const reply = await fetch(`http://127.0.0.1:${config.ports.access}/ops/api/ready`, { headers }).catch(() => null)
  await reply?.body?.cancel()
  return reply?.status === 200
}

/** Shows how to use the deployment once it is running. */
export function welcome(config: LocalConfig, state: State): string {
  const { ports } = config
  const [url, inbox, rpc] = [
    `http://localhost:${ports.pages}`,
    `http://127.0.0.1:${ports.inbox}`,
    `http://127.0.0.1:${ports.chain}`,
  ]
  return [
    '',
    `  Bursar            ${url}`,
    `  Signup passcode   ${state.get('passcode')}   at ${url}/signup`,
    `  Email and SMS     ${inbox}`,
    '  Operators         npm run ops -- status, with these variables:',
    `    BURSAR_URL=http://127.0.0.1:${ports.access} CF_ACCESS_CLIENT_ID=${state.get('accessClientId')} CF_ACCESS_CLIENT_SECRET=${state.get('accessClientSecret')}`,
    `  Chain             ${rpc}`,
    '',
    '  To run the main flow against it:',
    `  npm run demo -- --url ${url} --inbox ${inbox} --rpc ${rpc} --passcode ${state.get('passcode')}`,
    '',
  ].join('\n')
}

function remembered(state: State, name: string, make: () => string): string {
  const known = state.get(name)
  if (known !== undefined) return known
  const value = make()
  state.set(name, value)
  return value
}

function rememberedAs(state: State, name: string, value: string, note: string): Outcome {
  const changed = state.get(name) !== value
  if (changed) state.set(name, value)
  return { changed, note }
}

/** Identifiers that the Worker and the stand-ins share. */
export const twilioAccount = `AC${'0'.repeat(32)}`
export const accessAudience = 'local-production'

/** The domain of recipients' passkeys: browsers allow this one without TLS. */
const passkeyDomain = 'localhost'

/** The Worker's variables, under the same rules as in production; only the addresses are local. */
export const localProductionVariables = (urls: {
  origin: string
  chain: string
  inbox: string
  access: string
  contractSets: ContractSets
}): Record<string, string> => ({
  ENVIRONMENT: 'production',
  API_ORIGIN: urls.origin,
  APP_ORIGIN: urls.origin,
  PUBLIC_RPC_URL_8453: urls.chain,
  RPC_URLS_8453: urls.chain,
  CONTRACTS_8453: contractSetting(urls.contractSets),
  CONTRACTS_84532: '{}',
  CONFIRM_DEPTH: '2',
  RELAYER_SHARDS: String(relayerShards),
  SIGN_UP: 'passcode',
  EMAIL_PROVIDER: 'resend',
  EMAIL_ENDPOINT: urls.inbox,
  MAIL_FROM: 'bursar@bursar.test',
  SMS_COUNTRIES: 'US,DE,GB',
  SMS_ENDPOINT: urls.inbox,
  TWILIO_ACCOUNT_SID: twilioAccount,
  TWILIO_FROM: '+15005550006',
  ACCESS_TEAM_ORIGIN: urls.access,
  ACCESS_AUDIENCE: accessAudience,
  PASSKEY_DOMAIN: passkeyDomain,
})
