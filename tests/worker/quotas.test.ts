import { createExecutionContext } from 'cloudflare:test'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { minuteMs } from '#domain/time.ts'
import { createApp } from '../../worker/app.ts'
import type { HistoryApi } from '../../worker/history/api.ts'
import { refuseCall } from '../../worker/middleware/rateLimit.ts'
import { attemptKey } from '../../worker/services/attemptLimits.ts'
import { Quota } from '../../worker/services/quotas.ts'
import { within } from '../support/patience.ts'
import { createApi, createUser, env, login, newEmail, seed } from './apiClient.ts'

beforeAll(seed)

/** D1 and History that respond only after `open` was called; `waiting` is the number of calls that they have received until then. */
function slowStorage() {
  const opened = Promise.withResolvers<void>()
  const state = { waiting: 0 }
  const slowly = async <T>(query: () => Promise<T>) => {
    state.waiting++
    await opened.promise
    return query()
  }
  const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>()
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = new Proxy(statement, {
      get(target, name) {
        if (name === 'bind') return (...input: unknown[]) => wrap(target.bind(...input))
        const query = target[name as 'all'].bind(target)
        return (...input: []) => slowly(() => query(...input))
      },
    })
    originals.set(wrapped, statement)
    return wrapped
  }
  const wrapDb = (database: Pick<D1DatabaseSession, 'prepare' | 'batch'>) => ({
    // Whether the session is open is read before a list waits for its turn.
    prepare: (query: string) =>
      query.includes('from "session"') ? database.prepare(query) : wrap(database.prepare(query)),
    batch: (statements: D1PreparedStatement[]) =>
      slowly(() => database.batch(statements.map((statement) => originals.get(statement)!))),
    getBookmark: () => null,
  })
  const DB = {
    ...wrapDb(env.DB),
    withSession: () => wrapDb(env.DB.withSession('first-primary')),
  } as unknown as D1Database
  const HISTORY = {
    getByName(userId: string) {
      const history = env.HISTORY.getByName(userId) as unknown as HistoryApi
      return {
        transactions: (...input: Parameters<HistoryApi['transactions']>) =>
          slowly(() => history.transactions(...input)),
        payouts: (...input: Parameters<HistoryApi['payouts']>) => slowly(() => history.payouts(...input)),
      }
    },
  } as unknown as typeof env.HISTORY
  return { slow: { DB, HISTORY }, state, open: opened.resolve }
}

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

