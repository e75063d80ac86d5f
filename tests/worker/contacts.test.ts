import { beforeAll, describe, expect, test, vi } from 'vitest'
import { maxContacts } from '#domain/contactRules.ts'
import { minuteMs } from '#domain/time.ts'
import { contactStatements, contactsWith } from '../../worker/db/contacts.ts'
import { openDb } from '../../worker/db/d1.ts'
import { purgeDeletedContacts } from '../../worker/services/contacts.ts'
import { createAccountFixture } from '../support/accountFixture.ts'
import { usdc } from '../support/build.ts'
import { chain, fresh, prepare } from '../support/payer.ts'
import { createApi, createUser, env, seed } from './apiClient.ts'

beforeAll(seed)

const address = '0x52908400098527886E0F7030069857D2E4169EE7'

test('a contact is created, changed, found and deleted', async () => {
  const api = createApi()
  const { token, id: userId } = await createUser(api)
  const body = { userId, name: '  Zoë 🦉 ', address, email: '', phone: null, description: ' Pays late ' }
  const created = await api.call('POST', '/api/contacts', { token, body })
  expect(created.status).toBe(201)
  expect(created.json.data).toMatchObject({
    name: 'Zoë 🦉',
    address,
    email: null,
    phone: null,
    description: 'Pays late',
  })
  const { id } = created.json.data

  const find = async (search: string) =>
    (await api.call('GET', `/api/contacts?search=${encodeURIComponent(search)}`, { token })).json.data.length
  expect([
    await find('ZOË'),
    await find('late'),
    await find(address.toLowerCase()),
    await find('%'),
    await find('nobody'),
  ]).toEqual([1, 1, 1, 0, 0])

  const changed = await api.call('PUT', `/api/contacts/${id}`, {
    token,
    body: { name: 'Zoë', phone: '+4915112345678' },
  })
  expect(changed.json.data).toMatchObject({
    id,
    name: 'Zoë',
    address: null,
    phone: '+4915112345678',
    description: null,
  })
  expect((await api.call('DELETE', `/api/contacts/${id}`, { token })).json.success).toBe(true)
  expect((await api.call('GET', '/api/contacts', { token })).json.data).toEqual([])
  expect((await api.call('DELETE', `/api/contacts/${id}`, { token })).status).toBe(404)
})

test('invalid contacts are refused in the specification’s words, with their field', async () => {
  const api = createApi()
  const { token } = await createUser(api)
  const save = async (body: unknown) => (await api.call('POST', '/api/contacts', { token, body })).json
  expect(await save({ name: '  ', email: 'a@b.test' })).toMatchObject({ error: 'Name is required', field: 'name' })
  expect(await save({ email: 'a@b.test' })).toMatchObject({ error: 'Name is required', field: 'name' })
  expect(await save({ name: 'Ann' })).toMatchObject({
    error: 'At least one contact method (wallet address or email) is required',
    field: 'address',
  })
  expect(await save({ name: 'Ann', email: 'nope' })).toMatchObject({ error: 'Invalid email format', field: 'email' })
  expect(await save({ name: 'Ann', address: 'vitalik.eth' })).toMatchObject({
    error: 'Wallet address must start with 0x',
  })
  expect(await save({ name: 'Ann', address: `${address.slice(0, -1)}e` })).toMatchObject({ field: 'address' })
  expect(await save({ name: 'Ann', phone: '0151' })).toMatchObject({ field: 'phone' })
})

