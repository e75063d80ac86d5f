import { runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { hourMs, minuteMs } from '#domain/time.ts'
import { checkAlerts } from '../../worker/alerts/checkAlerts.ts'
import { primaryDb } from '../../worker/db/d1.ts'
import { finishRun, insertRun } from '../../worker/db/exports.ts'
import { listDevMessages } from '../../worker/db/messages.ts'
import { openTroubles, recordLostAlarm, recordTrouble } from '../../worker/db/troubles.ts'
import { changeRestore, openRestore, startRestore } from '../../worker/db/userRestores.ts'
import { markBusy, markIdle, writeWebhookWork } from '../../worker/db/watchdog.ts'
import type { Env } from '../../worker/env.ts'
import { messageProviderFrom } from '../../worker/notifications/messageProvider.ts'
import { relayerAccount } from '../../worker/relayer/account.ts'
import type { Relayer } from '../../worker/relayer/relayer.ts'
import { runScheduled } from '../../worker/scheduled.ts'
import type { AlarmKind } from '../../worker/treasury/core/context.ts'
import { shard } from '../../worker/treasury/core/relayers.ts'
import { storage } from '../../worker/treasury/outbox/delivery/troubles.ts'
import { usdc } from '../support/build.ts'
import { historyRows, syncHistory } from '../support/histories.ts'
import { becomes, changeNode } from '../support/manualClock.ts'
import { accepted, chain, createPayer, manualChain, type Payer, prepare, until } from '../support/payer.ts'
import { serveUrl } from '../support/serveUrl.ts'
import { inTreasury, runNow } from '../support/treasuries.ts'
import { env } from './apiClient.ts'

const db = primaryDb(env.DB)
const webhook = 'https://hooks.example/alerts'
/** Stays ahead of the machine's clock: objects created on that clock continue on this one. */
let now = Date.now()
let to: string
let posted: { text: string; condition: string; state: string; command: string }[]
let hookStatus = 200

beforeAll(async () => {
  await prepare()
  payer = await createPayer({ on: manualChain })
  await inTreasury(payer, ({ context }) => {
    context.now = () => now
    shard(context).number = 1
    context.store.setMeta('busy_reported_at', 0)
  })
  await manualChain.giveEther(relayerAccount(env.RELAYER_SEED_V1, 84532, 1).address, 10n ** 20n)
  await setRelayerClock()
})
/** The runtime evicts an object that is idle for ten seconds. The next instance starts with the machine's clock. */
const setRelayerClock = () =>
  runInDurableObject(relayer(), (object: Relayer) => {
    object.clock = { now: () => now }
  })
/** This payer's Treasury uses the clock of these tests and sends through a separate Relayer. */
let payer: Payer
const relayer = () => env.RELAYER.getByName('84532:1')
const twoShards = { RELAYER_SHARDS: '2' }
let tests = 0
beforeEach(async () => {
  for (const table of ['alert', 'busy_treasury', 'message_failure', 'object_trouble', 'webhook_work'])
    await env.DB.prepare(`DELETE FROM ${table}`).run()
  for (const each of [chain, manualChain])
    await each.giveEther(relayerAccount(env.RELAYER_SEED_V1, each.chainId, 0).address, 10n ** 20n)
  to = `on-call-${++tests}@bursar.test`
  posted = []
  hookStatus = 200
  for (const method of ['warn', 'error'] as const) vi.spyOn(console, method).mockImplementation(() => undefined)
  serveUrl(webhook, async (request) => {
    posted.push(await request.json())
    return new Response(null, { status: hookStatus })
  })
})
afterEach(async () => {
  vi.restoreAllMocks()
  await manualChain.fault({ mode: 'none' })
})

const settings = (changes: Partial<Env> = {}) =>
  ({ ...env, ALERT_EMAIL: to, ALERT_WEBHOOK: webhook, ...changes }) as Env
/** Checks alerts one minute later. */
async function minute(changes: Partial<Env> = {}): Promise<void> {
  now += minuteMs
  await checkAlerts(settings(changes), db, now)
}
/** Runs the whole cron one minute later, which also wakes objects. */
async function cron(): Promise<void> {
  now += minuteMs
  await runScheduled(settings(), now)
}
/** Runs one kind of the Treasury's work now instead of at its alarm. */
async function work(kind: AlarmKind): Promise<void> {
  await runNow(payer, kind)
}
/** The states announced for one condition. Others are left out: a node that is slow twice also raises an alert. */
const states = (key: string) =>
  posted.filter(({ condition }) => condition === key).map(({ condition, state }) => `${condition} ${state}`)
/** The mails about a condition, newest first. */
async function mailsAbout(key: string): Promise<string[]> {
  const mails = await listDevMessages(db, to, 100)
  return mails.map(({ text }) => text).filter((text) => text.includes(`Condition ${key} of`))
}

/** Expects one alert when the condition starts, none while it lasts, and one when it ends. */
async function expectOneAlert(
  key: string,
  start: () => Promise<unknown>,
  end: () => Promise<unknown>,
  changes: Partial<Env> = {},
) {
  await minute(changes)
  expect(states(key)).toEqual([])
  await start()
  await minute(changes)
  await minute(changes)
  expect(states(key)).toEqual([`${key} started`])
  await minute(changes)
  await minute(changes)
  expect(states(key)).toEqual([`${key} started`])
  await end()
  await minute(changes)
  await minute(changes)
  expect(states(key)).toEqual([`${key} started`, `${key} ended`])
  expect(await mailsAbout(key)).toHaveLength(2)
}

test('a relayer that runs out of ETH raises one alert within two minutes, and one when it is funded again @alerts-1', async () => {
  const { address } = relayerAccount(env.RELAYER_SEED_V1, 84532, 0)
  const balance = await manualChain.node('eth_getBalance', address, 'latest')
  await expectOneAlert(
    'relayer:84532:0',
    () => manualChain.node('anvil_setBalance', address, '0x0'),
    () => manualChain.node('anvil_setBalance', address, balance),
  )
  expect(posted[0]).toMatchObject({ command: 'npm run ops -- status' })
  const [, mail] = await mailsAbout('relayer:84532:0')
  expect(mail).toContain('Look with: npm run ops -- status. The section relayer of Operations')
  expect(mail).toContain(`Base Sepolia, relayer 0: ${address} has less than 0.001 ETH`)
})

test('a node that is down raises an alert until it recovers @alerts-2', async () => {
  await expectOneAlert(
    'network:84532',
    () => manualChain.fault({ mode: 'down' }),
    () => manualChain.fault({ mode: 'none' }),
  )
})

test('an account with overdue work raises an alert until it is idle @alerts-3', async () => {
  await expectOneAlert(
    'treasuries_overdue',
    () => markBusy(db, 'usr_stuck', now - 200_000),
    () => markIdle(db, 'usr_stuck'),
  )
})

test('overdue webhook events raise an alert; planned attempts and those the cron has yet to wake do not @alerts-11', async () => {
  // Work that the cron has yet to wake raises no alert, nor does work whose next attempt is planned.
  await writeWebhookWork(db, 'usr_planned', now + hourMs)
  await expectOneAlert(
    'webhooks_overdue',
    () => writeWebhookWork(db, 'usr_late', now - 200_000),
    () => writeWebhookWork(db, 'usr_late', now + hourMs),
  )
  await writeWebhookWork(db, 'usr_late', now - 100_000)
  await minute()
  await minute()
  expect(states('webhooks_overdue')).toHaveLength(2)
})

test('a daily export that is late raises an alert until it finishes @restore-9', async () => {
  const run = (id: string, age: number) => ({ id, startedAt: now - age, finishedAt: now - age, kekVersion: 1 })
  await insertRun(db, run('1', 35 * hourMs))
  await expectOneAlert(
    'export_late',
    async () => {
      now += 2 * hourMs
      // Started but not finished.
      await insertRun(db, { ...run('2', 0), finishedAt: null })
    },
    () => finishRun(db, '2', now),
  )
})

test('an account that stays frozen for a restore raises its own alert, and none for overdue work @restore-12', async () => {
  await expectOneAlert(
    'restore_unfinished:usr_frozen',
    async () => {
      await startRestore(db, 'usr_frozen', 'rst_1', now - 3 * hourMs)
      await markBusy(db, 'usr_frozen', now - hourMs)
    },
    async () => {
      await markIdle(db, 'usr_frozen')
      await changeRestore(db, (await openRestore(db, 'usr_frozen'))!, { state: 'open' }, now)
    },
  )
  expect(states('treasuries_overdue')).toEqual([])
})

test('a mail provider that rejects messages raises an alert until it accepts one @alerts-4', async () => {
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

test('a one-minute outage raises no alert, and a node that is down does not end a relayer’s alert', async () => {
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

test('an alert that no channel accepted is sent again @alerts-5', async () => {
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

test('a wallet that Bursar halts because its node hides a log raises an alert until it resumes @alerts-6', async () => {
  let showLogs: () => Promise<unknown>
  const isHalted = () => inTreasury(payer, ({ context }) => context.store.wallet(payer.wallet.id)!.halt_kind !== null)
  await expectOneAlert(
    `wallet_halted:${payer.wallet.id}`,
    async () => {
      showLogs = await changeNode(payer, () => ({ logs: async () => [] }))
      await manualChain.mint(payer.wallet.address as `0x${string}`, usdc('7'))
      await manualChain.mine(2)
      await work('scan')
      now += 6 * minuteMs
      await work('scan') // reads everything that is not final again
      await manualChain.mine(5)
      now += minuteMs
      // The books now differ at a finalized block too. An alarm of the first scan may still be running.
      await until('the halt', async () => {
        await work('scan')
        return isHalted()
      })
      await work('outbox')
    },
    async () => {
      await showLogs()
      await until('the end of the halt', async () => {
        await work('scan')
        return !(await isHalted())
      })
      await work('outbox')
    },
  )
  const [, started] = await mailsAbout(`wallet_halted:${payer.wallet.id}`)
  expect(started).toContain(
    `wallet ${payer.wallet.id} of ${payer.userId} is halted: books: books of ${payer.wallet.id} at block`,
  )
})

test('the cron restores a lost alarm and alerts operators @alerts-7', async () => {
  const { id } = await accepted(payer)
  await until('the hash', async () => {
    const found = await payer.treasury().transaction(id)
    return found.ok && found.value.txHash
  })
  await work('outbox')
  await work('settle')
  const alarm = () => inTreasury(payer, (_, { storage }) => storage.getAlarm())
  await inTreasury(payer, (_, { storage }) => storage.deleteAlarm())
  for (let minutes = 0; minutes < 3; minutes++) {
    expect(await alarm()).toBeNull()
    await cron()
  }
  expect(await alarm(), 'it was set again').not.toBeNull()
  expect(states('alarms_lost')).toEqual([])
  await cron()
  await cron()
  expect(states('alarms_lost')).toEqual(['alarms_lost started'])
  expect((await mailsAbout('alarms_lost'))[0]).toContain(payer.userId)
  for (let minutes = 0; minutes < 10; minutes++) await cron()
  expect(states('alarms_lost')).toEqual(['alarms_lost started', 'alarms_lost ended'])
  await becomes(payer, id, 'CONFIRMED')
})

test('a Relayer that sends nothing because of fees raises an alert until it sends again @alerts-8', async () => {
  let payment: { id: string }
  const tooMuch = `0x${(10_000n * 10n ** 9n).toString(16)}`
  await expectOneAlert(
    'relayer_stalled:84532:1',
    async () => {
      await setRelayerClock()
      await manualChain.fault({ mode: 'forge', results: { eth_maxPriorityFeePerGas: tooMuch } })
      payment = await accepted(payer)
      // It may hold before this payment has reached it; from then on it is stalled.
      await until('the Relayer is stalled', async () => {
        now += 1
        const { holding, stalledMs } = await relayer().health()
        return holding !== null && stalledMs > 0
      })
    },
    async () => {
      await manualChain.fault({ mode: 'none' })
      await relayer().wakeUp()
    },
    twoShards,
  )
  const [, started] = await mailsAbout('relayer_stalled:84532:1')
  expect(started).toContain('1 job could be sent: the node asks for a priority fee of 10000 gwei, the ceiling is 2')
  await becomes(payer, payment!.id, 'CONFIRMED')
})

test('an account near its storage limit raises an alert @alerts-9', async () => {
  const limit = (bytes: number) =>
    inTreasury(payer, ({ context }) => {
      storage(context).largeBytes = bytes
    })
  await expectOneAlert(
    `account_size:${payer.userId}`,
    async () => {
      await limit(1)
      await work('scan')
      await work('outbox')
    },
    async () => {
      await limit(6_000_000_000)
      await work('scan')
      await work('outbox')
    },
  )
})

test('a History that is ahead of its Treasury for ten minutes raises an alert @alerts-13', async () => {
  await syncHistory(payer)
  const move = (changes: number) => historyRows(payer, 'UPDATE position SET seq = seq + ?', changes)
  const follow = async () => {
    await work('history')
    await work('outbox')
  }
  await move(1_000)
  await follow()
  await minute()
  await expectOneAlert(
    `history_late:${payer.userId}`,
    async () => {
      now += 10 * minuteMs
      await follow()
    },
    () => move(-1_000).then(follow),
  )
  const [, started] = await mailsAbout(`history_late:${payer.userId}`)
  expect(started).toContain('History has changes that were lost here')
})

test('a Relayer near its storage limit raises an alert @alerts-10', async () => {
  const { databaseBytes, maxDatabaseBytes } = await relayer().health()
  const limit = (bytes: number) =>
    runInDurableObject(relayer(), (object: Relayer) => {
      object.maxDatabaseBytes = bytes
    })
  await expectOneAlert(
    'relayer_size:84532:1',
    () => limit(databaseBytes + 1),
    () => limit(maxDatabaseBytes),
    twoShards,
  )
})

test('reports that arrive late are ignored, and a trouble keeps the time of its first report', async () => {
  const report = (edition: number, since: number, detail: string | null) =>
    recordTrouble(db, { kind: 'wallet_halted', subject: 'wal_1', userId: 'usr_1', edition, since, detail })
  const open = async () => (await openTroubles(db, now)).map(({ since, detail }) => [since, detail])
  await report(2, 200, 'books differ')
  await report(4, 400, 'books differ more')
  expect(await open()).toEqual([[200, 'books differ more']])
  await report(3, 300, null)
  expect(await open(), 'late').toEqual([[200, 'books differ more']])
  await report(5, 500, null)
  expect(await open()).toEqual([])
  await report(4, 400, 'books differ more')
  expect(await open(), 'late again').toEqual([])
  await report(6, 600, 'once more')
  expect(await open()).toEqual([[600, 'once more']])

  await recordLostAlarm(db, '8453:0', now - 1)
  expect(await open(), 'lost alarms are of the last minutes').toHaveLength(1)
  await recordLostAlarm(db, '8453:0', now)
  expect(await open()).toHaveLength(2)
})
