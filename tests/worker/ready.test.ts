import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { primaryDb } from '../../worker/db/d1.ts'
import { recordPasskeyDomain } from '../../worker/db/keys.ts'
import type { Env } from '../../worker/env.ts'
import { relayerAccount } from '../../worker/relayer/account.ts'
import { runScheduled } from '../../worker/scheduled.ts'
import type { Settings } from '../../worker/settings.ts'
import { faultyOracles, oracleOn } from '../support/oracles.ts'
import { chain, manualChain, prepare } from '../support/payer.ts'
import { createApi, env, seed } from './apiClient.ts'

const production = {
  ENVIRONMENT: 'production',
  MAIL_FROM: 'hello@bursar.example',
  EMAIL_PROVIDER: 'resend',
  RESEND_API_KEY: 'secret-key',
  SMS_COUNTRIES: '',
} satisfies Partial<Env>

beforeAll(async () => {
  await seed()
  await prepare()
})
afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all([chain.fault({ mode: 'none' }), manualChain.fault({ mode: 'none' })])
})

let callers = 0
function ready(changes: Partial<Env> = {}, now?: number) {
  const api = createApi({ ...production, ...changes })
  if (now !== undefined) api.clock.now = now
  return api.call('GET', '/api/ready', { from: `198.51.100.${++callers % 250}` })
}
/** Returns the causes that are logged for operators. */
async function causesWith(changes: Partial<Env>, now?: number): Promise<string> {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const { status, json } = await ready(changes, now)
  expect(status).toBe(503)
  expect(json).toEqual({ success: false, error: 'This server is not ready.', code: 'unavailable' })
  const text = logged.mock.calls.flat().join(' ')
  logged.mockRestore()
  return text
}