test('another user’s contacts are not found', async () => {
  const api = createApi()
  const [ann, bob] = [await createUser(api), await createUser(api)]
  const body = { name: 'Carl', email: 'carl@bursar.test' }
  const { id } = (await bob.asOwner('POST', '/contacts', body)).json.data
  const { token } = ann
  const foreign = await Promise.all([
    api.call('GET', `/api/contacts/${id}`, { token }),
    api.call('PUT', `/api/contacts/${id}`, { token, body }),
    api.call('DELETE', `/api/contacts/${id}`, { token }),
    api.call('GET', `/api/contacts?userId=${bob.id}`, { token }),
    api.call('POST', '/api/contacts', { token, body: { ...body, userId: bob.id } }),
    api.call('PUT', `/api/contacts/${id}`, { token, body: { ...body, userId: bob.id } }),
  ])
  expect(foreign.map(({ status }) => status)).toEqual(Array(6).fill(404))
  for (const query of ['', `?ids=${id}`])
    expect((await api.call('GET', `/api/contacts${query}`, { token })).json.data, query).toEqual([])
  expect((await bob.asOwner('GET', '/contacts')).json.data).toHaveLength(1)
})

test('a deletion can be undone for ten minutes, then the contact is purged @contacts-12', async () => {
  const api = createApi()
  const { token } = await createUser(api)
  const body = { name: 'Grace', address, email: 'grace@bursar.test' }
  const { id, createdAt } = (await api.call('POST', '/api/contacts', { token, body })).json.data
  const list = async () => (await api.call('GET', '/api/contacts', { token })).json.data
  const restore = () => api.call('POST', `/api/contacts/${id}/restore`, { token })

  expect((await restore()).status).toBe(404) // nothing to undo
  await api.call('DELETE', `/api/contacts/${id}`, { token })
  expect(await list()).toEqual([])
  for (const [method, path] of [
    ['GET', ''],
    ['DELETE', ''],
    ['PUT', ''],
  ] as const)
    expect(
      (await api.call(method, `/api/contacts/${id}${path}`, { token, ...(method === 'PUT' && { body }) })).status,
    ).toBe(404)
  expect((await restore()).json.data).toMatchObject({ id, ...body, createdAt })
  expect(await list()).toHaveLength(1)

  await api.call('DELETE', `/api/contacts/${id}`, { token })
  await purgeDeletedContacts(openDb(env.DB).db, api.clock.now + 9 * minuteMs)
  expect((await restore()).status).toBe(200)
  await api.call('DELETE', `/api/contacts/${id}`, { token })
  api.clock.now += 10 * minuteMs
  expect((await restore()).status).toBe(404)
  await purgeDeletedContacts(openDb(env.DB).db, api.clock.now + 1)
  const left = await env.DB.prepare('SELECT count(*) AS n FROM contact WHERE id = ?').bind(id).first<{ n: number }>()
  expect(left?.n).toBe(0)
})

test('one of two parallel deletions succeeds, and the other finds nothing @contacts-13', async () => {
  const api = createApi()
  const { token } = await createUser(api)
  const { id } = (await api.call('POST', '/api/contacts', { token, body: { name: 'Grace', address } })).json.data
  const both = await Promise.all([1, 2].map(() => api.call('DELETE', `/api/contacts/${id}`, { token })))
  expect(both.map(({ status }) => status).sort()).toEqual([200, 404])
  expect((await api.call('GET', '/api/contacts', { token })).json.data).toEqual([])
})

test('restoring a contact does not put it back on whitelists', async () => {
  const api = createApi()
  await prepare()
  const own = await createAccountFixture(api, { funds: 0n })
  const whitelist = async () => (await own.groupNow()).whitelistedContacts.length
  expect(await whitelist()).toBe(1)
  await own.asOwner('DELETE', `/contacts/${own.contact}`)
  expect(await whitelist()).toBe(0)
  expect((await own.asOwner('POST', `/contacts/${own.contact}/restore`)).status).toBe(200)
  expect(await whitelist()).toBe(0)
})

