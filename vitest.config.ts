import { existsSync } from 'node:fs'
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { defineConfig, defineProject } from 'vitest/config'

/** Libraries of many files, read as one each: a test file would ask for hundreds of modules, one by one. */
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
  'drizzle-orm/sqlite-core',
  'hono',
  'hono/body-limit',
  'hono/cors',
  'hono/factory',
  'hono/html',
  'hono/http-exception',
  'hono/method-not-allowed',
  'hono/request-id',
  'jose',
  'viem',
  'viem/accounts',
  'viem/utils',
  'zod',
]

/** Runs in workerd, with what the setup starts: chains and bindings of tests/support/workerSetup.ts, or others. */
const inWorkerd = (
  name: string,
  configPath: string,
  include: string[],
  exclude: string[] = [],
  globalSetup = './tests/support/workerSetup.ts',
) =>
  defineProject({
    plugins: [
      cloudflareTest(async ({ inject }) => ({
        wrangler: { configPath },
        miniflare: {
          bindings: {
            ...inject('workerBindings'),
            TEST_MIGRATIONS: existsSync('migrations') ? await readD1Migrations('migrations') : [],
          },
        },
      })),
    ],
    // Test runs side by side do not share what they bundle: one would clear the folder that another reads.
    cacheDir: `node_modules/.vite-${name}${process.env.TEST_RUN ?? ''}`,
    test: {
      name,
      include,
      exclude,
      globalSetup,
      testTimeout: 60_000, // on a busy machine
      // One workerd for all files: each starting its own costs a quarter of the time. Tests make what they look at.
      isolate: false,
      deps: { optimizer: { ssr: { enabled: true, include: bundled } } },
    },
  })

const overHttp = (name: string, testTimeout = 120_000, globalSetup: string[] = []) =>
  defineProject({
    test: {
      name,
      globalSetup,
      include: [`tests/${name}/**/*.test.ts`],
      testTimeout,
      hookTimeout: 120_000,
      fileParallelism: false,
    },
  })

const relayerTests = 'tests/worker/relayer*.test.ts'
const directoryTests = 'tests/worker/directory*.test.ts'

export default defineConfig({
  test: {
    projects: [
      // Properties are tried hundreds of times, on a machine that others use as well.
      { test: { name: 'domain', include: ['tests/domain/**/*.test.ts'], testTimeout: 30_000 } },
      { test: { name: 'web', include: ['tests/web/**/*.test.ts'], testTimeout: 30_000 } },
      { test: { name: 'chain', include: ['tests/chain/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000 } },
      // The whole product as `npm run dev` starts it, over HTTP; one file at a time.
      overHttp('stack'),
      // The same while it is killed and restarted. CHAOS_KILLS=500 for the long run.
      overHttp('chaos', 180_000),
      // Clients that agents really use, unmodified, against one stack for all files.
      overHttp('gateway', 60_000, ['./tests/support/gatewaySetup.ts']),
      // The Relayer beside a Treasury that only listens.
      inWorkerd('relayer', './tests/worker/relayer.wrangler.toml', [relayerTests]),
      inWorkerd('worker', './wrangler.toml', ['tests/worker/**/*.test.ts'], [relayerTests, directoryTests]),
      // Both identity directories: D1's, and Cognito's against an emulator of AWS.
      inWorkerd('directory', './wrangler.toml', [directoryTests], [], './tests/support/directorySetup.ts'),
    ],
  },
})