const jwk = JSON.parse(env.JWT_PRIVATE_JWK)
const contracts = JSON.parse(env.CONTRACTS_8453)
const zeros = '0'.repeat(64)
/** A malformed value of every setting; null if any text is valid. */
const malformed: Record<keyof Settings, string | null> = {
  ENVIRONMENT: 'prod',
  API_ORIGIN: 'https://bursar.example/',
  APP_ORIGIN: 'http://bursar.example',
  BETA_ACCESS_URL: 'bursar.example',
  EXPLORER_URL_8453: 'https://basescan.org/',
  EXPLORER_URL_84532: 'basescan',
  PUBLIC_RPC_URL_8453: 'ftp://node.example',
  PUBLIC_RPC_URL_84532: ' ',
  RPC_URLS_8453: 'https://a.example,https://b.example,https://c.example',
  RPC_URLS_84532: 'https://a.example,,',
  PRIMARY_CHAIN: '1',
  CONTRACTS_8453: '{}',
  CONTRACTS_84532: JSON.stringify({ ...contracts, usdc: '0x12' }),
  SANCTIONS_ORACLE_8453: '0x12',
  SANCTIONS_ORACLE_84532: 'chainalysis',
  CONFIRM_DEPTH: '0',
  MAX_CLOCK_SKEW_SECONDS: '1.5',
  RELAYER_SHARDS: 'one',
  STOP_REGIONS: '{"weur":["weur"]}',
  LIMITS: '{"gasPerDya":1}',
  FEE_CEILINGS: '{"baseFee":"high"}',
  KEK_V1: '11'.repeat(31),
  PAYOUT_SECRET_V1: `${'22'.repeat(31)}zz`,
  ID_SECRET_V1: '66',
  RELAYER_SEED_V1: '33'.repeat(33),
  CODE_PEPPER: 'pepper',
  PASSWORD_PEPPER: ' '.repeat(64),
  KEYRINGS: '{"KEK":[{}]}',
  OPERATOR_KEY_V1: zeros,
  JWT_PRIVATE_JWK: JSON.stringify({ ...jwk, d: undefined }),
  JWT_PREVIOUS_JWK: JSON.stringify({ ...jwk, crv: 'P-384' }),
  PUSH_PRIVATE_JWK: JSON.stringify({ ...jwk, d: undefined }),
  PUSH_ENDPOINT: 'push.example',
  PASSKEY_DOMAIN: 'https://bursar.example',
  SIGN_UP: 'invite',
  ACCESS_TEAM_ORIGIN: 'https://team.example/',
  ACCESS_AUDIENCE: ' ',
  IDENTITY_DIRECTORY: 'ldap',
  COGNITO_REGION: ' ',
  COGNITO_USER_POOL_ID: ' ',
  COGNITO_CLIENT_ID: ' ',
  COGNITO_CLIENT_SECRET: ' ',
  COGNITO_ACCESS_KEY_ID: ' ',
  COGNITO_SECRET_ACCESS_KEY: ' ',
  COGNITO_ENDPOINT: ' ',
  ALERT_EMAIL: 'on-call',
  ALERT_WEBHOOK: 'http://hooks.example',
  MAIL_FROM: 'Bursar <hello@bursar.example>',
  EMAIL_PROVIDER: 'pigeon',
  EMAIL_ENDPOINT: 'http://mail.example',
  RESEND_API_KEY: ' ',
  RESEND_WEBHOOK_SECRET: 'a secret',
  TWILIO_ACCOUNT_SID: 'AC12',
  TWILIO_AUTH_TOKEN: ' ',
  TWILIO_FROM: ' ',
  SMS_ENDPOINT: 'sms.example',
  SMS_COUNTRIES: 'Germany',
  WALLETCONNECT_PROJECT_ID: ' ',
  COINBASE_ONRAMP_KEY_ID: ' ',
  COINBASE_ONRAMP_KEY_SECRET: ' ',
  COINBASE_ONRAMP_ENDPOINT: ' ',
}
/** Required settings: if one is missing or malformed, the Worker refuses all work. */
const core = [
  'ENVIRONMENT',
  'API_ORIGIN',
  'APP_ORIGIN',
  'EXPLORER_URL_8453',
  'EXPLORER_URL_84532',
  'PUBLIC_RPC_URL_8453',
  'PUBLIC_RPC_URL_84532',
  'RPC_URLS_8453',
  'RPC_URLS_84532',
  'CONTRACTS_8453',
  'CONTRACTS_84532',
  'CONFIRM_DEPTH',
  'RELAYER_SHARDS',
  'KEK_V1',
  'PAYOUT_SECRET_V1',
  'ID_SECRET_V1',
  'RELAYER_SEED_V1',
  'CODE_PEPPER',
  'PASSWORD_PEPPER',
  'JWT_PRIVATE_JWK',
] as const
/** Optional settings: if one is malformed, the Worker refuses all work. */
const strict = [
  'KEYRINGS',
  'PRIMARY_CHAIN',
  'FEE_CEILINGS',
  'SMS_COUNTRIES',
  'SIGN_UP',
  'PASSKEY_DOMAIN',
  'MAX_CLOCK_SKEW_SECONDS',
  'LIMITS',
  'STOP_REGIONS',
  'OPERATOR_KEY_V1',
  'JWT_PREVIOUS_JWK',
  'IDENTITY_DIRECTORY',
] as const
const others = (Object.keys(malformed) as (keyof Settings)[]).filter(
  (name) => !([...core, ...strict] as string[]).includes(name) && malformed[name] !== null,
)

test('a complete deployment is ready @ready-1', async () => {
  const { status, json } = await ready()
  expect([status, json]).toEqual([200, { success: true, data: { status: 'ready' } }])
})

/** Expects every call to be refused, with one log line that names the setting but not its value. */
async function expectRefusal(changes: Partial<Env>, name: string, value?: string) {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const api = createApi({ ...production, ...changes })
  for (const [method, path] of [
    ['GET', '/api/config'],
    ['GET', '/api/health'],
    ['POST', '/v1/payments'],
    ['POST', '/oauth/token'],
    ['POST', '/api/auth/cognito/login'],
  ] as const) {
    const { status, text } = await api.call(method, path)
    expect(status, `${path} ${text}`).toBe(503)
    expect(text).not.toContain(name)
  }
  const lines = logged.mock.calls.map((parts) => parts.join(' '))
  expect(lines).toHaveLength(5)
  expect(lines[0]).toContain(`settings: ${name} `)
  if (value && value.length > 8) expect(lines.join('\n')).not.toContain(value)
  logged.mockClear()
  await runScheduled({ ...env, ...production, ...changes } as Env, Date.now())
  expect(logged.mock.calls.map((parts) => parts.join(' '))).toEqual([expect.stringContaining(`settings: ${name} `)])
  logged.mockRestore()
  expect(await causesWith(changes)).toContain(name)
}

