import { beforeAll, describe, expect, test } from 'vitest'
import { minuteMs } from '#domain/time.ts'
import { attemptKey } from '../../worker/services/attemptLimits.ts'
import { createApi, createUser, env, login, newEmail, seed } from './apiClient.ts'

beforeAll(seed)

/** D1, with the statements that were prepared. */
function recordedDb() {
  const statements: string[] = []
  const DB = {
    withSession(bookmark: string) {
      const session = env.DB.withSession(bookmark)
      const prepare = (query: string) => {
        statements.push(query)
        return session.prepare(query)
      }
      return { prepare, batch: session.batch.bind(session), getBookmark: () => session.getBookmark() }
    },
  } as unknown as D1Database
  return { DB, statements }
}

describe('calls without a session', () => {
  test('a refresh token that we did not sign is refused without reading D1 @quotas-4', async () => {
    const api = createApi()
    const { refreshToken } = await createUser(api)
    const { DB, statements } = recordedDb()
    const call = (path: string, token: string) =>
      api.call('POST', `/api/auth/cognito/${path}`, { body: { refreshToken: token }, env: { DB } })
    for (const token of ['x', 'br_x.session_y.z', `${refreshToken.slice(0, -1)}?`]) {
      expect((await call('refresh', token)).status, token).toBe(401)
      expect((await call('sign-out', token)).status, token).toBe(200)
    }
    expect(statements).toEqual([])
    expect((await call('refresh', refreshToken)).status).toBe(200)
    expect(statements).not.toEqual([])
  })

  test.each([
    ['POST', '/api/auth/cognito/refresh', 'signInCallsPerMinute', 401],
    ['POST', '/api/auth/cognito/sign-out', 'signInCallsPerMinute', 200],
    ['POST', '/api/auth/cognito/new-password', 'signInCallsPerMinute', 410],
    ['POST', '/api/login', 'signInCallsPerMinute', 401],
    ['GET', '/api/health', 'healthChecksPerMinute', 200],
  ])('%s %s is limited per network address before D1 is read @quotas-5', async (method, path, limit, status) => {
    const api = createApi({ LIMITS: JSON.stringify({ [limit]: 3 }) })
    const { DB, statements } = recordedDb()
    const credentials = { email: newEmail(), password: 'nobody has this', newPassword: 'nobody has this', session: 'x' }
    const body = method === 'GET' ? {} : { body: { refreshToken: 'br_x', ...credentials } }
    const call = (from: string, over = {}) => api.call(method, path, { ...body, from, env: over })
    const address = `2001:db8:${path.length}::`
    for (let i = 1; i <= 3; i++) expect((await call(`${address}${i}`)).status, `call ${i}`).toBe(status)
    const refused = await call(`${address}4`, { DB })
    expect(refused.status).toBe(429)
    expect(refused.json).toMatchObject({ code: 'rate_limited', error: expect.stringContaining('the limit is 3 in 60') })
    expect(refused.headers.get('retry-after')).toBe('20')
    expect(statements).toEqual([])
    expect((await call(`198.18.1.${path.length}`)).status, 'another address').toBe(status)
    api.clock.now += 20_000
    expect((await call(`${address}5`)).status, 'after the stated wait').toBe(status)
  })

  test('a sign-in from an address that has tried too many writes nothing @quotas-6', async () => {
    const api = createApi()
    const from = '198.18.0.78'
    const key = attemptKey('login-address', from)
    const count = () => env.DB.prepare('SELECT count FROM attempt WHERE key = ?').bind(key).first<number>('count')
    const rows = () => env.DB.prepare('SELECT count(*) AS n FROM attempt').first<number>('n')
    await env.DB.prepare('INSERT INTO attempt (key, count, resets_at) VALUES (?, 999, ?)')
      .bind(key, api.clock.now + 10 * minuteMs)
      .run()
    expect((await login(api, newEmail(), 'wrong password', from)).status, 'the last one').toBe(401)
    const before = await rows()
    for (let i = 0; i < 3; i++) {
      const refused = await login(api, newEmail(), 'wrong password', from)
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '600'])
    }
    expect(await rows()).toBe(before)
    expect(await count()).toBeLessThanOrEqual(1001)
    api.clock.now += 10 * minuteMs
    expect((await login(api, newEmail(), 'wrong password', from)).status).toBe(401)
    expect(await count()).toBe(1)
  })
})
