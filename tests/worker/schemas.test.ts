/** Objects whose database this code must not use yet: newer code has changed it, or a background job is not finished. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { primaryDb } from '../../worker/db/d1.ts'
import { openTroubles } from '../../worker/db/troubles.ts'
import { contract, expand, type Migration, type MigrationJob } from '../../worker/durable/migrations.ts'
import { toAppError } from '../../worker/failure.ts'
import { unwrap } from '../../worker/result.ts'
import { freshStop, maySign } from '../../worker/treasury/core/stop.ts'
import { treasurySchema } from '../../worker/treasury/core/storage/migrations.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { kill } from '../support/kill.ts'
import { callTool } from '../support/mcpMessages.ts'
import { createPayer, fresh, until } from '../support/payer.ts'
import { env } from './apiClient.ts'

type Stub = { [key in 'id']: DurableObjectId }

const app = await createTestApp()
const own = await createAccountFixture(app)
const payer = await createPayer()
beforeEach(() => {
  for (const method of ['warn', 'error'] as const) vi.spyOn(console, method).mockImplementation(() => undefined)
})
afterEach(() => vi.restoreAllMocks())

const sqlOf = <T>(object: Stub, work: (storage: DurableObjectStorage) => T | Promise<T>): Promise<T> =>
  runInDurableObject(object as DurableObjectStub, (_, { storage }) => work(storage))
const versionOf = (sql: SqlStorage) => sql.exec<{ n: number }>('SELECT count(*) AS n FROM migration').one().n

/** Simulates newer code that has run a migration after which this code must not write. */
async function becomesNewer(object: Stub): Promise<void> {
  await sqlOf(object, async (storage) => {
    const { sql } = storage
    const version = versionOf(sql)
    sql.exec('INSERT INTO migration (version) VALUES (?)', version)
    sql.exec('UPDATE migration_rule SET oldest_code = ?', version + 1)
    await storage.sync()
  })
  await kill(object)
}
/** Simulates a deployment of code that may use the database. */
async function newerCodeIsBack(object: Stub): Promise<void> {
  await sqlOf(object, (storage) => {
    storage.sql.exec('UPDATE migration_rule SET oldest_code = 0')
    return storage.sync()
  })
  await kill(object)
}
/** Removes what later code left in the object's schema, so that the next test starts from this code's version. */
async function forget(object: Stub): Promise<void> {
  await sqlOf(object, (storage) => {
    const { sql } = storage
    sql.exec('DELETE FROM migration WHERE version >= ?', treasurySchema.migrations.length)
    sql.exec('DELETE FROM migration_job')
    return storage.sync()
  })
  await kill(object)
}
const troublesOf = async (name: string) =>
  (await openTroubles(primaryDb(env.DB), 0)).filter(({ kind, subject }) => kind === 'schema_newer' && subject === name)
const alarmIn = async (object: Stub) => (await sqlOf(object, (storage) => storage.getAlarm()))! - Date.now()

test('a Treasury that needs newer code refuses with a message, changes nothing, and works again with that code @schema-1', async () => {
  const treasury = () => env.TREASURY.getByName(own.user)
  const body = { to: { type: 'address', address: fresh('shop') }, amount: '1' }
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const pay = () => app.call('POST', '/v1/payments', { token: own.apiKey, headers, body })
  const everything = () =>
    sqlOf(treasury(), ({ sql }) =>
      ['payment', 'audit', 'outbox', 'idempotency', 'meta', 'wallet', 'timer'].map((table) =>
        sql.exec(`SELECT * FROM ${table}`).toArray(),
      ),
    )
  await becomesNewer(treasury())
  const before = await everything()

  const paid = await pay()
  expect([paid.status, paid.headers.get('retry-after')]).toEqual([503, '60'])
  expect(paid.json).toMatchObject({ code: 'service_updating', detail: expect.stringContaining('is being updated') })
  const args = { address: fresh('shop'), amount: '1', idempotency_key: crypto.randomUUID() }
  const tool = await callTool(app, own.apiKey, 'pay_address', args)
  expect(tool.content).toMatchObject({ code: 'service_updating', next: 'Try again in 60 seconds.' })
  const send = { walletId: own.wallet, toAddress: fresh('shop'), amount: '1' }
  for (const [method, path, sent] of [
    ['POST', '/api/transactions/send', send],
    ['GET', '/api/wallets', undefined],
    ['GET', '/api/policy-groups', undefined],
    ['GET', '/api/transactions/user', undefined],
  ] as const) {
    const refused = await app.call(method, path, { token: own.token, ...(sent && { body: sent }) })
    expect([refused.status, refused.json.code], path).toEqual([503, 'service_updating'])
    expect(refused.json.error).toContain('is being updated and this account waits for it')
  }
  expect(await everything()).toEqual(before)

  await newerCodeIsBack(treasury())
  const again = await pay()
  expect(again.status, again.text).toBe(201)
  const paymentNow = () => app.call('GET', `/v1/payments/${again.json.id}`, { token: own.apiKey })
  await until('confirmed', async () => (await paymentNow()).json.status === 'CONFIRMED')
})

