/** What D1 is rebuilt from when it is lost. */
import { runInDurableObject } from 'cloudflare:test'
import { getTableName, is } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { beforeAll, expect, test, vi } from 'vitest'
import { commands } from '../../scripts/ops/commands.ts'
import { execute } from '../../scripts/ops/run.ts'
import { keepAccounts } from '../../worker/backup/accounts.ts'
import { primaryDb } from '../../worker/db/d1.ts'
import * as schema from '../../worker/db/schema.ts'
import { recoveryOf } from '../../worker/db/tables.ts'
import type { ReprojectReply } from '../../worker/schemas/ops.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { type Access, createAccess } from '../support/accessStandIn.ts'
import { createAccountFixture } from '../support/accountFixture.ts'
import { fresh, prepare, until } from '../support/payer.ts'
import { type Api, createApi, createUser, env, login, seed } from './apiClient.ts'

const origin = 'https://ops.bursar.example'
const db = primaryDb(env.DB)
/** Of the commands, until their process is killed. */
let requestsLeft = Number.POSITIVE_INFINITY
let access: Access
let api: Api
beforeAll(async () => {
  await seed()
  await prepare()
  access = await createAccess('restore')
  api = createApi(access.settings)
  api.clock.now = Date.now()
  access.serveKeys()
  await run('acts')
  vi.restoreAllMocks()
})

const run = (name: string, switches: string[] = [], options: Record<string, string> = {}) =>
  execute(
    commands[name]!,
    { args: [], reason: 'D1 is lost', options, switches },
    {
      env: { BURSAR_URL: origin, CF_ACCESS_CLIENT_ID: 'night.access', CF_ACCESS_CLIENT_SECRET: 'secret' },
      fetch: async (url, { method = 'GET', body }) => {
        if (requestsLeft-- <= 0) throw new Error('killed')
        const assertion = await access.token(api.clock.now, { email: undefined, common_name: 'night.access' } as never)
        const { status, text } = await api.call(method, url.replace(origin, ''), {
          headers: { 'cf-access-jwt-assertion': assertion },
          ...(body ? { raw: String(body) } : {}),
        })
        return new Response(text, { status })
      },
    },
  )
const reproject = async (...switches: string[]) => (await run('reproject', switches)).data as ReprojectReply

const inTreasury = <T>(userId: string, look: (treasury: Treasury) => T | Promise<T>) =>
  runInDurableObject(env.TREASURY.getByName(userId), look)

/** Everything the accounts have to tell D1 and the bucket is there. */
async function settled(users: string[]): Promise<void> {
  await until('accounts are kept', async () => {
    await keepAccounts(env, db)
    const { results } = await env.DB.prepare('SELECT user_id FROM account_to_keep').all<{ user_id: string }>()
    return results.every(({ user_id }) => !users.includes(user_id))
  })
  for (const userId of users)
    await until('outbox is empty', () =>
      inTreasury(userId, async (treasury) => {
        await treasury.syncReadModel()
        return treasury.context.store.first("SELECT 1 FROM outbox WHERE kind IN ('payment','payout','link')") === null
      }),
    )
}

type Row = Record<string, unknown>
const tables = Object.entries(schema as Record<string, unknown>).flatMap(([key, table]) =>
  is(table, SQLiteTable) ? [{ ...recoveryOf[key as keyof typeof recoveryOf], name: getTableName(table) }] : [],
)
const rebuilt = tables.filter(({ by }) => by === 'treasuries')

/** The users' rows of each table that reproject writes, without what comes otherwise. */
async function rowsOf(users: string[]): Promise<Record<string, Row[]>> {
  const entries = await Promise.all(
    rebuilt.map(async ({ name, except = [] }) => {
      const column = name === 'user' ? 'id' : 'user_id'
      const query = `SELECT * FROM ${name} WHERE ${column} IN (SELECT value FROM json_each(?)) ORDER BY 1`
      const { results } = await env.DB.prepare(query).bind(JSON.stringify(users)).all<Row>()
      return [
        name,
        results.map((row) => Object.fromEntries(Object.entries(row).filter(([key]) => !except.includes(key)))),
      ]
    }),
  )
  return Object.fromEntries(entries)
}

async function wipe(users: string[]): Promise<void> {
  for (const { name } of rebuilt.toReversed()) {
    const column = name === 'user' ? 'id' : 'user_id'
    await env.DB.prepare(`DELETE FROM ${name} WHERE ${column} IN (SELECT value FROM json_each(?))`)
      .bind(JSON.stringify(users))
      .run()
  }
}

test('every table of D1 says what it is rebuilt from @restore-1', async () => {
  const { results } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*' AND name <> 'd1_migrations'",
  ).all<{ name: string }>()
  const known = tables.filter(({ by }) => by !== undefined).map(({ name }) => name)
  expect(known.sort()).toEqual(results.map(({ name }) => name).sort())
})

