import { beforeAll, expect, test } from 'vitest'
import { minuteMs } from '#domain/time.ts'
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
  expect((await api.call('GET', '/api/contacts', { token })).json.data).toEqual([])
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
  expect((await api.call('GET', path, { token })).json.data).toEqual({
    [rich]: { balance: '12.5', symbol: 'USDC' },
    [poor]: { balance: '0', symbol: 'USDC' },
    [mail]: null,
  })
  const silent = await api.call('GET', path, { token, env: { RPC_URLS_8453: 'http://127.0.0.1:9' } })
  expect(silent.json.data).toEqual({ [rich]: null, [poor]: null, [mail]: null })
  const many = Array.from({ length: 51 }, (_, i) => `c${i}`).join(',')
  for (const query of ['', '?ids=', `?ids=${many}`])
    expect((await api.call('GET', `/api/contacts/balances${query}`, { token })).status, query).toBe(400)
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
