import { existsSync } from 'node:fs'
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { defineConfig, defineProject } from 'vitest/config'
import { patient } from './tests/support/patience.ts'

/** Libraries with many files, each bundled into one. Otherwise a test file would request hundreds of modules, one by one. */
const bundled = [
  '@hono/zod-validator',
  '@modelcontextprotocol/server',
  '@noble/curves/secp256k1',
  '@noble/hashes/hkdf',
  '@noble/hashes/sha2',
  '@noble/hashes/sha3',
  '@noble/hashes/utils',
  'drizzle-orm',
  'drizzle-orm/d1',
  'drizzle-orm/durable-sqlite',
  'drizzle-orm/sqlite-core',
  'hono',
  'hono/body-limit',
  'hono/cors',
  'hono/factory',
  'hono/html',
  'hono/http-exception',
  'hono/method-not-allowed',
  'hono/request-id',
  'hono/route',
  'jose',
  'libphonenumber-js/max',
  'viem',
  'viem/accounts',
  'viem/utils',
  'zod',
]

/**
 * By default workerd evicts an object that was idle for ten seconds, and with it the clock or the node that a test gave it.
 * Tests that need a new object evict the old one themselves.
 */
const keptAlive = (className: string) => ({ className, useSQLite: true, unsafePreventEviction: true })
const paymentObjects = { TREASURY: keptAlive('Treasury'), RELAYER: keptAlive('Relayer') }
const allObjects = {
  ...paymentObjects,
  HISTORY: keptAlive('History'),
  CLAIM_DESK: keptAlive('ClaimDesk'),
  WEBHOOK_SENDER: keptAlive('WebhookSender'),
  SERVICE_STOPS: keptAlive('ServiceStops'),
  MESSAGE_COUNTER: keptAlive('MessageCounter'),
  WATCH: keptAlive('Watch'),
}

type InWorkerd = {
  configPath?: string
  include: string[]
  exclude?: string[]
  /** Starts what the tests run against, and provides their bindings. */
  globalSetup?: string
  setupFiles?: string[]
  objects?: Partial<typeof allObjects>
}

const inWorkerd = (
  name: string,
  {
    configPath = './wrangler.toml',
    include,
    exclude = [],
    globalSetup = './tests/support/workerSetup.ts',
    setupFiles = [],
    objects = allObjects,
  }: InWorkerd,
) =>
  defineProject({
    plugins: [
      cloudflareTest(async ({ inject }) => ({
        wrangler: { configPath },
        miniflare: {
          durableObjects: objects,
          bindings: {
            ...inject('workerBindings'),
            TEST_MIGRATIONS: existsSync('migrations') ? await readD1Migrations('migrations') : [],
          },
        },
      })),
    ],
    // Parallel runs do not share their bundles: one would clear the folder that another reads.
    cacheDir: `node_modules/.vite-${name}${process.env.TEST_HALF ?? ''}`,
    test: {
      name,
      include,
      exclude,
      globalSetup,
      setupFiles: ['./tests/support/endOfFile.ts', ...setupFiles],
      testTimeout: patient(120_000),
      hookTimeout: patient(60_000),
      // One workerd for all files: one for each would cost a quarter of the time. endOfFile.ts separates them.
      isolate: false,
      deps: { optimizer: { ssr: { enabled: true, include: bundled } } },
    },
  })

type InNode = { testMs: number; globalSetup?: string[]; setupFiles?: string[]; fileParallelism?: boolean }

/** In Node, with a few processes for all files: starting one and loading viem for each would take a third of the time. */
const inNode = (name: string, { testMs, ...options }: InNode) =>
  defineProject({
    test: {
      name,
      include: [`tests/${name}/**/*.test.ts`],
      testTimeout: patient(testMs),
      hookTimeout: patient(120_000),
      isolate: false,
      ...options,
    },
  })

const overHttp = (name: string, testMs = 120_000, globalSetup: string[] = []) =>
  inNode(name, { globalSetup, setupFiles: ['./tests/support/connections.ts'], testMs, fileParallelism: false })

const relayerTests = 'tests/worker/relayer*.test.ts'
const directoryTests = ['tests/worker/directory*.test.ts', 'tests/worker/passwordCost.test.ts']

export default defineConfig({
  test: {
    // Limits for a quiet machine; tests/support/patience.ts multiplies them.
    expect: { poll: { timeout: patient(10_000) } },
    tags: [{ name: 'all', description: 'runs only in `npm test -- --all`' }],
    projects: [
      // Property tests run hundreds of cases, possibly on a busy machine.
      inNode('domain', { testMs: 30_000 }),
      // The Treasury's tables and rules over SQLite in memory.
      inNode('treasury', { testMs: 60_000 }),
      inNode('web', { setupFiles: ['./tests/support/globals.ts'], testMs: 30_000 }),
      inNode('chain', { testMs: 60_000 }),
      // What message vendors receive and send, checked with their own SDKs and other implementations.
      inNode('messages', { globalSetup: ['./tests/support/clientsSetup.ts'], testMs: 60_000 }),
      // The whole product as `npm run dev` starts it, over HTTP; one file at a time.
      overHttp('stack'),
      // The same while it is killed and restarted. CHAOS_KILLS=500 for the long run.
      overHttp('chaos', 180_000),
      // Unmodified clients that agents really use, against one stack for all files.
      overHttp('gateway', 120_000, ['./tests/support/gatewaySetup.ts']),
      // Times that the product promises, measured while nothing else runs.
      overHttp('promised', 120_000, ['./tests/support/gatewaySetup.ts']),
      // The Relayer with a Treasury that only records its reports.
      inWorkerd('relayer', {
        configPath: './tests/worker/relayer.wrangler.toml',
        include: [relayerTests],
        objects: paymentObjects,
      }),
      inWorkerd('worker', {
        include: ['tests/worker/**/*.test.ts'],
        exclude: [relayerTests, ...directoryTests],
        setupFiles: ['./tests/support/cheapPasswords.ts'],
      }),
      // Both identity directories: D1, and Cognito against an AWS emulator; and password hashes at production's cost.
      inWorkerd('directory', { include: directoryTests, globalSetup: './tests/support/directorySetup.ts' }),
    ],
  },
})