test('tables of D1 that can be rebuilt are wiped, and reproject makes them equal row by row @restore-2', async () => {
  const account = await createAccountFixture(api, { limit: 100 })
  const other = await createUser(api)
  const { token, user, agent, group, wallet } = account
  const call = async (method: string, path: string, body?: unknown) => {
    const reply = await api.call(method, path, { token, ...(body !== undefined && { body }) })
    expect(reply.status, `${method} ${path} ${reply.text}`).toBeLessThan(300)
    return reply.json.data
  }
  const pay = (body: Row) =>
    api.call('POST', '/v1/payments', {
      body,
      headers: { authorization: `Bearer ${account.apiKey}`, 'idempotency-key': `k${Math.random()}` },
    })
  const sent = await pay({ to: { type: 'address', address: fresh('a') }, amount: '1.5' })
  expect(sent.status, sent.text).toBe(201)
  const payout = await pay({ to: { type: 'email', email: 'rebuilt@example.com' }, amount: '2', memo: 'Open' })
  const returned = await pay({ to: { type: 'email', email: 'returned@example.com' }, amount: '3' })
  expect((await pay({ to: { type: 'address', address: fresh('a') }, amount: '1000' })).status).toBe(403)
  const created = (id: string) =>
    until('created', async () => (await call('GET', `/api/escrow/${id}`)).status === 'CREATED')
  await created(payout.json.id)
  await created(returned.json.id)
  await call('POST', `/api/escrow/${returned.json.id}/reclaim`, {})
  await until('taken back', async () => (await call('GET', `/api/escrow/${returned.json.id}`)).status === 'RECLAIMED')
  await until('paid', async () => (await call('GET', `/api/transactions/${sent.json.id}`)).status === 'CONFIRMED')
  const scopes = ['address_payments:write', 'email_payments:write']
  await call('PUT', `/api/policy-groups/${group}`, { name: 'Renamed', scopes, walletId: wallet, approveAbove: '5' })
  expect((await pay({ to: { type: 'address', address: fresh('b') }, amount: '6' })).status).toBe(202)
  await call('POST', `/api/agents/${agent}/regenerate-api-key`, {})
  await call('POST', '/api/webhooks', { url: 'https://hooks.example.com/a', events: ['*'] })
  await call('PATCH', `/api/users/${user}`, { name: 'Ada L.' })
  await env.TREASURY.getByName(other.id).suspend(true)

  const users = [user, other.id]
  await settled(users)
  await reproject()
  const before = await rowsOf(users)
  for (const { name } of rebuilt) expect(before[name], name).not.toEqual([])

  await wipe(users)
  const dry = await reproject('dry-run')
  expect(dry.changed).toMatchObject({ user: 2, user_suspension: 1, webhook_endpoint: 1, agent_credential: 3 })
  expect(dry.changed.claim_link).toBe(2)
  expect(Object.values(await rowsOf(users)).flat(), 'a dry run writes nothing').toEqual([])

  const done = await reproject()
  expect(done.changed).toEqual(dry.changed)
  expect(await rowsOf(users)).toEqual(before)
  expect(
    Object.values((await reproject()).changed).reduce((sum, n) => sum + n, 0),
    'nothing is left',
  ).toBe(0)
  // Without its password, an account is entered by a mailed link alone.
  expect((await login(api, other.email, other.password)).status).toBe(401)
})

test('reproject goes on where it was killed, and keeps what is later than what the account knows @restore-3', async () => {
  const users = await Promise.all(Array.from({ length: 24 }, () => createUser(api)))
  const ids = users.map(({ id }) => id)
  await settled(ids)
  const before = await rowsOf(ids)
  await wipe(ids)
  // A browser signed up the first one's address again meanwhile, and nobody confirmed it.
  const add = (id: string, email: string, status: string) =>
    env.DB.prepare(
      "INSERT INTO user (id, email, status, password_hash, created_at, updated_at) VALUES (?, ?, ?, 'none', 1, 1)",
    )
      .bind(id, email, status)
      .run()
  await add('impostor', users[0]!.email, 'UNCONFIRMED')
  await add('second', users[1]!.email, 'CONFIRMED')

  requestsLeft = 1
  await expect(reproject()).rejects.toThrow('killed')
  requestsLeft = Number.POSITIVE_INFINITY
  expect((await rowsOf(ids)).user!.length).toBeLessThan(ids.length)
  const { problems } = await reproject()
  expect(problems.filter(({ userId }) => ids.includes(userId))).toEqual([
    { userId: users[1]!.id, problem: `another account has its address ${users[1]!.email}` },
  ])
  await env.DB.prepare("DELETE FROM user WHERE id = 'second'").run()
  expect((await reproject()).problems.filter(({ userId }) => ids.includes(userId))).toEqual([])
  expect(await rowsOf(ids)).toEqual(before)

  // D1 knows more than the account: a name, and less: a password.
  const [, , ann] = users
  const set = (assignment: string) => env.DB.prepare(`UPDATE user SET ${assignment} WHERE id = ?`).bind(ann!.id).run()
  await set("name = 'Later', updated_at = updated_at + 1, password_at = password_at - 1, password_hash = 'old'")
  await reproject()
  const row = await env.DB.prepare('SELECT name, password_hash FROM user WHERE id = ?').bind(ann!.id).first()
  expect(row).toEqual({ name: 'Later', password_hash: 'none' })
})
