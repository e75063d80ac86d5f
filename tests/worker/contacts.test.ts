import { beforeAll, expect, test } from 'vitest'
import { anApi, aUser, seed } from './apiClient.ts'

beforeAll(seed)

const address = '0x52908400098527886E0F7030069857D2E4169EE7'

test('a contact is made, changed, found and deleted', async () => {
  const api = anApi()
  const { token, id: userId } = await aUser(api)
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

test('mistakes are told in the specification’s words, at their field', async () => {
  const api = anApi()
  const { token } = await aUser(api)
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

test('another user’s contacts do not exist', async () => {
  const api = anApi()
  const [ann, bob] = [await aUser(api), await aUser(api)]
  const body = { name: 'Carl', email: 'carl@bursar.test' }
  const { id } = (await api.call('POST', '/api/contacts', { token: bob.token, body })).json.data
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
  expect((await api.call('GET', '/api/contacts', { token: bob.token })).json.data).toHaveLength(1)
})
