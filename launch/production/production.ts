/** The targets production and staging: Cloudflare, and Base or Base Sepolia. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from '../../local/stack/workerProcess.ts'
import { root } from '../../local/tools/runTool.ts'
import { contractSetting } from '../../worker/chain/contractSets.ts'
import type { ContractSets } from '../../worker/chain/types.ts'
import { type ChainId, networks } from '../../worker/domain/networks.ts'
import type { Env } from '../../worker/env.ts'
import { settingProblems } from '../../worker/readiness/settingProblems.ts'
import type { ProductionConfig } from '../config.ts'
import { preparePages, projectName } from '../pagesConfig.ts'
import type { State } from '../state.ts'
import { buildStep, LaunchError, type Step } from '../steps.ts'
import { bucketName, workerConfig } from '../workerConfig.ts'
import { checkAccount, ensureBucket, ensureD1, ensureReplication, openCloudflare } from './cloudflare.ts'
import { prepareContracts } from './contracts.ts'
import { type Half, halves, usualWaiting, type Waiting } from './halves.ts'
import { checkHostname } from './hostname.ts'
import { createFirstPasscode } from './passcode.ts'
import { checkRelayers } from './relayers.ts'
import { backupName, prepareSecrets, type Secrets } from './secrets.ts'
import { payOnce } from './testPayment.ts'

export type ProductionOptions = {
  environment: Record<string, string | undefined>
  say: (line: string) => void
  now?: () => number
  waiting?: Waiting
}

export function production(
  config: ProductionConfig,
  chainId: ChainId,
  state: State,
  options: ProductionOptions,
): Step[] {
  const { environment, say, now = Date.now, waiting = usualWaiting } = options
  const { name, origin } = config
  const cloudflare = () => openCloudflare(config.accountId, state, environment)
  const deployment = halves({ cloudflare, state, name, origin, waiting })
  let secrets: Secrets
  let contractSets: ContractSets
  let databaseId: string

  return [
    {
      name: 'account and plan',
      effect: `checks that the token can read the account ${config.accountId}, and its plan`,
      cost: 'nothing; the Workers Paid plan is $5 a month',
      async run() {
        return { changed: false, note: await checkAccount(cloudflare()) }
      },
    },
    {
      name: 'hostname',
      effect: `checks that ${new URL(origin).hostname} is in a zone of the account, and free or ours`,
      cost: 'nothing',
      async run() {
        return { changed: false, note: await checkHostname(cloudflare(), new URL(origin).hostname, name) }
      },
    },
    buildStep,
    {
      name: 'secrets',
      effect: `generates missing secrets, and stores all of them in ${state.path(backupName)}, encrypted with BURSAR_PASSPHRASE`,
      cost: 'nothing; without this file and the passphrase the deployment can’t be moved or repaired',
      async run() {
        const prepared = await prepareSecrets(config, chainId, state, environment)
        secrets = prepared.secrets
        return prepared
      },
    },
    {
      name: 'contracts',
      effect: `deploys what is missing on ${networks[chainId].label} (${config.chain.deployer === 'hardware' ? 'writes the transactions for a hardware wallet' : 'with the keystore'}), and checks the code at every address; adds another set only if chain.contractSet asks for it`,
      cost: 'about 5 million gas once (0.00005 ETH at 0.01 gwei), and the L1 fee for 21 kB',
      async run() {
        const prepared = await prepareContracts(config, chainId, state, secrets, environment.KEYSTORE_PASSWORD)
        contractSets = prepared.contractSets
        return prepared
      },
    },
    {
      name: 'relayers',
      effect: `prints the addresses that pay gas and what they need for ${config.relayer.paymentsPerDay} payments a day; stops until each has 0.001 ETH`,
      cost: 'the ETH that you send',
      run: () => checkRelayers(config, chainId, secrets, say),
    },
    {
      name: 'database',
      effect: `creates the D1 database ${name} in ${config.databaseLocation} if it does not exist, and switches its read replication on`,
      cost: 'nothing until it holds 5 GB or 50 million rows a month are written',
      async run() {
        const known = state.get('databaseId')
        const { id, created } = known
          ? { id: known, created: false }
          : await ensureD1(cloudflare(), name, config.databaseLocation)
        databaseId = id
        state.set('databaseId', id)
        const isSwitched = await ensureReplication(cloudflare(), id)
        return { changed: created || isSwitched, note: id }
      },
    },
    {
      name: 'bucket',
      effect: `creates the R2 bucket ${bucketName(name)} in ${config.databaseLocation} if it does not exist. It holds what is needed if D1 is lost`,
      cost: 'nothing below 10 GB; R2 must be switched on for the account',
      async run() {
        const created = await ensureBucket(cloudflare(), bucketName(name), config.databaseLocation)
        return { changed: created, note: bucketName(name) }
      },
    },
    {
      name: 'configuration',
      effect: `writes wrangler.json and the folder pages into ${state.folder}; the Worker has no address of its own`,
      cost: 'nothing',
      async run() {
        const json = await workerConfig(state, {
          name,
          accountId: config.accountId,
          databaseId,
          main: bundle,
          bundled: true,
          vars: productionVariables(config, chainId, contractSets),
          sendsEmail: config.email.provider === 'cloudflare',
          hasMetrics: config.metrics,
          logDestinations: config.logDestinations,
        })
        checkSettings(json, secrets)
        const isNew = state.write('wrangler.json', json)
        const hasNewPages = await preparePages(state, {
          worker: name,
          publicRpcUrl: config.chain.publicRpcUrl,
          contractSets: { [chainId]: contractSets },
          passkeyDomain: config.passkeyDomain,
        })
        return { changed: isNew || hasNewPages, note: 'wrangler.json, pages' }
      },
    },
    {
      name: 'migrations',
      effect: 'applies the migrations that the database lacks; the running version keeps working with them',
      cost: 'nothing',
      async run() {
        const names = readdirSync(join(root, 'migrations')).sort()
        const note = `at ${names.at(-1)}`
        const wanted = `${databaseId} ${names.join(' ')}`
        if (state.get('migrations') === wanted) return { changed: false, note }
        await cloudflare().wrangler('d1', 'migrations', 'apply', name, '--remote')
        state.set('migrations', wanted)
        return { changed: true, note }
      },
    },
    {
      name: 'Worker',
      effect: 'uploads the Worker with its secrets; an upgrade that is not ready is rolled back',
      cost: 'depends on usage (docs/deploying.md)',
      run: () => deployment.worker(secrets),
    },
    {
      name: 'pages',
      effect: `creates the Pages project ${projectName(name)} if it does not exist, uploads the pages, and serves them at ${origin}`,
      cost: 'nothing for files; a forwarded request counts as one more',
      run: () => deployment.pages(),
    },
    {
      name: 'check',
      effect: `waits until ${origin} serves both; otherwise rolls back the pages, then the Worker. Keeps the current deployment of the pages and the one before, and deletes older ones`,
      cost: 'nothing',
      run: () => deployment.check(),
    },
    {
      name: 'first passcode',
      effect: 'creates a passcode for one account',
      cost: 'nothing',
      run: () => createFirstPasscode(cloudflare(), state, databaseId, secrets, now()),
    },
    {
      name: 'test payment',
      effect: config.testPayment
        ? `lets your agent pay ${config.testPayment.amount} USDC to ${config.testPayment.to}, once`
        : 'nothing: the target’s testPayment is not set',
      cost: config.testPayment ? `${config.testPayment.amount} USDC, and the gas` : 'nothing',
      run: () => payOnce(config, state, environment),
    },
  ]
}

/** Serves the previous version of one half again, if there is one. Returns what is served now. */
export function rollBack(
  config: ProductionConfig,
  state: State,
  options: ProductionOptions,
  half: Half,
): Promise<string> {
  const { environment, waiting = usualWaiting } = options
  const cloudflare = () => openCloudflare(config.accountId, state, environment)
  return halves({ cloudflare, state, name: config.name, origin: config.origin, waiting }).rollBack(half)
}