test('contact balances are null without an address or if the chain is not responding @contacts-14', async () => {
  const api = createApi()
  await prepare()
  const { token } = await createUser(api)
  const held = fresh('held')
  await chain.mint(held, usdc('12.5'))
  const make = async (body: object) => (await api.call('POST', '/api/contacts', { token, body })).json.data.id as string
  const [rich, poor, mail] = [
    await make({ name: 'Rich', address: held }),
    await make({ name: 'Poor', address: fresh('poor') }),
    await make({ name: 'Mail', email: 'mail@bursar.test' }),
  ]
  const path = `/api/contacts/balances?ids=${[rich, poor, mail].join(',')}`
  const silent = await api.call('GET', path, { token, env: { RPC_URLS_8453: 'http://127.0.0.1:9' } })
  expect(silent.json.data).toEqual({ [rich]: null, [poor]: null, [mail]: null })
  expect((await api.call('GET', path, { token })).json.data).toEqual({
    [rich]: { balance: '12.5', symbol: 'USDC' },
    [poor]: { balance: '0', symbol: 'USDC' },
    [mail]: null,
  })
  const many = Array.from({ length: 51 }, (_, i) => `c${i}`).join(',')
  for (const query of ['', '?ids=', `?ids=${many}`])
    expect((await api.call('GET', `/api/contacts/balances${query}`, { token })).status, query).toBe(400)
})

test('50 balances are one call at the node, and none within 30 seconds, whoever asks @safety-3', async () => {
  const api = createApi()
  await prepare()
  const rpcUrl = `${env.RPC_URLS_8453}/balances`
  const network = globalThis.fetch
  const called = vi.fn()
  vi.stubGlobal('fetch', (input: RequestInfo | URL, init?: RequestInit) => {
    if (String(input) !== rpcUrl) return network(input, init)
    called(JSON.parse(String(init?.body)))
    return network(input, init)
  })
  const addresses = Array.from({ length: 50 }, (_, i) => fresh(`balance ${i}`))
  await chain.mint(addresses[49]!, usdc('3'))
  const balances = async () => {
    const { token } = await createUser(api)
    const ids: string[] = []
    for (const address of addresses) {
      const body = { name: address.slice(0, 12), address }
      ids.push((await api.call('POST', '/api/contacts', { token, body })).json.data.id)
    }
    return async () => {
      const path = `/api/contacts/balances?ids=${ids.join(',')}`
      const { status, json } = await api.call('GET', path, { token, env: { RPC_URLS_8453: rpcUrl } })
      expect([status, json.data[ids[0]!].balance, json.data[ids[49]!].balance]).toEqual([200, '0', '3'])
    }
  }
  const [hers, his] = [await balances(), await balances()]
  await hers()
  expect(called.mock.calls).toEqual([[expect.objectContaining({ method: 'eth_call' })]])
  api.clock.now += 29_000
  await hers()
  await his()
  expect(called).toHaveBeenCalledTimes(1)
  api.clock.now += 1_000
  await his()
  expect(called).toHaveBeenCalledTimes(2)
  vi.unstubAllGlobals()
})

test('a phone may contain spaces, a name must be visible, and a phone alone is a contact method @contacts-15', async () => {
  const api = createApi()
  const { token } = await createUser(api)
  const save = async (body: unknown) => (await api.call('POST', '/api/contacts', { token, body })).json
  expect(await save({ name: 'Ann', phone: ' +49 (151) 123-456 78 ' })).toMatchObject({
    data: { phone: '+4915112345678' },
  })
  expect(await save({ name: '\u200b', phone: '+4915112345678' })).toMatchObject({ error: 'Name is required' })
  expect(await save({ name: '🦉', address: `${address} ` })).toMatchObject({ data: { name: '🦉', address } })
  expect(await save({ name: 'x'.repeat(101), address })).toMatchObject({ field: 'name' })
})

/** Adds contacts below the API: `Person 1` is the oldest. */
async function addContacts(userId: string, count: number) {
  await env.DB.prepare(
    `INSERT INTO contact (id, user_id, name, email, search_text, created_at, updated_at)
     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
     SELECT ?1 || '_' || i, ?1, 'Person ' || i, 'p' || i || '@bursar.test', 'person ' || i || char(10) || 'p' || i || '@bursar.test', i, i
     FROM n`,
  )
    .bind(userId, count)
    .run()
}

