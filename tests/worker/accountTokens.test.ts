import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose'
import { beforeAll, expect, test } from 'vitest'
import { dayMs, minuteMs } from '#domain/time.ts'
import { createApi, createApiAndUser, createUser, env, login, refresh, seed } from './apiClient.ts'

beforeAll(seed)

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const parts = (token: string) => {
  const [header, payload, signature] = token.split('.')
  const read = (part?: string) => JSON.parse(Buffer.from(part!, 'base64url').toString())
  return { header: read(header), payload: read(payload), signature: signature! }
}

test('a refresh token is exchanged for a new one; two tabs within ten minutes both succeed @tokens-1', async () => {
  const { api, user: ann } = await createApiAndUser()
  const one = await refresh(api, ann.refreshToken)
  api.clock.now += 10 * minuteMs
  const two = await refresh(api, ann.refreshToken)
  expect([one.status, two.status]).toEqual([200, 200])
  expect(one.json.data.refreshToken).not.toBe(two.json.data.refreshToken)
  for (const { json } of [one, two])
    expect((await api.call('GET', `/api/users/${ann.id}`, { token: json.data.accessToken })).status).toBe(200)
  expect((await refresh(api, one.json.data.refreshToken)).status).toBe(200)
})

test('a refresh token can be used twice; a third use ends the session, even in parallel @tokens-8', async () => {
  const { api, user: ann } = await createApiAndUser()
  const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(api, ann.refreshToken)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
  for (const { status, json } of answers)
    if (status === 200) expect((await refresh(api, json.data.refreshToken)).status).toBe(401)
})

test('using both successors of a refresh token ends the session, whichever is used first @tokens-9', async () => {
  const api = createApi()
  for (const [first, second] of [
    [0, 1],
    [1, 0],
  ] as const) {
    const ann = await createUser(api)
    const branches = [await refresh(api, ann.refreshToken), await refresh(api, ann.refreshToken)] // one is the thief's
    const next = await refresh(api, branches[first]!.json.data.refreshToken)
    expect(next.status).toBe(200)
    expect((await refresh(api, branches[second]!.json.data.refreshToken)).status).toBe(401)
    expect((await refresh(api, next.json.data.refreshToken)).status, 'the owner signs in again').toBe(401)
  }
})

test('reusing a refresh token after ten minutes ends the whole session @tokens-2', async () => {
  const { api, user: ann } = await createApiAndUser()
  const next = (await refresh(api, ann.refreshToken)).json.data
  api.clock.now += 10 * minuteMs + 1
  const reused = await refresh(api, ann.refreshToken)
  expect(reused.status).toBe(401)
  expect(reused.json.error).toBe('Session expired. Please sign in again.')
  expect((await refresh(api, next.refreshToken)).status).toBe(401)
  expect((await api.call('GET', `/api/users/${ann.id}`, { token: next.accessToken })).status).toBe(401)
})

test('signing out ends this session with all its tokens, and no other session @tokens-3', async () => {
  const { api, user: ann } = await createApiAndUser()
  const elsewhere = (await login(api, ann.email, ann.password)).json.data
  const next = (await refresh(api, ann.refreshToken)).json.data
  const signOut = (refreshToken: string) => api.call('POST', '/api/auth/cognito/sign-out', { body: { refreshToken } })
  const get = async (token: string) => (await api.call('GET', `/api/users/${ann.id}`, { token })).status

  api.clock.now += 1000
  expect((await signOut(next.refreshToken)).json).toEqual({ success: true, data: null })
  for (const token of [ann.refreshToken, next.refreshToken]) expect((await refresh(api, token)).status).toBe(401)
  for (const token of [ann.token, next.accessToken]) expect(await get(token)).toBe(401)
  expect(await get(elsewhere.accessToken)).toBe(200)
  expect((await refresh(api, elsewhere.refreshToken)).status).toBe(200)
  for (const token of [next.refreshToken, 'unknown']) expect((await signOut(token)).status, 'again').toBe(200)
})

test('sessions expire: access after 15 minutes, refresh after 7 idle days, everything after 30 days @tokens-4', async () => {
  const { api, user: ann } = await createApiAndUser()
  api.clock.now += 14 * minuteMs
  expect((await ann.asOwner('GET', `/users/${ann.id}`)).status).toBe(200)
  api.clock.now += 2 * minuteMs
  const late = await ann.asOwner('GET', `/users/${ann.id}`)
  expect(late.json.error).toBe('Your session has expired. Please sign in again.')
  let { refreshToken } = ann
  for (let day = 6; day <= 24; day += 6) {
    api.clock.now += 6 * dayMs
    const answer = await refresh(api, refreshToken)
    expect(answer.status, `day ${day}`).toBe(200)
    refreshToken = answer.json.data.refreshToken
  }
  api.clock.now += 6 * dayMs
  expect((await refresh(api, refreshToken)).status).toBe(401)

  const bob = await createUser(api)
  api.clock.now += 7 * dayMs
  expect((await refresh(api, bob.refreshToken)).status).toBe(401)
})

