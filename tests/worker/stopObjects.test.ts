/** Stops and freezes while D1 or a stop object does not respond. serviceStop.test.ts covers what each mode stops. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { afterEach, expect, test } from 'vitest'
import { minuteMs } from '#domain/time.ts'
import { primaryDb } from '../../worker/db/d1.ts'
import { readStopRecord } from '../../worker/db/operatorControls.ts'
import type { Env } from '../../worker/env.ts'
import type { ServiceStopsApi } from '../../worker/stops/api.ts'
import { StopReader, stopReader } from '../../worker/stops/reader.ts'
import { syncStops } from '../../worker/stops/sync.ts'
import { createOpsApi } from '../support/accessStandIn.ts'
import { kill } from '../support/kill.ts'
import { accepted, createPayer, fresh, prepare } from '../support/payer.ts'
import { setDatabase, silentD1 } from '../support/silentDatabase.ts'
import { ownReader, setFreeze, setMode } from '../support/stops.ts'
import { inTreasury, setClock } from '../support/treasuries.ts'
import { env } from './apiClient.ts'

await prepare()
const { api, headers } = await createOpsApi('stop-objects')
const regions = ['weur', 'enam', 'apac'] as const
const object = (region: string) => env.SERVICE_STOPS.getByName(region)
const modes = async () => Promise.all(regions.map(async (region) => (await object(region).read()).mode))
const stop = async (body: { mode: string; from?: string }, changes: Partial<Env> = {}) =>
  api.call('POST', '/ops/api/stop', { headers: await headers(), body: { ...body, reason: 'drill' }, env: changes })
const record = async () => (await readStopRecord(primaryDb(env.DB))).stop.mode

const reject = () => Promise.reject(new Error('D1 is down'))
const failing = { bind: () => failing, all: reject, raw: reject, run: reject, first: reject }
const brokenD1 = { prepare: () => failing, batch: reject } as unknown as D1Database

/** What the stop objects use instead of D1. */
const setD1 = (DB: D1Database) => Promise.all(regions.map((region) => setDatabase(object(region), DB)))

/** The stop objects as the Worker reaches them; `calls` replaces those of one of them. */
function objectsWith(
  region: string,
  calls: (real: ServiceStopsApi) => Partial<Record<keyof ServiceStopsApi, unknown>>,
) {
  const getByName = (name: string) => {
    const real = object(name)
    if (name !== region) return real
    const changed = calls(real as unknown as ServiceStopsApi)
    return new Proxy(real, { get: (target, key) => Reflect.get(key in changed ? changed : target, key) })
  }
  return { SERVICE_STOPS: { getByName } } as unknown as Partial<Env>
}
const refuse = () => Promise.reject(new Error('the object does not respond'))
const silent = (region: string) => objectsWith(region, () => ({ report: refuse, write: refuse, confirm: refuse }))

afterEach(async () => {
  await setD1(env.DB)
  await setMode('none')
})

test('while D1 answers nothing for ten minutes, payments and claims succeed, a stop takes effect within ten seconds, and D1 gets its record later @stop-15', async () => {
  const payer = await createPayer()
  const to = { type: 'address', address: fresh('shop') } as const
  await payer.final((await accepted(payer, { to })).id)
  const payout = await accepted(payer, { to: { type: 'email', email: 'bob@example.com' } })
  await payer.payoutBecomes(payout.id, 'CREATED')
  await ownReader(payer)
  const at = (ms: number) => setClock(payer, () => Date.now() + ms)
  await setD1(brokenD1)
  await setDatabase(payer.treasury(), brokenD1)

  for (const ms of [0, 5 * minuteMs, 10 * minuteMs]) {
    await at(ms)
    const { id } = await accepted(payer, { to })
    expect((await payer.final(id)).status, `${ms}`).toBe('CONFIRMED')
  }
  const claim = { payoutId: payout.id, codeVersion: 1, to: fresh('bob') }
  expect(await payer.treasury().claim(claim)).toMatchObject({ ok: true })

  const stopped = await stop({ mode: 'sign' }, { DB: silentD1 })
  expect([stopped.status, stopped.json.data], stopped.text).toMatchObject([200, { mode: 'sign', unconfirmed: [] }])
  expect(await modes()).toEqual(['sign', 'sign', 'sign'])
  await at(10 * minuteMs + 10_000)
  expect(await payer.pay({ to })).toMatchObject({ ok: false, code: 'payments_paused' })
  expect(await record()).toBe('none')

  await setD1(env.DB)
  expect(await runDurableObjectAlarm(object('enam'))).toBe(true)
  expect(await record()).toBe('sign')
  const acts = "SELECT action, reason FROM operator_action WHERE action = 'service.stop'"
  expect((await env.DB.prepare(acts).all()).results).toEqual([{ action: 'service.stop', reason: 'drill' }])
  for (const region of regions) {
    expect((await object(region).report()).acts, region).toEqual([])
    expect(await runInDurableObject(object(region), (_, { storage }) => storage.getAlarm()), region).toBeNull()
  }
})