test('a Treasury that needs newer code keeps its alarm, reports to operators, and later confirms its open payment @schema-2', async () => {
  const { treasury } = payer
  const name = `treasury:${payer.userId}`
  const paid = unwrap(await treasury().payAsAgent(payer.payment()))
  await becomesNewer(treasury())
  await sqlOf(treasury(), (storage) => storage.deleteAlarm())
  await kill(treasury())

  expect(await alarmIn(treasury())).toBeGreaterThan(50_000)
  for (let minutes = 0; minutes < 3; minutes++) {
    const before = await sqlOf(treasury(), ({ sql }) => sql.exec('SELECT * FROM timer').toArray())
    expect(await runDurableObjectAlarm(treasury())).toBe(true)
    expect(await alarmIn(treasury())).toBeGreaterThan(50_000)
    expect(await sqlOf(treasury(), ({ sql }) => sql.exec('SELECT * FROM timer').toArray())).toEqual(before)
  }
  const [trouble] = await troublesOf(name)
  expect(trouble).toMatchObject({ userId: payer.userId, detail: expect.stringContaining('needs code of version') })

  await newerCodeIsBack(treasury())
  expect(await runDurableObjectAlarm(treasury()), 'only its alarm calls it').toBe(true)
  await until('the end of the trouble', async () => (await troublesOf(name)).length === 0)
  expect((await payer.final(paid.payment.id)).status).toBe('CONFIRMED')
  await payer.booksBalance()
  expect(await sqlOf(treasury(), ({ kv }) => [...kv.list()])).toEqual([])
})

test('every kind of object that needs newer code refuses calls, reports to operators, and resumes @schema-3', async () => {
  const name = crypto.randomUUID()
  const relayer = () => env.RELAYER.getByName('84532:7')
  const desk = () => env.CLAIM_DESK.getByName(name)
  const sender = () => env.WEBHOOK_SENDER.getByName(name)
  const history = () => env.HISTORY.getByName(name)
  const objects = [
    { object: history, called: `history:${name}`, call: () => history().position() },
    { object: relayer, called: `relayer:84532:7`, call: () => relayer().health() },
    { object: desk, called: `claims:${name}`, call: () => desk().owner() },
    { object: sender, called: `webhooks:${name}`, call: () => sender().accept([]) },
  ]
  for (const { object, called, call } of objects) {
    await call()
    await becomesNewer(object())
    await expect(Promise.resolve(call()), called).rejects.toThrow('schema_not_usable')
    expect(await runDurableObjectAlarm(object()), called).toBe(true)
    await until('the trouble', async () => (await troublesOf(called)).length === 1)
    await newerCodeIsBack(object())
    await call()
    await until('the end of the trouble', async () => (await troublesOf(called)).length === 0)
  }
})

test('reading the operators’ stop never throws, even if the storage refuses, and nothing may be signed then @schema-11', async () => {
  const { treasury } = payer
  await becomesNewer(treasury())
  const signs = () =>
    runInDurableObject(treasury(), ({ context }: Treasury) =>
      Promise.resolve(freshStop(context)).then(() => maySign(context)),
    )
  expect(await signs()).toBe(false)
  await newerCodeIsBack(treasury())
  expect(await signs()).toBe(true)
})

test('calling a method that the object’s older code lacks is reported as an update in progress @schema-9', () => {
  // The message as workerd words it; vitest would change it.
  const thrown = new TypeError('The RPC receiver does not implement the method "later".')
  expect(toAppError(thrown)).toMatchObject({ code: 'service_updating', retryAfter: 60 })
  expect(toAppError(new TypeError('x is undefined'))).toMatchObject({ code: 'internal' })
})

