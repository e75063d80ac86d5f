import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { openDb } from '../../worker/db/d1.ts'
import { pushSubscriptionsOf } from '../../worker/db/pushSubscriptions.ts'
import { pushToUser } from '../../worker/notifications/pushToUser.ts'
import { newBrowser } from '../support/pushBrowser.ts'
import { serveUrl } from '../support/serveUrl.ts'
import { createApi, createUser, env, login, seed } from './apiClient.ts'

beforeAll(seed)
afterEach(() => vi.restoreAllMocks())

const jwk = JSON.stringify({ ...JSON.parse(env.JWT_PRIVATE_JWK), kid: 'push' })
const settings = { ...env, PUSH_PRIVATE_JWK: jwk }
const api = createApi({ PUSH_PRIVATE_JWK: jwk })
const notice = { title: 'Hello', body: 'World', path: '/dashboard/approvals', tag: 'test' }
const { db } = openDb(env.DB)

const save = (token: string, body: object) => api.call('POST', '/api/push/subscriptions', { token, body })
const push = (userId: string) => pushToUser(settings, db, userId, notice, 60)
const endpointsOf = async (userId: string) => (await pushSubscriptionsOf(db, userId)).map(({ endpoint }) => endpoint)

/** A stand-in for the push service that replies to each endpoint with its status. */
const services = (statuses: Record<string, number>) =>
  serveUrl('https://fcm.googleapis.com/', ({ url }) => new Response(null, { status: statuses[url] ?? 599 }))

test('a browser subscribes with the server’s key, gets a test message and unsubscribes @push-6', async () => {
  const { token, id: userId } = await createUser(api)
  const key = await api.call('GET', '/api/push/key', { token })
  expect(key.json.data.publicKey).toMatch(/^B[\w-]{86}$/)
  expect((await api.call('GET', '/api/push/key', { token, env: { PUSH_PRIVATE_JWK: '' } })).json.data).toEqual({
    publicKey: null,
  })

  const browser = await newBrowser()
  const body = { endpoint: browser.endpoint }
  expect((await api.call('POST', '/api/push/test', { token, body })).status).toBe(404)
  expect((await save(token, browser)).status).toBe(201)
  const requests = services({ [browser.endpoint]: 201 })
  expect((await api.call('POST', '/api/push/test', { token, body })).json.data).toEqual({ result: 'accepted' })
  expect(requests.map(({ url }) => url)).toEqual([browser.endpoint])
  expect((await api.call('DELETE', '/api/push/subscriptions', { token, body })).status).toBe(200)
  expect(await push(userId)).toBe('not_set_up')
})

test('a subscription with an unknown push service, an invalid key or no login session is not stored @push-7', async () => {
  const { token, id: userId } = await createUser(api)
  const browser = await newBrowser()
  const refused = await save(token, { ...browser, endpoint: 'https://169.254.169.254/latest' })
  expect(refused).toMatchObject({ status: 400, json: { field: 'endpoint' } })
  const wrongKey = { ...browser, keys: { ...browser.keys, p256dh: `B${'A'.repeat(86)}` } }
  expect(await save(token, wrongKey)).toMatchObject({ status: 400, json: { field: 'keys.p256dh' } })
  expect((await api.call('POST', '/api/push/subscriptions', { body: browser })).status).toBe(401)
  expect(await endpointsOf(userId)).toEqual([])
})

test('a push counts the replies for all browsers, and removes browsers that are gone @push-8', async () => {
  const { token, id: userId } = await createUser(api)
  const [first, second] = [await newBrowser(), await newBrowser()]
  await save(token, first)
  await save(token, second)

  services({ [first.endpoint]: 500, [second.endpoint]: 201 })
  expect(await push(userId)).toBe('accepted')
  services({ [first.endpoint]: 500, [second.endpoint]: 410 })
  expect(await push(userId)).toBe('failed')
  expect(await endpointsOf(userId)).toEqual([first.endpoint])
  services({ [first.endpoint]: 404 })
  expect(await push(userId)).toBe('not_set_up')
  expect(await endpointsOf(userId)).toEqual([])
})

test('a browser belongs to the user who subscribed there last, and no other user can unsubscribe it @push-9', async () => {
  const [ann, bob] = [await createUser(api), await createUser(api)]
  const browser = await newBrowser()
  await save(ann.token, browser)
  await bob.asOwner('DELETE', '/push/subscriptions', { endpoint: browser.endpoint })
  expect(await endpointsOf(ann.id)).toEqual([browser.endpoint])
  await save(bob.token, browser)
  expect(await endpointsOf(ann.id)).toEqual([])
  expect(await endpointsOf(bob.id)).toEqual([browser.endpoint])
})

test('a user has at most ten browsers: an eleventh replaces the oldest @push-10', async () => {
  const { token, id: userId } = await createUser(api)
  const first = await newBrowser()
  await save(token, first)
  for (let n = 0; n < 10; n++) {
    api.clock.now += 1000
    await save(token, await newBrowser())
  }
  const kept = await endpointsOf(userId)
  expect(kept).toHaveLength(10)
  expect(kept).not.toContain(first.endpoint)
})

test('changing the password unsubscribes the user’s other browsers @push-11', async () => {
  const { token, id: userId, email, password } = await createUser(api)
  const [here, there] = [await newBrowser(), await newBrowser()]
  const other = await login(api, email, password)
  await save(other.json.data.accessToken, there)
  await save(token, here)
  const body = { currentPassword: password, newPassword: 'another horse battery' }
  const changed = await api.call('PATCH', `/api/users/${userId}/change-password`, { token, body })
  expect(changed.status, changed.text).toBe(200)
  expect(await endpointsOf(userId)).toEqual([here.endpoint])
})
