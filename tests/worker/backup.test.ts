import { getTableName, is } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { dayMs } from '#domain/time.ts'
import { commands } from '../../scripts/ops/commands.ts'
import { execute } from '../../scripts/ops/run.ts'
import { keepAccounts } from '../../worker/backup/accounts.ts'
import { exportDaily } from '../../worker/backup/export.ts'
import { primaryDb } from '../../worker/db/d1.ts'
import { exportedTables, newestRun, partsOf } from '../../worker/db/exports.ts'
import * as schema from '../../worker/db/schema.ts'
import { recoveryOf } from '../../worker/db/tables.ts'
import type { ReprojectReply, RestoreExportReply } from '../../worker/schemas/ops.ts'
import { type Access, createAccess } from '../support/accessStandIn.ts'
import { createAccountFixture } from '../support/accountFixture.ts'
import { exportNow } from '../support/exportNow.ts'
import { fresh, prepare, until } from '../support/payer.ts'
import { settingsWith } from '../support/rings.ts'
import { type Api, createApi, createUser, env, login, mailedLinkToken, seed } from './apiClient.ts'

const origin = 'https://ops.bursar.example'
const db = primaryDb(env.DB)
/** How many requests the commands may still make before their process is killed. */
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

// Deletes exports of future days and under another KEK, which other files must not see.
afterAll(async () => {
  await env.DB.prepare('DELETE FROM export_run').run()
  const { objects } = await env.BACKUP.list({ prefix: 'exports/' })
  await env.BACKUP.delete(objects.map(({ key }) => key))
})