test('the database stores no refresh token, session or password in plain text', async () => {
  const { user: ann } = await createApiAndUser()
  const tables = ['user', 'session', 'refresh_token', 'login_challenge', 'signup_passcode', 'attempt']
  for (const table of tables) {
    const { results } = await env.DB.prepare(`SELECT * FROM ${table}`).all()
    const dump = JSON.stringify(results)
    for (const secret of [ann.refreshToken, ann.token, ann.password, 'bursar-local', '192.0.2.1'])
      expect(dump, `${table} holds ${secret}`).not.toContain(secret)
  }
})

test('forged tokens are refused: no algorithm, other keys, changed or borrowed claims @tokens-5', async () => {
  const { api, user: ann } = await createApiAndUser()
  const { header, payload, signature } = parts(ann.token)
  const foreign = await generateKeyPair('ES256')
  const resigned = await new SignJWT(payload).setProtectedHeader(header).sign(foreign.privateKey)
  const publicJwk = await exportJWK(foreign.publicKey)
  const selfMade = await new SignJWT(payload).setProtectedHeader({ ...header, jwk: publicJwk }).sign(foreign.privateKey)
  const { x } = JSON.parse(env.JWT_PRIVATE_JWK)
  const hmac = await new SignJWT(payload).setProtectedHeader({ ...header, alg: 'HS256' }).sign(Buffer.from(x))
  const idToken = (await refresh(api, ann.refreshToken)).json.data.idToken
  const forged = {
    'alg none': `${encode({ ...header, alg: 'none' })}.${encode(payload)}.`,
    'alg none, signature kept': `${encode({ ...header, alg: 'none' })}.${encode(payload)}.${signature}`,
    'another key': resigned,
    'its own key': selfMade,
    'HMAC with the public key': hmac,
    'changed subject': `${encode(header)}.${encode({ ...payload, sub: 'user_demo' })}.${signature}`,
    'the id token': idToken,
    'the refresh token': ann.refreshToken,
    garbage: 'a.b.c',
    'ten kB': 'x'.repeat(10_000),
  }
  for (const [kind, token] of Object.entries(forged)) {
    const answer = await api.call('GET', `/api/users/${ann.id}`, { token })
    expect(answer.status, kind).toBe(401)
    expect(answer.json.code, kind).toBe('unauthenticated')
  }
  expect(
    (await api.call('GET', `/api/users/${ann.id}`, { headers: { authorization: `Basic ${ann.token}` } })).status,
  ).toBe(401)
})

test('truncated tokens are refused at any length @tokens-6', async () => {
  const { api, user: ann } = await createApiAndUser()
  const { length } = ann.token
  for (const end of [1, 10, ann.token.indexOf('.'), ann.token.lastIndexOf('.') + 1, length - 20, length - 1]) {
    const token = ann.token.slice(0, end)
    const answer = await api.call('GET', `/api/users/${ann.id}`, { token })
    expect([answer.status, answer.json.code], `${end} of ${length}`).toEqual([401, 'unauthenticated'])
  }
  expect((await refresh(api, ann.refreshToken.slice(0, -1))).status).toBe(401)
  expect((await refresh(api, ann.refreshToken)).status).toBe(200)
})

test.each([-5, 5])(
  'a client clock that is %i minutes off breaks neither tokens nor refresh @tokens-7',
  async (minutes) => {
    const { api, user: ann } = await createApiAndUser()
    const next = (await refresh(api, ann.refreshToken)).json.data
    api.clock.now += minutes * minuteMs
    for (const token of [ann.token, next.accessToken])
      expect((await api.call('GET', `/api/users/${ann.id}`, { token })).status).toBe(200)
    expect((await refresh(api, next.refreshToken)).status).toBe(200)
  },
)

test('the JWKS endpoint publishes one public key, which verifies our tokens and which any origin can read and cache', async () => {
  const api = createApi()
  const { json, headers } = await api.call('GET', '/.well-known/jwks.json')
  expect(json.keys).toHaveLength(1)
  expect(Object.keys(json.keys[0]).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(headers.get('cache-control')).toBe('public, max-age=300')
  const { id, token } = await createUser(api)
  const verified = await jwtVerify(token, createLocalJWKSet(json), { currentDate: new Date(api.clock.now) })
  expect(verified.payload.sub).toBe(id)
})