describe('calls of one signed-in user', () => {
  const limits = { LIMITS: '' } // the defaults

  test('a hundred calls are allowed at once, then ten a second, over all routes and sessions @quotas-7', async () => {
    const api = createApi(limits)
    const [ann, bob] = [await createUser(api), await createUser(api)]
    const again = await login(api, ann.email, ann.password)
    const call = (i: number) =>
      i % 2
        ? ann.asOwner('GET', '/preferences')
        : api.call('GET', '/api/contacts', { token: again.json.data.accessToken })
    for (let i = 1; i <= 99; i++) expect((await call(i)).status, `call ${i}`).toBe(200)
    const last = await call(100)
    expect([last.status, last.headers.get('ratelimit')]).toEqual([200, '"user";r=0;t=1'])
    const { DB, statements } = recordedDb()
    const refused = await api.call('GET', '/api/preferences', { token: ann.token, env: { DB } })
    expect([refused.status, refused.json.code, refused.headers.get('retry-after')]).toEqual([429, 'rate_limited', '1'])
    expect(refused.json.error).toBe('Too many requests: the limit is 100 in 10 seconds. Try again in 1 s.')
    expect(statements).toEqual([])
    expect((await bob.asOwner('GET', '/preferences')).status, 'another user').toBe(200)
    api.clock.now += 1000
    for (let i = 1; i <= 10; i++) expect((await call(i)).status, `call ${i} a second later`).toBe(200)
    expect((await call(11)).status).toBe(429)
    api.clock.now += 10_000
    for (let i = 1; i <= 100; i++) expect((await call(i)).status, `call ${i} ten seconds later`).toBe(200)
    expect((await call(101)).status).toBe(429)
  })

  test('of 200 parallel calls a hundred are accepted, and each takes effect once @quotas-8', async () => {
    const api = createApi(limits)
    const { asOwner } = await createUser(api)
    const body = { name: 'Ada', email: 'ada@bursar.test' }
    const answers = await Promise.all(Array.from({ length: 200 }, () => asOwner('POST', '/contacts', body)))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(100)
    expect(statuses.filter((status) => status === 429)).toHaveLength(100)
    api.clock.now += 1000
    expect((await asOwner('GET', '/contacts')).json.page.total).toBe(100)
  })

  test('a search and an export count as five calls @quotas-9', async () => {
    const api = createApi({ LIMITS: '{"userCallBurst":20,"userCallsPerSecond":1}' })
    for (const path of [
      '/contacts?search=x',
      '/contacts/matches?name=x',
      '/transactions/user?memo=x',
      '/escrow/list?status=CREATED',
      '/transactions/export',
      '/escrow/export',
    ]) {
      const { asOwner } = await createUser(api)
      for (let i = 1; i <= 3; i++) expect((await asOwner('GET', path)).status, `${path} ${i}`).toBe(200)
      expect((await asOwner('GET', '/contacts')).status).toBe(200)
      const refused = await asOwner('GET', path)
      expect([refused.status, refused.headers.get('retry-after')], path).toEqual([429, '2'])
    }
  })

  test('a refused call and a refused search are answered after a quarter of a second @quotas-12', async () => {
    const api = createApi({ LIMITS: '{"userCallBurst":6,"userCallsPerSecond":1}' })
    const { asOwner } = await createUser(api)
    const call = async (path: string) => {
      const startedAt = Date.now()
      const { status } = await asOwner('GET', path)
      return { status, ms: Date.now() - startedAt }
    }
    for (let i = 1; i <= 3; i++) expect((await call('/contacts')).status).toBe(200)
    const search = await call('/contacts?search=x')
    for (let i = 1; i <= 2; i++) expect((await call('/contacts')).status).toBe(200)
    for (const { status, ms } of [search, await call('/contacts')]) {
      expect(status).toBe(429)
      expect(ms).toBeGreaterThanOrEqual(249)
    }
  })

  test('a refused call names the wait of its own moment, whatever others do until it is answered @quotas-13', async () => {
    const quota = new Quota('agent', 10, 10_000)
    const now = Date.now()
    while (quota.take('hot', now) >= 0);
    const retryAfter = quota.resetsIn('hot', now)
    const refused = refuseCall(quota, 'hot', now)
    quota.take('hot', now + 5_000)
    await expect(refused).rejects.toMatchObject({ code: 'rate_limited', retryAfter })
  })

  test.each([
    ['calls', 'GET', '/preferences', 16],
    ['lists', 'GET', '/contacts?page=2', 2],
    ['searches', 'GET', '/contacts?search=x', 2],
    ['lists of transactions', 'GET', '/transactions/user', 2],
    ['lists of payouts', 'GET', '/escrow/list', 2],
    ['reads of balances', 'GET', '/contacts/balances?ids=x', 2],
  ])(
    'while D1 and History do not respond, %s of one user wait for each other and not for others’ @quotas-10',
    async (_, method, path, atOnce) => {
      const api = createApi({ LIMITS: '{"userCallBurst":1000}' })
      const [ann, bob] = [await createUser(api), await createUser(api)]
      for (const user of [ann, bob]) await user.asOwner('GET', '/preferences') // their sessions are known
      const { slow, state, open } = slowStorage()
      const call = (token: string) => api.call(method, `/api${path}`, { token, env: slow })
      const hers = Array.from({ length: 24 }, () => call(ann.token))
      const received = async (count: number) => {
        await vi.waitUntil(() => state.waiting >= count, within(10_000))
        await scheduler.wait(100) // for more than there should be
        expect(state.waiting).toBe(count)
      }
      await received(atOnce)
      const his = call(bob.token)
      await received(atOnce + 1)
      open()
      const answers = await Promise.all([...hers, his])
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([path.includes('ids=x') ? 404 : 200]))
    },
  )

  test('an export keeps its place until its last row was read, or its reader is gone @quotas-11', async () => {
    const api = createApi(limits)
    const { token, asOwner } = await createUser(api)
    const app = createApp({ now: () => api.clock.now })
    const start = async () => {
      const headers = { authorization: `Bearer ${token}` }
      const context = createExecutionContext()
      const init = { headers }
      const answer = await app.request(
        'http://localhost:3001/api/transactions/export',
        init,
        { ...env, ...limits },
        context,
      )
      expect(answer.status).toBe(200)
      return answer
    }
    const [first, second] = [await start(), await start()]
    const waits = async () => {
      let done = false
      const list = asOwner('GET', '/contacts').finally(() => {
        done = true
      })
      await scheduler.wait(100)
      expect(done, 'a list waits for both exports').toBe(false)
      return list
    }
    const waiting = waits()
    await scheduler.wait(150)
    expect(await first.text()).toMatch(/^\uFEFF?Created/)
    expect((await waiting).status).toBe(200)
    const third = await start()
    const again = waits()
    await scheduler.wait(150)
    await second.body!.cancel()
    expect((await again).status).toBe(200)
    await third.body!.cancel()
    expect((await asOwner('GET', '/contacts')).status).toBe(200)
  })
})
