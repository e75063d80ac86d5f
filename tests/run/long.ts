/**
 * Runs that take too long for `npm test`.
 *
 *   npm run test:long             lists them
 *   npm run test:long <name> …    runs those, one after another, until one fails
 *   npm run test:long all         runs all of them
 *
 * Environment variables override the values below: `CHAOS_KILLS=50 npm run test:long kills`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { minuteMs } from '#domain/time.ts'
import { root } from '../../local/tools/runTool.ts'

type LongRun = { about: string; command: string[]; env?: Record<string, string> }

const vitest = (...args: string[]) => ['vitest', 'run', '--reporter=verbose', ...args]
const script = (name: string) => ['node', `tests/long/${name}.ts`]

const runs: Record<string, LongRun> = {
  kills: {
    about: 'the Worker is killed 500 times under load',
    command: vitest('--project', 'chaos', 'tests/chaos/crash.test.ts'),
    env: { CHAOS_KILLS: '500' },
  },
  'run-kills': {
    about:
      'the Worker is killed 500 times, and the chain reorganized 40 times, while a payout run of 1,000 rows is paid',
    command: vitest('--project', 'chaos', 'tests/chaos/runs.test.ts'),
    env: { RUN_KILLS: '500', RUN_REORGS: '40', RUN_ROWS: '1000' },
  },
  'payout-runs': {
    about: 'a run of 1,000 addresses is checked, approved and paid while another account pays',
    command: script('payoutRuns'),
  },
  'watch-day': {
    about: 'a day of 1,000 idle wallets that are read together, and a node that is behind',
    command: script('watchDay'),
  },
  restore: {
    about: 'the Worker is killed 30 times while one account with ten payments of each kind is restored',
    command: vitest('--project', 'stack', 'tests/stack/restore.test.ts', '--testTimeout=600000'),
    env: { RESTORE_KILLS: '30', RESTORE_COUNT: '10' },
  },
  'rotate-keys': {
    about: 'every secret gets another version in the middle of 30 kills under load',
    command: vitest('--project', 'chaos', 'tests/chaos/crash.test.ts'),
    env: { CHAOS_KILLS: '30', CHAOS_ROTATE: '1' },
  },
  'rotate-in-demo': {
    about: 'every secret gets another version in the middle of the demo',
    command: script('rotateInDemo'),
  },
  rotations: {
    about: 'workerd is killed during each of 60 rotations of a session key',
    command: vitest('--project', 'chaos', 'tests/chaos/rotation.test.ts'),
    env: { CHAOS_ROTATIONS: '60' },
  },
  reorganizations: {
    about: '40 random reorganizations under load, with kills and a node that fails',
    command: vitest('--project', 'chaos', 'tests/chaos/reorganization.test.ts'),
    env: { CHAOS_REORGS: '40' },
  },
  screens: {
    about:
      'all browser tests by mouse and by keyboard, each state with axe and Tab at four widths, large accounts and locales',
    command: ['playwright', 'test', '-c', 'tests/e2e/playwright.config.ts', '--reporter=list'],
    env: { SCREENS: 'all' },
  },
  connect: {
    about:
      'five unmodified clients with the URL only, and the authorization conformance suite, with a browser that consents',
    command: [
      ...['playwright', 'test', '-c', 'tests/e2e/playwright.config.ts', '--reporter=list', '--workers=1'],
      'tests/e2e/assistants.spec.ts',
    ],
    env: { CONNECT: 'all' },
  },
  'browser-costs': {
    about: 'what each file of browser tests costs in CPU seconds, one test at a time',
    command: script('browserCosts'),
  },
  worst: {
    about: 'the worst request of each route, from one connection, while another account reads and pays',
    command: script('worst'),
  },
  shared: {
    about: 'five programs of each client with copies of its tokens renew them for a day and stay connected',
    command: script('shared'),
  },
  'late-answers': {
    about: 'all browser tests, with requests and responses delayed at random',
    command: ['playwright', 'test', '-c', 'tests/e2e/playwright.config.ts', '--reporter=list'],
    env: { LATE_ANSWERS: '1' },
  },
  'fuzz-contracts': {
    about: 'contract tests with 20,000 inputs for each property, and 500 invariant runs',
    command: ['node', 'scripts/forge.ts', 'test'],
    env: { FOUNDRY_FUZZ_RUNS: '20000', FOUNDRY_INVARIANT_RUNS: '500', FOUNDRY_INVARIANT_DEPTH: '200' },
  },
  'fuzz-budgets': {
    about: '2,000 sequences of events against the Treasury’s budgets',
    command: vitest('--project', 'treasury', 'tests/treasury/budgets.test.ts'),
    env: { FUZZ_SEQUENCES: '2000' },
  },
  approvals: {
    about: '2,000 histories of approvals and grants, and an agent that asks 10,000 times',
    command: vitest('--project', 'treasury', 'tests/treasury/approvals.test.ts', '--testTimeout=600000'),
    env: { FUZZ_SEQUENCES: '2000', APPROVAL_ASKS: '10000' },
  },
  'second-person': {
    about: '2,000 sequences of one person with two mailboxes and five agents, below the limit of one person',
    command: vitest('--project', 'treasury', 'tests/treasury/onePerson.test.ts', '--testTimeout=600000'),
    env: { CASES: '20' },
  },
  'dry-runs': {
    about: '1,000 histories of dry runs, each compared with the payment that follows',
    command: vitest('--project', 'treasury', 'tests/treasury/check.test.ts', '--testTimeout=900000'),
    env: { CASES: '40' },
  },
  cases: {
    about: 'ten times the random digests, signatures, layouts and requests of npm test',
    command: vitest('--project', 'chain', '--project', 'web', '--project', 'gateway', '--testTimeout=600000'),
    env: { CASES: '10' },
  },
  conformance: {
    about: 'the MCP conformance suites with all ten scenarios of the tasks extension',
    command: vitest('--project', 'gateway', 'tests/gateway/conformance.test.ts'),
    env: { CONFORMANCE_LONG: '1' },
  },
  'lost-alarms': {
    about: 'the platform loses the alarm of 50 payments before it first runs, and the cron wakes their account',
    command: vitest('--project', 'worker', 'tests/worker/lateAlarms.test.ts'),
    env: { LOST_ALARMS: '50' },
  },
  drain: {
    about: 'one user tries everything that costs gas, storage or messages for a day',
    command: vitest('--project', 'worker', 'tests/worker/drain.test.ts'),
    env: { DRAIN_HOURS: '24', DRAIN_TRIES: '100' },
  },
  'relayer-retention': {
    about: 'the data that a Relayer keeps of 50,000 sends after eight days',
    command: vitest('--project', 'relayer', 'tests/worker/relayerRetention.test.ts'),
    env: { RETENTION_SENDS: '50000' },
  },
  'treasury-growth': {
    about: '200,000 payments of one account: time and bytes of each',
    command: vitest('--project', 'treasury', 'tests/treasury/growth.test.ts'),
    env: { GROWTH_PAYMENTS: '200000' },
  },
  million: { about: 'the overview, and accepting a payment, after a million payments', command: script('million') },
  dust: {
    about: '300,000 tiny transfers to an idle wallet, and to one that pays in every block',
    command: script('dust'),
  },
  purchases: {
    about: 'one agent buys 240 times in a day from an allowance of 50, and again while every second is never settled',
    command: script('purchases'),
  },
  sellers: {
    about: 'agents buy from mppx, a server of another vendor, on its x402 path',
    command: script('sellers'),
  },
  neighbor: {
    about: 'one account calls as fast as it can over 24 connections while another pays, signs in and claims',
    command: script('neighbor'),
  },
  filters: {
    about: 'one account filters a million transactions in three tabs while another pays',
    command: script('filters'),
  },
  'filters-apart': {
    about: 'the same while Histories run in a second workerd, and payments may take 1.2 times as long',
    command: [...script('filters'), 'apart'],
  },
  answers: {
    about: 'what each answer about 200,000 payments costs, and payments of another account meanwhile',
    command: script('answers'),
  },
  burst: {
    about: '2,000 accounts pay within one second, while D1 takes 50 ms for each call',
    command: script('burst'),
  },
  takeover: {
    about: 'guesses at codes and passwords for 30 days, from 100 addresses',
    command: vitest('--project', 'worker', 'tests/worker/takeover.test.ts'),
    env: { TAKEOVER_DAYS: '30', TAKEOVER_ADDRESSES: '100' },
  },
  launch: {
    about: 'launches interrupted after each step, restarted, upgraded while one half fails, and rolled back',
    command: vitest('--project', 'stack', 'tests/stack/launch'),
    env: { LAUNCH_LONG: '1' },
  },
  'launch-staging': {
    about: 'a launch to staging, on Base Sepolia’s chain id',
    command: vitest('--project', 'stack', 'tests/stack/launchProduction.test.ts'),
    env: { LAUNCH_CHAIN: '84532' },
  },
  skew: {
    about: 'this version and a newer one on one state, one after the other and together',
    command: script('skew'),
  },
  frameworks: {
    about: 'agents of OpenAI Agents, LangChain and Cloudflare Agents as docs/agents/ shows them, with scripted models',
    command: script('frameworks'),
  },
  'sdk-runtimes': {
    about: 'the packed SDK on Node 20, 22 and 24 and in workerd',
    command: script('sdkRuntimes'),
  },
  'vector-lines': {
    about: 'each case of sdk/vectors.json fails in both SDKs without the line that it names',
    command: script('vectorLines'),
  },
  spreadsheets: {
    about: 'LibreOffice opens every export with each separator, and finds no formula',
    command: script('spreadsheets'),
  },
  sample: { about: 'the month of `npm run dev -- --sample`, compared with the chain', command: script('sample') },
  stall: { about: 'hostile accounts next to honest users for five minutes of chain time', command: script('stall') },
  'contracts-invariants': { about: '1,000 invariant runs of 200 calls', command: script('contractsInvariants') },
  'contracts-mutation': { about: '300 mutants of the contracts; SEED, MUTANTS', command: script('contractsMutation') },
  'contracts-coverage': { about: 'lines and branches that contract tests reach', command: script('contractsCoverage') },
}

async function run(name: string): Promise<boolean> {
  const { command, env } = runs[name]!
  const [program, ...args] = command as [string, ...string[]]
  const startedAt = Date.now()
  console.log(`${name}: ${runs[name]!.about}`)
  const child = spawn(program, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...env, ...process.env, PATH: `${root}/node_modules/.bin:${process.env.PATH}` },
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  const minutes = ((Date.now() - startedAt) / minuteMs).toFixed(1)
  console.log(`${name}: ${code === 0 ? 'passed' : 'failed'} in ${minutes} min`)
  return code === 0
}

const chosen = process.argv.slice(2)
const names = chosen.includes('all') ? Object.keys(runs) : chosen
const unknown = names.filter((name) => !Object.hasOwn(runs, name))
if (names.length === 0 || unknown.length > 0) {
  if (unknown.length > 0) console.error(`no long run is named ${unknown.join(' or ')}`)
  console.log('npm run test:long <name> …, or all')
  for (const [name, { about }] of Object.entries(runs)) console.log(`  ${name.padEnd(22)}${about}`)
  process.exitCode = unknown.length > 0 ? 2 : 0
}
for (const name of unknown.length > 0 ? [] : names)
  if (!(await run(name))) {
    process.exitCode = 1
    break
  }