describe('an account has at most 10,000 contacts', () => {
  const body = { name: 'One more', email: 'more@bursar.test' }

  test('the last place is taken once, and the next contact is refused with the limit @contacts-21', async () => {
    const api = createApi()
    const { asOwner, id } = await createUser(api)
    await addContacts(id, maxContacts - 2)
    const add = () => asOwner('POST', '/contacts', body)
    const below = await add()
    expect([below.status, (await add()).status]).toEqual([201, 201])
    const refused = await add()
    expect([refused.status, refused.json.code]).toEqual([422, 'contact_limit'])
    expect(refused.json.error).toBe('An account can have 10,000 contacts. Delete one first.')
    const own = `/contacts/${below.json.data.id}`
    expect((await asOwner('PUT', own, body)).status, 'a change is not a new contact').toBe(200)
    expect((await asOwner('DELETE', own)).status).toBe(200)
    expect((await add()).status).toBe(201)
    const undone = await asOwner('POST', `${own}/restore`)
    expect([undone.status, undone.json.code], 'its place is taken').toEqual([422, 'contact_limit'])
    await asOwner('DELETE', `/contacts/${id}_1`)
    expect((await asOwner('POST', `${own}/restore`)).status).toBe(200)
    expect((await asOwner('POST', `${own}/restore`)).status, 'nothing to undo').toBe(404)
    const other = await createUser(api)
    expect((await other.asOwner('POST', '/contacts', body)).status).toBe(201)
  })

  test('of many parallel calls, as many succeed as there are places @contacts-22', async () => {
    const { asOwner, id } = await createUser(createApi())
    await addContacts(id, maxContacts - 5)
    const answers = await Promise.all(Array.from({ length: 200 }, () => asOwner('POST', '/contacts', body)))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(5)
    expect(statuses.filter((status) => status === 422)).toHaveLength(195)
    expect((await asOwner('GET', '/contacts')).json.page.total).toBe(maxContacts)
  })

  test('pages are newest first, at most 100 contacts each, and a search covers all of them @contacts-23', async () => {
    const { asOwner, id } = await createUser(createApi())
    await addContacts(id, maxContacts)
    const list = async (query: string) => {
      const { status, json } = await asOwner('GET', `/contacts?${query}`)
      expect(status, query).toBe(200)
      return { names: (json.data as { name: string }[]).map(({ name }) => name), page: json.page }
    }
    const first = await list('')
    expect(first.page).toEqual({ number: 1, size: 100, total: maxContacts })
    expect([first.names.length, first.names[0], first.names[99]]).toEqual([100, 'Person 10000', 'Person 9901'])
    const second = await list('page=2&pageSize=25')
    expect(second.page).toEqual({ number: 2, size: 25, total: maxContacts })
    expect([second.names.length, second.names[0]]).toEqual([25, 'Person 9975'])
    expect((await list('page=401&pageSize=25')).names).toEqual([])
    const found = await list('search=PERSON%20123&pageSize=3')
    expect(found).toEqual({
      names: ['Person 1239', 'Person 1238', 'Person 1237'],
      page: { number: 1, size: 3, total: 11 },
    })
    expect((await list('search=P123@BURSAR')).names).toEqual(['Person 123'])
    const named = await list(`ids=${id}_7,${id}_9,nobody`)
    expect(named.names).toEqual(['Person 9', 'Person 7'])
    for (const query of ['page=0', 'pageSize=101', 'page=x', `ids=${Array(101).fill('c').join(',')}`])
      expect((await asOwner('GET', `/contacts?${query}`)).status, query).toBe(400)
  })

  test('a list reads its page and a search its account, along one index @contacts-24', async () => {
    const planOf = async ({ sql, params }: { sql: string; params: unknown[] }) => {
      const plan = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .bind(...params)
        .all<{ detail: string }>()
      return plan.results.map((row) => row.detail)
    }
    const db = openDb(env.DB).db
    for (const query of [{}, { search: 'x' }]) {
      const [page, count] = contactStatements(db, 'user', { sort: 'newest', page: 2, pageSize: 25, ...query })
      const index = 'USING INDEX contact_user_idx (user_id=? AND deleted_at=?)'
      expect(await planOf(page.toSQL())).toEqual([`SEARCH contact ${index}`])
      expect(await planOf(count.toSQL())).toEqual([
        `SEARCH contact ${query.search ? index : index.replace('INDEX', 'COVERING INDEX')}`,
      ])
    }
    const plan = await planOf(contactsWith(db, 'user', [address]).toSQL())
    for (const method of ['address', 'email', 'phone'])
      expect(plan).toContain(`SEARCH contact USING INDEX contact_${method}_idx (user_id=? AND ${method}=?)`)
    expect(plan.join()).not.toContain('contact_user_idx')
  })
})