describe('settings that stop the Worker @ready-2', () => {
  test.each(core)('the Worker refuses all work without %s', async (name) => {
    await expectRefusal({ [name]: undefined }, name)
    await expectRefusal({ [name]: '' }, name)
  })
  test.each([...core, ...strict])('the Worker refuses all work with a malformed %s', async (name) => {
    await expectRefusal({ [name]: malformed[name]! }, name, malformed[name]!)
  })
  test.each(['DB', 'TREASURY', 'CLAIM_DESK', 'RELAYER', 'SERVICE_STOPS', 'MESSAGE_COUNTER', 'WATCH'] as const)(
    'the Worker refuses all work without the binding %s',
    async (name) => {
      await expectRefusal({ [name]: undefined } as unknown as Partial<Env>, name)
    },
  )
  test.each([
    ['not JSON', '{'],
    ['an RSA key', JSON.stringify({ kty: 'RSA', n: 'AQAB', e: 'AQAB', kid: 'a' })],
    ['a key without kid', JSON.stringify({ ...jwk, kid: undefined })],
    ['a key with a short part', JSON.stringify({ ...jwk, d: 'AQAB' })],
    ['null', 'null'],
  ])('the Worker refuses all work with %s as signing key', (_, value) =>
    expectRefusal({ JWT_PRIVATE_JWK: value }, 'JWT_PRIVATE_JWK', value),
  )
})

