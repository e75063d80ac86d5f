/** Where a user's Treasury is created: near the place of the sign-up or, if that is unknown, of the first sign-in. */
import { beforeAll, expect, test } from 'vitest'
import { keepAccounts } from '../../worker/backup/accounts.ts'
import { primaryDb } from '../../worker/db/d1.ts'
import { auth, createApi, createUser, env, mailedCode, newEmail, passcode, seed } from './apiClient.ts'

beforeAll(seed)

const sydney = { continent: 'OC', country: 'AU', longitude: '151.21' }
const paris = { continent: 'EU', country: 'FR', longitude: '2.35' }

/** Settings that record with which hint each Treasury is first addressed. */
function recordHints() {
  const hints = new Map<string, string | undefined>()
  const TREASURY = new Proxy(env.TREASURY, {
    get(target, name) {
      if (name !== 'getByName') return Reflect.get(target, name)
      return (userId: string, options?: DurableObjectNamespaceGetDurableObjectOptions) => {
        if (!hints.has(userId)) hints.set(userId, options?.locationHint)
        return target.getByName(userId, options)
      }
    },
  })
  return { hints, TREASURY }
}

const regionOf = (email: string) =>
  env.DB.prepare('SELECT region FROM user WHERE email = ?').bind(email).first('region')
const idOf = async (email: string) =>
  String(await env.DB.prepare('SELECT id FROM user WHERE email = ?').bind(email).first('id'))

test('the cron creates a Treasury near the place of the sign-up with a passcode @region-2', async () => {
  const api = createApi()
  const email = newEmail()
  const body = { email, name: 'Ann', signupPasscode: passcode }
  await api.call('POST', '/api/users', { body, cf: sydney })
  expect(await regionOf(email)).toBe('oc')
  const { hints, TREASURY } = recordHints()
  await keepAccounts({ ...env, TREASURY }, primaryDb(env.DB))
  expect(hints.get(await idOf(email))).toBe('oc')
})

test('the place where the email is confirmed counts, not the one of the sign-up, which anyone can start @region-3', async () => {
  const api = createApi()
  const email = newEmail()
  const signUp = { email, name: 'Ann', password: 'correct horse battery' }
  const call = (name: string, body: object, cf: typeof paris) =>
    api.call('POST', `/api/auth/cognito/${name}`, { body, cf })
  const { signupToken } = (await call('signup', signUp, paris)).json.data
  expect(await regionOf(email)).toBeNull()
  await call('confirm', { email, code: await mailedCode(email), signupToken }, sydney)
  expect(await regionOf(email)).toBe('oc')
})

test('the first sign-in places an account without a region; later ones move nothing @region-4', async () => {
  const api = createApi()
  const { email, password, id } = await createUser(api)
  const { hints, TREASURY } = recordHints()
  const signIn = (cf?: typeof paris) =>
    api.call('POST', '/api/auth/cognito/login', { body: { email, password }, env: { TREASURY }, ...(cf && { cf }) })
  expect((await signIn(sydney)).status).toBe(200)
  expect([hints.get(id), await regionOf(email)]).toEqual(['oc', 'oc'])
  expect((await signIn(paris)).status).toBe(200)
  expect((await auth(api, 'login', { email, password })).status).toBe(200)
  expect(await regionOf(email)).toBe('oc')
})