test('contacts that share a name or a method are found, and one whose address only looks the same @contacts-25', async () => {
  const api = createApi()
  const { asOwner } = await createUser(api)
  const other = await createUser(api)
  const make = async (body: object) => (await asOwner('POST', '/contacts', body)).json.data.id as string
  const ada = await make({ name: 'Zoë Ada', address, email: 'Ada@Bursar.test', phone: '+4915112345678' })
  api.clock.now += 1
  const twin = await make({ name: 'ZOË ADA', email: 'twin@bursar.test' })
  await other.asOwner('POST', '/contacts', { name: 'Zoë Ada', address })
  await other.asOwner('POST', '/contacts', { name: 'Of another owner', email: 'other@bursar.test' })
  const matches = async (query: Record<string, string>) => {
    const { status, json } = await asOwner('GET', `/contacts/matches?${new URLSearchParams(query)}`)
    expect(status, JSON.stringify(json)).toBe(200)
    const { contacts, total, lookAlike } = json.data
    return { ids: contacts.map(({ id }: { id: string }) => id), total, lookAlike: lookAlike?.id ?? null }
  }
  const none = { ids: [], total: 0, lookAlike: null }
  const names = await asOwner('POST', '/contacts/names', {
    values: [
      address.toUpperCase().replace('0X', '0x'),
      'ADA@bursar.test',
      '+4915112345678',
      'twin@bursar.test',
      'other@bursar.test',
      fresh('x'),
    ],
  })
  expect(names.json.data, 'by any method, in any case, of the owner alone').toEqual({
    names: {
      [address.toLowerCase()]: 'Zoë Ada',
      'ada@bursar.test': 'Zoë Ada',
      '+4915112345678': 'Zoë Ada',
      'twin@bursar.test': 'ZOË ADA',
    },
  })
  expect(await matches({ name: ' zoë ada' })).toEqual({ ids: [twin, ada], total: 2, lookAlike: null })
  expect(await matches({ name: 'Zoë' }), 'only a part').toEqual(none)
  expect(await matches({ name: 'zoë ada', except: twin })).toEqual({ ids: [ada], total: 1, lookAlike: null })
  expect(await matches({ email: 'ada@bursar.TEST' })).toMatchObject({ ids: [ada] })
  expect(await matches({ email: 'da@bursar.test' })).toEqual(none)
  expect(await matches({ phone: '+49 151 12345678' })).toMatchObject({ ids: [ada] })
  expect(await matches({ address: address.toLowerCase() })).toEqual({ ids: [ada], total: 1, lookAlike: null })
  const similar = `0x529${'0'.repeat(34)}ee7`
  expect(await matches({ address: similar })).toEqual({ ids: [], total: 0, lookAlike: ada })
  expect(await matches({})).toEqual(none)
  for (let i = 0; i < 12; i++) await make({ name: 'Same', email: `s${i}@bursar.test` })
  const many = await matches({ name: 'same' })
  expect([many.ids.length, many.total]).toEqual([10, 12])
})