/**
 * The Worker's variables. Undefined removes wrangler.toml's public node: that name is a secret here, so it must not be a
 * variable as well.
 */
export function productionVariables(
  config: ProductionConfig,
  chainId: ChainId,
  contractSets: ContractSets,
): Record<string, string | undefined> {
  const { origin, chain, relayer, email, sms, operators } = config
  return {
    ENVIRONMENT: 'production',
    API_ORIGIN: origin,
    APP_ORIGIN: origin,
    ...(config.betaAccessUrl && { BETA_ACCESS_URL: config.betaAccessUrl }),
    PRIMARY_CHAIN: String(chainId),
    [`EXPLORER_URL_${chainId}`]: chain.explorerUrl,
    [`PUBLIC_RPC_URL_${chainId}`]: chain.publicRpcUrl,
    [`RPC_URLS_${chainId}`]: undefined,
    CONTRACTS_8453: '{}',
    CONTRACTS_84532: '{}',
    [`CONTRACTS_${chainId}`]: contractSetting(contractSets),
    ...(chain.sanctionsOracle && { [`SANCTIONS_ORACLE_${chainId}`]: chain.sanctionsOracle }),
    CONFIRM_DEPTH: String(chain.confirmDepth),
    RELAYER_SHARDS: String(relayer.shards),
    SIGN_UP: config.signUp,
    EMAIL_PROVIDER: email.provider,
    MAIL_FROM: email.from,
    ...(sms && {
      SMS_COUNTRIES: sms.countries.join(','),
      TWILIO_ACCOUNT_SID: sms.accountSid,
      TWILIO_FROM: sms.from,
    }),
    ACCESS_TEAM_ORIGIN: operators.accessTeamOrigin,
    ACCESS_AUDIENCE: operators.accessAudience,
    ...(config.alertEmail && { ALERT_EMAIL: config.alertEmail }),
    ...(config.walletConnectProjectId && { WALLETCONNECT_PROJECT_ID: config.walletConnectProjectId }),
    ...(config.limits && { LIMITS: JSON.stringify(config.limits) }),
  }
}

/** Throws LaunchError with the problems that the Worker would find at start. `workerConfig` is the JSON for wrangler. */
export function checkSettings(workerConfig: string, secrets: Secrets): void {
  const { vars, send_email = [] } = JSON.parse(workerConfig) as {
    vars: Record<string, string>
    send_email?: { name: string }[]
  }
  const bound = [
    ...['DB', 'BACKUP', 'TREASURY', 'HISTORY', 'CLAIM_DESK', 'RELAYER', 'WEBHOOK_SENDER', 'SERVICE_STOPS'],
    ...['MESSAGE_COUNTER', 'WATCH'],
    ...send_email.map(({ name }) => name),
  ]
  const bindings = Object.fromEntries(bound.map((name) => [name, {}]))
  const problems = settingProblems({ ...vars, ...secrets, ...bindings } as unknown as Env)
  if (problems.length > 0) throw new LaunchError(problems.map(({ name, problem }) => `${name} ${problem}`).join('; '))
}