test('an object that did not answer a stop is named and told later, and until then nothing is lifted @stop-16', async () => {
  const stopped = await stop({ mode: 'all' }, silent('apac'))
  expect(stopped.json.data).toMatchObject({ mode: 'all', unconfirmed: ['apac'] })
  expect(await modes()).toEqual(['all', 'all', 'none'])
  const lifted = await stop({ mode: 'none', from: 'all' }, silent('apac'))
  expect([lifted.status, lifted.json.error]).toEqual([503, expect.stringContaining('Nothing was lifted: apac')])
  expect(await modes()).toEqual(['all', 'all', 'none'])
  await runDurableObjectAlarm(object('weur'))
  expect(await modes()).toEqual(['all', 'all', 'all'])
  expect((await stop({ mode: 'none', from: 'all' })).json.data).toMatchObject({ mode: 'none', unconfirmed: [] })
  const none = await stop({ mode: 'new' }, { SERVICE_STOPS: { getByName: () => ({ report: refuse }) } as never })
  expect([none.status, none.json.code]).toEqual([503, 'unavailable'])
})

test('a stop that arrives while another operator lifts the one before is kept @stop-22', async () => {
  await stop({ mode: 'new' })
  let hasStopped = false
  const meanwhile = objectsWith('weur', (real) => ({
    async write(input: Parameters<ServiceStopsApi['write']>[0]) {
      if (!hasStopped) {
        hasStopped = true
        expect((await stop({ mode: 'all' })).json.data.mode).toBe('all')
      }
      return real.write(input)
    },
  }))
  expect((await stop({ mode: 'none', from: 'new' }, meanwhile)).status).toBe(409)
  expect(await modes()).toEqual(['all', 'all', 'all'])
})

test('an object that lost its storage learns what is stopped from the others, and answers nothing if no one knows @stop-19', async () => {
  await stop({ mode: 'sign' })
  const lose = (region: string) =>
    runInDurableObject(object(region), async (_, { storage }) => {
      await storage.deleteAll()
      await storage.sync()
    }).then(() => kill(object(region)))
  await lose('apac')
  await setD1(brokenD1)
  expect((await object('apac').read()).mode).toBe('sign')

  for (const region of regions) await lose(region)
  await setD1(brokenD1)
  await expect(Promise.resolve(object('weur').read())).rejects.toThrow('neither D1 nor another object')
  await setD1(env.DB)
  expect((await object('weur').read()).mode, 'from the record').toBe('sign')
})

test('a Treasury that was rolled back waits for a reading of its own, however young that of its isolate is @restore-47', async () => {
  const payer = await createPayer()
  await payer.ledger()
  await stopReader(env).read(env)
  await setFreeze(payer.userId, 'rst_rolled_back')
  await kill(payer.treasury())
  await expect(Promise.resolve(payer.treasury().payAsAgent(payer.payment()))).rejects.toThrow('account_restoring')
})

test('a Treasury reads the object that serves its owner’s region, once it knows it @stop-23', async () => {
  const payer = await createPayer()
  const reader = () => inTreasury(payer, ({ context }) => context.stop.reader)
  expect(await reader(), 'not known yet').toBe(stopReader(env))
  const owner = { email: 'far@bursar.test', name: null, status: 'CONFIRMED', temporarySince: null } as const
  const times = { passwordAt: 1, createdAt: 1, updatedAt: 1 }
  await payer
    .treasury()
    .account()
    .keepOwner({ ...owner, publicAddress: null, region: 'oc', ...times })
  await kill(payer.treasury())
  await payer.ledger()
  expect(await reader()).toBe(stopReader(env, 'apac'))
})

test('an object whose region has left the setting answers no reader, who would miss later stops @stop-24', async () => {
  const without = { weur: ['weur', 'eeur', 'afr', 'me', 'apac', 'oc'], enam: ['wnam', 'enam', 'sam'] }
  const use = (STOP_REGIONS: string | undefined) =>
    runInDurableObject(object('apac'), (each) => {
      Object.assign(each, { env: { ...env, STOP_REGIONS } })
    })
  await use(JSON.stringify(without))
  await stop({ mode: 'sign' }, { STOP_REGIONS: JSON.stringify(without) })
  const reader = new StopReader(() => object('apac').read(), 1)
  await reader.read(env)
  expect(reader.last, 'so its Treasuries sign nothing').toBeNull()
  expect((await object('weur').read()).mode).toBe('sign')
  // The earlier version is deployed again. The cron brings the object to the state of the others.
  await use(undefined)
  await syncStops(env)
  await reader.read(env)
  expect(reader.last).toMatchObject({ mode: 'sign' })
})