describe('settings that make the server not ready @ready-3', () => {
  test.each(others)('the server is not ready but keeps working with a malformed %s', async (name) => {
    const changes = { [name]: malformed[name]! }
    expect(await causesWith(changes)).toContain(name)
    expect((await createApi({ ...production, ...changes }).call('GET', '/api/config')).status).toBe(200)
  })
  test.each<[string, Partial<Env>]>([
    ['MAIL_FROM', { MAIL_FROM: '' }],
    ['EMAIL', { EMAIL_PROVIDER: 'cloudflare' }],
    ['RESEND_API_KEY', { RESEND_API_KEY: '' }],
    ['TWILIO_AUTH_TOKEN', { SMS_COUNTRIES: 'US' }],
    ['SMS_COUNTRIES', { SMS_COUNTRIES: '*' }],
    ['TWILIO_FROM', { TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`, TWILIO_AUTH_TOKEN: 'token' }],
    ['COGNITO_USER_POOL_ID', { IDENTITY_DIRECTORY: 'cognito', COGNITO_REGION: 'eu-west-1' }],
    ['ACCESS_AUDIENCE', { ACCESS_TEAM_ORIGIN: 'https://team.example' }],
    ['COINBASE_ONRAMP_KEY_SECRET', { COINBASE_ONRAMP_KEY_ID: 'id' }],
  ])('the server is not ready without %s where it is needed', async (name, changes) => {
    expect(await causesWith(changes)).toMatch(new RegExp(`${name} (is|must)`))
  })
})

describe('readiness when the network contradicts the settings @ready-4', () => {
  test('the server is not ready if a node is on another chain', async () => {
    expect(await causesWith({ RPC_URLS_8453: env.RPC_URLS_84532, CONTRACTS_84532: '{}' })).toContain(
      'Base, node 1: its chain is 84532, not 8453',
    )
  })
  test.each(Object.keys(contracts))(
    'the server is not ready if there is no code at the address of %s',
    async (name) => {
      const moved = JSON.stringify({ ...contracts, [name]: `0x${'de'.repeat(20)}` })
      expect(await causesWith({ CONTRACTS_8453: moved })).toContain(
        `Base, node 1: there is no code at the address of ${name}`,
      )
    },
  )
  test('the server is not ready if there is no sanctions oracle at its address, or another contract @screening-9', async () => {
    const oracle = await oracleOn(chain)
    expect((await ready({ SANCTIONS_ORACLE_8453: oracle.address })).status).toBe(200)
    const problem = 'Base, node 1: the contract of SANCTIONS_ORACLE_8453 does not respond, so nobody can be paid'
    expect(await causesWith({ SANCTIONS_ORACLE_8453: contracts.usdc })).toContain(problem)
    for (const kind of faultyOracles) {
      await oracle.become(kind)
      expect(await causesWith({ SANCTIONS_ORACLE_8453: oracle.address }), kind).toContain(problem)
    }
  })
  test('the server is not ready if a contract of an older set is gone @sets-12', async () => {
    const older = { ...contracts, escrow: `0x${'de'.repeat(20)}` }
    const setting = JSON.stringify({ newest: 2, sets: { 1: older, 2: contracts } })
    const causes = await causesWith({ CONTRACTS_8453: setting })
    expect(causes).toContain('Base, node 1: there is no code at the address of escrow of set 1')
    expect(causes).not.toContain('of set 2')
  })
  test('the server is not ready if only the second node is down', async () => {
    const urls = `${env.RPC_URLS_8453},http://127.0.0.1:1/v2/a-key`
    const causes = await causesWith({ RPC_URLS_8453: urls })
    expect(causes).toContain('Base, node 2: RpcUnavailable')
    expect(causes).not.toContain('a-key')
  })
  test('the server is not ready if the newest block is too old', async () => {
    const inTenMinutes = (await chain.timestamp()) * 1000 + 600_000
    expect(await causesWith({ MAX_CLOCK_SKEW_SECONDS: '900' }, inTenMinutes)).toMatch(
      /Base, node 1: its newest block is (59\d|60\d) s old/,
    )
  })
  test('the server is not ready while a relayer lacks ETH', async () => {
    const { address } = relayerAccount(env.RELAYER_SEED_V1, 84532, 0)
    const balance = await manualChain.node('eth_getBalance', address, 'latest')
    await manualChain.node('anvil_setBalance', address, '0x1')
    expect(await causesWith({})).toContain(`Base Sepolia, relayer 0: ${address} has less than 0.001 ETH`)
    await manualChain.node('anvil_setBalance', address, balance)
    expect((await ready()).status).toBe(200)
  })
  test('the server is not ready if a migration of D1 is missing', async () => {
    const batch = () => Promise.reject(new Error('D1_ERROR: no such column: user.temporary_since: SQLITE_ERROR'))
    const DB = { withSession: () => ({ prepare: env.DB.prepare.bind(env.DB), batch, getBookmark: () => null }) }
    expect(await causesWith({ DB: DB as unknown as D1Database })).toContain('database: no such column: user.temporary')
  })
})

test('on a local stack the reply says why the server is not ready', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const local = await ready({ ENVIRONMENT: 'local', TWILIO_FROM: '+1', TWILIO_AUTH_TOKEN: 't' })
  expect(local.json).toMatchObject({ causes: ['TWILIO_ACCOUNT_SID is missing: Twilio needs it'] })
})

test('readiness checks from one network address are rate limited', async () => {
  const api = createApi(production)
  const statuses: number[] = []
  for (let i = 0; i < 22; i++) statuses.push((await api.call('GET', '/api/ready', { from: '203.0.113.9' })).status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(20)
  expect(statuses.slice(20)).toEqual([429, 429])
})

test('the domain of passkeys is the one under which money was kept first @send-on-12', async () => {
  const causes = (PASSKEY_DOMAIN: string) => causesWith({ PASSKEY_DOMAIN })
  const isReady = async () => (await ready({ PASSKEY_DOMAIN: 'bursar.example' })).status
  expect(await isReady()).toBe(200)
  await recordPasskeyDomain(primaryDb(env.DB), 'bursar.example', 1)
  await recordPasskeyDomain(primaryDb(env.DB), 'other.example', 2)
  expect(await isReady()).toBe(200)
  expect(await causes('other.example')).toContain('PASSKEY_DOMAIN is not bursar.example')
  expect(await causes('')).toContain('PASSKEY_DOMAIN is not bursar.example')
  await env.DB.prepare("DELETE FROM key_version WHERE name = 'PASSKEY_DOMAIN'").run()
})