const run = (name: string, switches: string[] = [], args: string[] = []) =>
  execute(
    commands[name]!,
    { args, reason: 'D1 is lost', options: {}, switches },
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
const restoreExport = async (run_: string, ...switches: string[]) =>
  (await run('restore-export', switches, [run_])).data as RestoreExportReply
const reproject = async (...switches: string[]) => (await run('reproject', switches)).data as ReprojectReply

/** Waits until D1 and the bucket have everything that the accounts send them. */
async function settled(users: string[]): Promise<void> {
  await until('accounts are kept', async () => {
    await keepAccounts(env, db)
    const { results } = await env.DB.prepare('SELECT user_id FROM account_to_keep').all<{ user_id: string }>()
    return results.every(({ user_id }) => !users.includes(user_id))
  })
}

type Row = Record<string, unknown>
const tables = Object.entries(schema as Record<string, unknown>).flatMap(([key, table]) =>
  is(table, SQLiteTable) ? [{ ...recoveryOf[key as keyof typeof recoveryOf], name: getTableName(table) }] : [],
)
const rebuilt = tables.filter(({ by }) => by === 'treasuries')
/** The column with the id of the account. */
const accountColumn = (table: string) => (table === 'user' ? 'id' : table === 'membership' ? 'account_id' : 'user_id')

/** The users' rows of each table that reproject writes, without columns from other sources. */
async function rowsOf(users: string[]): Promise<Record<string, Row[]>> {
  const entries = await Promise.all(
    rebuilt.map(async ({ name, except = [] }) => {
      const column = accountColumn(name)
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
    const column = accountColumn(name)
    await env.DB.prepare(`DELETE FROM ${name} WHERE ${column} IN (SELECT value FROM json_each(?))`)
      .bind(JSON.stringify(users))
      .run()
  }
}

test('every table of D1 declares what it is rebuilt from @restore-1', async () => {
  const { results } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*' AND name <> 'd1_migrations'",
  ).all<{ name: string }>()
  const known = tables.filter(({ by }) => by !== undefined).map(({ name }) => name)
  expect(known.sort()).toEqual(results.map(({ name }) => name).sort())
  const exported = tables.filter(({ by }) => by === 'export').map(({ name }) => name)
  expect(['user', ...exported].sort()).toEqual(exportedTables.map(({ name }) => name).sort())
})

test('reproject rebuilds wiped tables of D1, equal row by row @restore-2', async () => {
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
  await call('POST', '/api/webhooks', {
    url: 'https://hooks.example.com/a',
    events: ['*'],
    password: 'correct horse battery',
  })
  await call('POST', '/api/people', { email: other.email, role: 'viewer', password: 'correct horse battery' })
  const invitation = await mailedLinkToken(other.email)
  expect((await other.asOwner('POST', '/people/join', { token: invitation })).status).toBe(200)
  await call('PATCH', `/api/users/${user}`, { name: 'Ada L.' })
  await env.TREASURY.getByName(other.id).operators().suspend(true)

  const users = [user, other.id]
  await settled(users)
  await reproject()
  const before = await rowsOf(users)
  for (const { name } of rebuilt) expect(before[name], name).not.toEqual([])

  await wipe(users)
  const dry = await reproject('dry-run')
  expect(dry.changed).toMatchObject({ user: 2, user_suspension: 1, webhook_endpoint: 1, membership: 1 })
  expect(Object.values(await rowsOf(users)).flat(), 'a dry run writes nothing').toEqual([])

  // A webhook that was deleted after the time that D1 went back to.
  await env.DB.prepare("INSERT INTO webhook_endpoint (id, user_id, state, edition) VALUES ('former', ?, 'on', 1)")
    .bind(user)
    .run()
  dry.changed.webhook_endpoint! += 1
  const done = await reproject()
  expect(done.changed).toEqual(dry.changed)
  expect(await rowsOf(users)).toEqual(before)
  expect(
    Object.values((await reproject()).changed).reduce((sum, n) => sum + n, 0),
    'nothing is left',
  ).toBe(0)
  // Without its password, an account can be entered only by a mailed link.
  expect((await login(api, other.email, other.password)).status).toBe(401)
})

test('reproject resumes where it was killed, and keeps rows that are newer than what the account knows @restore-3', async () => {
  const users = await Promise.all(Array.from({ length: 21 }, () => createUser(api)))
  const ids = users.map(({ id }) => id)
  await settled(ids)
  const before = await rowsOf(ids)
  await wipe(ids)
  // Meanwhile somebody signed up with the first account's address without confirming it, and with the second's.
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
  // For one account, D1 has a newer name and an older password than the account knows.
  const ann = before.user!.find(({ id }) => id === ids[2])!
  const later = "name = 'Later', updated_at = updated_at + 1, password_at = password_at - 1, password_hash = 'old'"
  await env.DB.prepare(`UPDATE user SET ${later} WHERE id = ?`).bind(ids[2]).run()
  expect((await reproject()).problems.filter(({ userId }) => ids.includes(userId))).toEqual([])
  const row = await env.DB.prepare('SELECT password_hash FROM user WHERE id = ?').bind(ids[2]).first()
  expect(row).toEqual({ password_hash: 'none' })
  Object.assign(ann, { name: 'Later', updated_at: Number(ann.updated_at) + 1 })
  expect(await rowsOf(ids)).toEqual(before)
})

const all = async (query: string, ...values: unknown[]) =>
  (
    await env.DB.prepare(query)
      .bind(...values)
      .all<Row>()
  ).results

test('the sealed export restores passwords, contacts, layouts and passcodes @restore-4', async () => {
  const [ann, bob] = [await createUser(api), await createUser(api, 'the former password')]
  const as = (token: string) => (method: string, path: string, body: unknown) => api.call(method, path, { token, body })
  const contact = { name: 'Carol', address: fresh('carol'), description: 'Known by few' }
  expect((await as(ann.token)('POST', '/api/contacts', contact)).status).toBe(201)
  // Enough rows for several parts, and for more parts than one request restores.
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
     INSERT INTO contact (id, user_id, name, email, search_text, created_at, updated_at)
     SELECT 'con_export' || i, ?, 'Contact ' || i, 'contact' || i || '@example.com', 'contact ' || i, i, i FROM n`,
  )
    .bind(ann.id)
    .run()
  await env.DB.prepare('INSERT INTO preferences (user_id, body, updated_at) VALUES (?, \'{"a":[1]}\', 5)')
    .bind(ann.id)
    .run()
  await env.DB.prepare(
    "INSERT INTO signup_passcode (hash, label, created_at) VALUES (lower(hex(randomblob(32))), 'Exported', 7)",
  ).run()
  const users = [ann.id, bob.id]
  await settled(users)
  const id = await exportNow()
  const kept = () =>
    Promise.all([
      all('SELECT * FROM contact WHERE user_id = ? ORDER BY id', ann.id),
      all('SELECT * FROM preferences WHERE user_id = ?', ann.id),
      all("SELECT * FROM signup_passcode WHERE label = 'Exported'"),
      all('SELECT * FROM user WHERE id = ?', ann.id),
    ])
  const before = await kept()
  expect(before[0]).toHaveLength(2501)
  for (const { key } of await partsOf(db, id))
    expect(await (await env.BACKUP.get(key))!.text()).toMatch(/^v1\.[\w-]+\.[\w-]+$/)

  // After the export Bob changes his password, and his account knows of it.
  api.clock.now = Date.now()
  const passwords = { currentPassword: bob.password, newPassword: 'the latter password' }
  const changed = await as(bob.token)('PATCH', `/api/users/${bob.id}/change-password`, passwords)
  expect(changed.status, changed.text).toBe(200)
  await settled(users)
  await wipe(users)
  await env.DB.prepare("DELETE FROM signup_passcode WHERE label = 'Exported'").run()

  await reproject()
  const dry = await restoreExport(id, 'dry-run')
  expect(dry.changed).toMatchObject({ user: 0, contact: 2501, preferences: 1, signup_passcode: 1, passwords: 1 })
  expect((await kept())[0]).toEqual([])
  requestsLeft = 1
  await expect(restoreExport(id)).rejects.toThrow('killed')
  requestsLeft = Number.POSITIVE_INFINITY
  await restoreExport(id)
  expect(await kept()).toEqual(before)
  expect(
    Object.values((await restoreExport(id)).changed).reduce((sum, n) => sum + n, 0),
    'nothing is left',
  ).toBe(0)
  expect((await login(api, ann.email, ann.password)).status).toBe(200)
  for (const password of [bob.password, 'the latter password'])
    expect((await login(api, bob.email, password)).status).toBe(401)
})

test('an export resumes where it was killed; a part that is missing or was altered is refused by name @restore-5', async () => {
  while ((await newestRun(db))?.finishedAt === null) await exportDaily(env, db, Date.now())
  const at = (await newestRun(db))!.startedAt + dayMs
  // Kills a step right after its first write to the bucket, the next after its second, and so on.
  let writes = 0
  const dying = (limit: number) => ({
    ...env,
    BACKUP: new Proxy(env.BACKUP, {
      get: (bucket, name) =>
        name === 'put'
          ? async (key: string, text: string) => {
              const stored = await bucket.put(key, text)
              if (++writes === limit) throw new Error('killed')
              return stored
            }
          : (bucket[name as keyof typeof bucket] as () => unknown).bind(bucket),
    }),
  })
  for (let limit = 1; ; limit++) {
    writes = 0
    await exportDaily(dying(limit), db, at).catch((error: Error) => expect(error.message).toBe('killed'))
    const run = (await newestRun(db))!
    if (run.startedAt === at && run.finishedAt !== null) break
  }
  const { id } = (await newestRun(db))!
  const parts = await partsOf(db, id)
  const tablesOf = new Set(parts.map(({ tableName }) => tableName))
  expect([...tablesOf]).toEqual(expect.arrayContaining(['user', 'contact', 'preferences', 'signup_passcode']))
  await restoreExport(id)

  const { key } = parts[1]!
  const text = await (await env.BACKUP.get(key))!.text()
  const other = await (await env.BACKUP.get(parts[0]!.key))!.text()
  const refusal = async () => restoreExport(id).catch((error: Error) => error.message)
  await env.BACKUP.put(key, `${text}A`)
  expect(await refusal()).toContain(`422: ${key} was altered`)
  await env.BACKUP.put(key, other)
  expect(await refusal(), 'another part in its place').toContain(`422: ${key} was altered`)
  await env.BACKUP.delete(key)
  expect(await refusal()).toContain(`404: ${key} is missing from the bucket. Nothing was restored.`)
  await env.BACKUP.put(key, text)
  await restoreExport(id)
  const manifest = `exports/manifests/${id}`
  await env.BACKUP.put(manifest, text)
  expect(await refusal()).toContain(`422: ${manifest} was altered`)
  await env.BACKUP.delete(manifest)
  expect(await refusal()).toContain(`404: ${manifest} is missing`)
})

test('a password that is older than the last one chosen does not sign in @restore-6', async () => {
  const ann = await createUser(api)
  await settled([ann.id])
  const set = (change: string) => env.DB.prepare(`UPDATE user SET ${change} WHERE id = ?`).bind(ann.id).run()
  // The row as it was in D1 before the password change that the account knows of.
  await set('password_at = password_at - 1, updated_at = updated_at - 1')
  await keepAccounts(env, db)
  expect((await login(api, ann.email, ann.password)).status).toBe(401)
  await set('password_at = password_at + 1, updated_at = updated_at + 1')
  expect((await login(api, ann.email, ann.password)).status).toBe(200)
})

test('a KEK change triggers a new export, and exports are deleted after 30 days @restore-7', async () => {
  const former = await exportNow()
  const { startedAt } = (await newestRun(db))!
  await exportDaily(env, db, startedAt + 1_000)
  expect((await newestRun(db))!.id).toBe(former)
  const rotated = settingsWith({ KEK: { from: startedAt } }) as unknown as typeof env
  const bound = { ...rotated, DB: env.DB, BACKUP: env.BACKUP, TREASURY: env.TREASURY }
  const exportUnder = async (now: number) => {
    do await exportDaily(bound, db, now)
    while ((await newestRun(db))!.finishedAt === null)
    return (await newestRun(db))!
  }
  const next = await exportUnder(startedAt + 2_000)
  expect(next).toMatchObject({ kekVersion: 2, startedAt: startedAt + 2_000 })
  expect(await env.BACKUP.head(`exports/manifests/${former}`)).not.toBeNull()
  await exportUnder(startedAt + 31 * dayMs)
  expect(await env.BACKUP.head(`exports/manifests/${former}`)).toBeNull()
  expect((await env.BACKUP.list({ prefix: `exports/parts/${former}/` })).objects).toEqual([])
})

/** Copies D1's rows of the account. Returns a function that puts them back, as restoring D1 to an earlier time would. */
async function snapshotOf(userId: string) {
  const ofUser = ['contact', 'session']
  const rows: [string, Row[]][] = [['user', await all('SELECT * FROM user WHERE id = ?', userId)]]
  for (const name of ofUser) rows.push([name, await all(`SELECT * FROM ${name} WHERE user_id = ?`, userId)])
  const inSession = 'SELECT * FROM refresh_token WHERE session_id IN (SELECT id FROM session WHERE user_id = ?)'
  rows.push(['refresh_token', await all(inSession, userId)])
  return async () => {
    for (const name of ['user', ...ofUser])
      await env.DB.prepare(`DELETE FROM ${name} WHERE ${name === 'user' ? 'id' : 'user_id'} = ?`)
        .bind(userId)
        .run()
    for (const [name, list] of rows)
      for (const row of list) {
        const columns = Object.keys(row)
        const query = `INSERT INTO ${name} (${columns}) VALUES (${columns.map(() => '?')})`
        await env.DB.prepare(query)
          .bind(...Object.values(row))
          .run()
      }
  }
}

test('after D1 is restored to an earlier time, login sessions end, links are complete, and changed contacts need confirmation @restore-8', async () => {
  const account = await createAccountFixture(api)
  const { token, user, agent, group, wallet, contact } = account
  const call = async (method: string, path: string, body?: unknown) => {
    const reply = await api.call(method, path, { token, ...(body !== undefined && { body }) })
    expect(reply.status, `${method} ${path} ${reply.text}`).toBeLessThan(300)
    return reply.json.data
  }
  const email = String((await all('SELECT email FROM user WHERE id = ?', user))[0]!.email)
  const signedIn = await login(api, email, 'correct horse battery')
  const { refreshToken } = signedIn.json.data
  const goBack = await snapshotOf(user)
  const before = (await all('SELECT address FROM contact WHERE id = ?', contact))[0]!.address

  // What the restore loses: a contact's new address, which was confirmed; a new contact; a key; a payment; a password; a
  // sign-out.
  const address = fresh('moved')
  await call('PUT', `/api/contacts/${contact}`, { name: 'Carol', address })
  const confirmed = { address, email: null, phone: null }
  await call('POST', `/api/policy-groups/${group}/contacts/${contact}/confirm`, confirmed)
  const added = await call('POST', '/api/contacts', { name: 'Dan', email: 'dan@example.com' })
  const scopes = ['address_payments:write', 'contact_payments:write', 'email_payments:write']
  const listed = { whitelistedContactIds: [contact, added.id] }
  await call('PUT', `/api/policy-groups/${group}`, { name: 'Group', scopes, walletId: wallet, ...listed })
  const { apiKey } = await call('POST', `/api/agents/${agent}/regenerate-api-key`, { revokeNow: true })
  const pay = (to: Row, key = apiKey) =>
    api.call('POST', '/v1/payments', {
      body: { to, amount: '1' },
      headers: { authorization: `Bearer ${key}`, 'idempotency-key': `k${Math.random()}` },
    })
  api.clock.now += 1_000
  await call('PATCH', `/api/users/${user}/change-password`, {
    currentPassword: 'correct horse battery',
    newPassword: 'the latter password',
  })
  await settled([user])
  await goBack()

  const dry = (await run('d1-restored', ['dry-run'])).data as ReprojectReply & { sessions: number }
  expect(dry.sessions).toBeGreaterThanOrEqual(2)
  // Other accounts of these tests are counted too.
  expect(dry.changed.contact).toBeGreaterThan(0)
  expect(dry.changed.contacts_to_confirm).toBeGreaterThan(0)
  const listedCarol = async () => {
    const [found] = await env.TREASURY.getByName(user).policies().groups()
    return found!.policyGroup.whitelistedContacts.find((each) => each.contact.id === contact)
  }
  expect((await listedCarol())!.stale, 'a dry run changes nothing').toBe(false)
  expect((await all('SELECT id FROM session WHERE user_id = ?', user)).length).toBe(2)
  requestsLeft = 1
  await expect(run('d1-restored')).rejects.toThrow('killed')
  requestsLeft = Number.POSITIVE_INFINITY
  await run('d1-restored')

  expect((await all('SELECT id FROM session')).length).toBe(0)
  expect((await api.call('POST', '/api/auth/cognito/refresh', { body: { refreshToken } })).status).toBe(401)
  for (const password of ['correct horse battery', 'the latter password'])
    expect((await login(api, email, password)).status).toBe(401)
  expect((await pay({ type: 'address', address: fresh('x') })).status, 'the new key').toBe(201)
  expect((await pay({ type: 'address', address: fresh('x') }, account.apiKey)).status, 'the old key').toBe(401)

  expect((await pay({ type: 'contact', contactId: contact })).status, 'to be confirmed').toBe(403)
  expect((await pay({ type: 'contact', contactId: added.id })).status, 'unchanged').toBe(201)
  expect(await all('SELECT name, email FROM contact WHERE id = ?', added.id)).toEqual([
    { name: 'Dan', email: 'dan@example.com' },
  ])
  expect(await listedCarol()).toMatchObject({ stale: true, contact: { address }, current: { address: before } })
})