/** Runs `work` with the code of a later version. Other objects that start meanwhile keep working afterwards. */
async function asLaterCode(
  { entries, jobs, lowest }: { entries: Migration[]; jobs: Record<string, MigrationJob>; lowest: number },
  work: () => Promise<void>,
): Promise<void> {
  const schema = treasurySchema as { migrations: (string | Migration)[]; lowest: number; jobs?: typeof jobs }
  const before = { ...schema, migrations: [...schema.migrations] }
  schema.migrations.push(...entries)
  Object.assign(schema, { jobs, lowest: before.lowest + lowest })
  try {
    await work()
  } finally {
    schema.migrations.length = before.migrations.length
    Object.assign(schema, { jobs: before.jobs, lowest: before.lowest })
  }
}
const rows = 2_000
const step = 500
/** Doubles every number, `step` at a time. */
const double: MigrationJob = (sql, cursor) => {
  const last = sql
    .exec<{ n: number }>(
      'UPDATE doubled SET double = 2 * n WHERE n > ? AND n <= ? RETURNING n',
      Number(cursor ?? 0),
      Number(cursor ?? 0) + step,
    )
    .toArray()
  return last.length < step ? null : String(Number(cursor ?? 0) + step)
}
const table = 'CREATE TABLE IF NOT EXISTS doubled (n INTEGER PRIMARY KEY, double INTEGER)'
const fill = (object: Stub) =>
  sqlOf(object, ({ sql }) => {
    sql.exec(table)
    sql.exec('DELETE FROM doubled')
    sql.exec(
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) INSERT INTO doubled SELECT i, NULL FROM n',
      rows,
    )
  })
const doneRows = (object: Stub) =>
  sqlOf(object, ({ sql }) => sql.exec<{ n: number }>('SELECT count(double) AS n FROM doubled').one().n)
const jobEnded = (object: Stub) =>
  sqlOf(
    object,
    ({ sql }) => sql.exec("SELECT 1 FROM migration_job WHERE name LIKE 'double%' AND ended = 0").toArray().length === 0,
  )

test('a large change runs in steps after the start and survives a kill at each step, while payments continue @schema-4', async () => {
  const { treasury } = payer
  await forget(treasury())
  await fill(treasury())
  const begun: { cursor: string | null; done: number }[] = []
  const failing: MigrationJob = (sql, cursor) => {
    const { done } = sql.exec<{ done: number }>('SELECT count(double) AS done FROM doubled').one()
    begun.push({ cursor, done })
    const next = double(sql, cursor)
    if (begun.filter((each) => each.cursor === cursor).length === 1) throw new Error('killed at the end of a step')
    return next
  }
  await asLaterCode({ entries: [expand(table, 'double_1')], jobs: { double_1: failing }, lowest: 1 }, async () => {
    await kill(treasury())
    expect(await doneRows(treasury()), 'the constructor changes no row').toBe(0)
    const paid = unwrap(await treasury().payAsAgent(payer.payment()))
    await until('the job’s end', async () => {
      await runDurableObjectAlarm(treasury())
      await kill(treasury())
      return jobEnded(treasury())
    })
    expect(await doneRows(treasury())).toBe(rows)
    expect(begun, 'each step fails once and is repeated').toEqual(
      [null, '500', '1000', '1500', '2000'].flatMap((cursor) => Array(2).fill({ cursor, done: Number(cursor) })),
    )
    expect((await payer.final(paid.payment.id)).status).toBe('CONFIRMED')
  })
  await kill(treasury())
  const after = unwrap(await treasury().payAsAgent(payer.payment()))
  expect((await payer.final(after.payment.id)).status, 'older code may write').toBe('CONFIRMED')
})

test('a migration that needs a finished job waits for it, and so do calls if the code knows only the new schema @schema-5', async () => {
  const { treasury } = payer
  await forget(treasury())
  await fill(treasury())
  const entries = [
    expand(table, 'double_2'),
    contract('DELETE FROM doubled WHERE double IS NULL', { oldestCode: 0, after: 'double_2' }),
  ]
  await asLaterCode({ entries, jobs: { double_1: double, double_2: double }, lowest: 2 }, async () => {
    await kill(treasury())
    await expect(Promise.resolve(treasury().wallets().list())).rejects.toThrow('until a background job has ended')
    expect(await troublesOf(`treasury:${payer.userId}`), 'the job ends on its own').toEqual([])
    await until('calls work', () =>
      treasury()
        .wallets()
        .list()
        .then(
          () => true,
          () => false,
        ),
    )
    expect(await doneRows(treasury())).toBe(rows)
    expect((await payer.booksBalance()).chainBalance).not.toBeNull()
  })
  await forget(treasury())
})
