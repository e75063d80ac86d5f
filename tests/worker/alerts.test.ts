import { applyD1Migrations } from 'cloudflare:test'
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { checkAlerts } from '../../worker/alerts/checkAlerts.ts'
import { markBusy, markIdle } from '../../worker/db/busyTreasuries.ts'
import { primaryDb } from '../../worker/db/d1.ts'
import { listDevMessages } from '../../worker/db/messages.ts'
import type { Env } from '../../worker/env.ts'
import { messageProviderFrom } from '../../worker/notifications/messageProvider.ts'
import { relayerAccount } from '../../worker/relayer/account.ts'
import { chain, manualChain, prepare } from '../support/payer.ts'
import { env } from './apiClient.ts'

// Alerts look at what every account left behind, so they have a database of their own: in the shared one, another file's
// Treasury may fail to send an email meanwhile.
const db = primaryDb(env.ALERTS_DB)
const webhook = 'https://hooks.example/alerts'
let now = Date.UTC(2026, 10, 20, 12)
let to: string
let posted: { text: string; condition: string; state: string }[]
let hookStatus = 200

beforeAll(async () => {
  await applyD1Migrations(env.ALERTS_DB, env.TEST_MIGRATIONS)
  await prepare()
})
let tests = 0
beforeEach(async () => {
  for (const table of ['alert', 'busy_treasury', 'message_failure'])
    await env.ALERTS_DB.prepare(`DELETE FROM ${table}`).run()
  for (const each of [chain, manualChain])
    await each.giveEther(relayerAccount(env.RELAYER_SEED_V1, each.chainId, 0).address, 10n ** 20n)
  to = `on-call-${++tests}@bursar.test`
  posted = []
  hookStatus = 200
  for (const method of ['warn', 'error'] as const) vi.spyOn(console, method).mockImplementation(() => undefined)
  const real = globalThis.fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    if (String(input) !== webhook) return real(input, init)
    posted.push(JSON.parse(String(init?.body)))
    return new Response(null, { status: hookStatus })
  })
})
afterEach(async () => {
  vi.restoreAllMocks()
  await manualChain.fault({ mode: 'none' })
})

/** The cron of the next minute. */
async function minute(changes: Partial<Env> = {}): Promise<void> {
  now += 60_000
  await checkAlerts({ ...env, ALERT_EMAIL: to, ALERT_WEBHOOK: webhook, ...changes } as Env, db, now)
}
/** What was announced of a condition. Only of this one: a node that is slow twice is an alert as well. */
const states = (key: string) =>
  posted.filter(({ condition }) => condition === key).map(({ condition, state }) => `${condition} ${state}`)
/** The mails about a condition, newest first. */
async function mailsAbout(key: string): Promise<string[]> {
  const mails = await listDevMessages(db, to, 100)
  return mails.map(({ text }) => text).filter((text) => text.includes(`Condition ${key} of`))
}

/** The condition starts, lasts, and ends: one alert for each. */
async function expectOneAlert(key: string, start: () => Promise<unknown>, end: () => Promise<unknown>) {
  await minute()
  expect(states(key)).toEqual([])
  await start()
  await minute()
  await minute()
  expect(states(key)).toEqual([`${key} started`])
  await minute()
  await minute()
  expect(states(key)).toEqual([`${key} started`])
  await end()
  await minute()
  await minute()
  expect(states(key)).toEqual([`${key} started`, `${key} ended`])
  expect(await mailsAbout(key)).toHaveLength(2)
}

test('a relayer that runs dry: one alert within two minutes, one when it is funded again @alerts-1', async () => {
  const { address } = relayerAccount(env.RELAYER_SEED_V1, 84532, 0)
  const balance = await manualChain.node('eth_getBalance', address, 'latest')
  await expectOneAlert(
    'relayer:84532:0',
    () => manualChain.node('anvil_setBalance', address, '0x0'),
    () => manualChain.node('anvil_setBalance', address, balance),
  )
  expect((await mailsAbout('relayer:84532:0'))[1]).toContain(
    `Base Sepolia, relayer 0: ${address} has less than 0.001 ETH`,
  )
})

test('a node that is down @alerts-2', async () => {
  await expectOneAlert(
    'network:84532',
    () => manualChain.fault({ mode: 'down' }),
    () => manualChain.fault({ mode: 'none' }),
  )
})

test('an account whose work does not move @alerts-3', async () => {
  await expectOneAlert(
    'treasuries_overdue',
    () => markBusy(db, 'usr_stuck', now - 200_000),
    () => markIdle(db, 'usr_stuck'),
  )
})

test('a mail provider that takes no message @alerts-4', async () => {
  const send = vi.fn(() => Promise.reject(new Error('down')))
  const settings = { ENVIRONMENT: 'production', MAIL_FROM: 'a@b.example', EMAIL: { send } } as unknown as Partial<Env>
  const provider = messageProviderFrom({ ...env, ...settings }, db, () => now)
  const message = { to: 'ann@bursar.test', channel: 'email', subject: 's', text: 't' } as const
  await expectOneAlert(
    'messages:email',
    () => expect(provider.send({ ...message, id: crypto.randomUUID() })).rejects.toThrow(),
    () => {
      send.mockImplementation((async () => ({ messageId: 'm' })) as never)
      return provider.send({ ...message, id: crypto.randomUUID() })
    },
  )
})

test('a moment’s trouble is no alert; a node that is down says nothing about the relayer', async () => {
  await manualChain.fault({ mode: 'down' })
  await minute()
  await manualChain.fault({ mode: 'none' })
  await minute()
  expect(states('network:84532')).toEqual([])

  const { address } = relayerAccount(env.RELAYER_SEED_V1, 84532, 0)
  const balance = await manualChain.node('eth_getBalance', address, 'latest')
  await manualChain.node('anvil_setBalance', address, '0x0')
  await minute()
  await minute()
  await manualChain.fault({ mode: 'down' })
  await minute()
  expect(states('relayer:84532:0')).toEqual(['relayer:84532:0 started'])
  await manualChain.fault({ mode: 'none' })
  await manualChain.node('anvil_setBalance', address, balance)
  await minute()
  expect(states('relayer:84532:0')).toEqual(['relayer:84532:0 started', 'relayer:84532:0 ended'])
})

test('an alert that nobody took is sent again @alerts-5', async () => {
  await markBusy(db, 'usr_stuck', now - 200_000)
  hookStatus = 500
  await minute({ ALERT_EMAIL: '' })
  await minute({ ALERT_EMAIL: '' })
  await minute({ ALERT_EMAIL: '' })
  hookStatus = 200
  await minute({ ALERT_EMAIL: '' })
  await minute({ ALERT_EMAIL: '' })
  expect(states('treasuries_overdue')).toEqual(Array(3).fill('treasuries_overdue started'))
})
