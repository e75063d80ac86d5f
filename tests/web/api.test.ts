import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiError, api } from '../../web/src/lib/api.ts'
import { isUnknown } from '../../web/src/lib/hooks.ts'
import { storage } from './browser.ts'

type Call = { path: string; headers: Record<string, string> }
let calls: Call[]
let answers: (call: Call) => { status?: number; body?: unknown; headers?: Record<string, string> } | 'unreachable'

const events = new EventTarget()
const minuteMs = 60_000
const ok = (data: unknown) => ({ body: { success: true, data } })
const tokens = { accessToken: 'fresh', idToken: 'id', refreshToken: 'refresh-2', expiresIn: 900 }

function signedIn(expiresInMs: number): void {
  localStorage.setItem('auth_token', 'old')
  localStorage.setItem('auth_user', JSON.stringify({ id: 'usr_1', email: 'ada@example.com' }))
  localStorage.setItem('token_expiry', String(Date.now() + expiresInMs))
  localStorage.setItem('cognito_refresh_token', 'refresh-1')
}

beforeEach(() => {
  calls = []
  answers = () => ok(null)
  vi.stubGlobal('localStorage', storage())
  vi.stubGlobal('sessionStorage', storage())
  vi.stubGlobal('dispatchEvent', events.dispatchEvent.bind(events))
  vi.stubGlobal('fetch', async (path: string, init: { headers: Record<string, string> }) => {
    const call = { path, headers: init.headers }
    calls.push(call)
    const answer = answers(call)
    if (answer === 'unreachable') throw new TypeError('fetch failed')
    return new Response(JSON.stringify(answer.body), { status: answer.status ?? 200, headers: answer.headers ?? {} })
  })
})
afterEach(() => vi.unstubAllGlobals())

test('a call carries identity, key and the bookmark of the answer before', async () => {
  signedIn(10 * minuteMs)
  answers = () => ({ ...ok([1]), headers: { 'x-d1-bookmark': 'mark' } })
  expect(await api.get('/wallets')).toEqual([1])
  await api.post('/transactions/send', {}, { idempotencyKey: 'key' })
  expect(calls[1]).toEqual({
    path: '/api/transactions/send',
    headers: {
      'Content-Type': 'application/json',
      Authorization: 'Bearer old',
      'X-User-ID': 'usr_1',
      'Idempotency-Key': 'key',
      'x-d1-bookmark': 'mark',
    },
  })
})

test('a refusal tells its message, else its error, with code and field', async () => {
  answers = () => ({
    status: 400,
    body: { success: false, error: 'bad', message: 'Better words', code: 'x', field: 'amount' },
  })
  await expect(api.get('/a', { public: true })).rejects.toMatchObject({
    message: 'Better words',
    code: 'x',
    field: 'amount',
    status: 400,
  })
  answers = () => ({ status: 500, body: { success: false, code: 'internal' } })
  await expect(api.get('/a', { public: true })).rejects.toMatchObject({ message: 'Something went wrong' })
})

test('no answer is told as such and its outcome is unknown', async () => {
  answers = () => 'unreachable'
  const error = await api.get('/a', { public: true }).catch((problem: unknown) => problem)
  expect(error).toBeInstanceOf(ApiError)
  expect((error as ApiError).message).toBe(
    'Cannot connect to server. Please ensure the backend is running on port 3001.',
  )
  expect(isUnknown(error)).toBe(true)
  expect(isUnknown(new ApiError(422, 'x', 'no'))).toBe(false)
})

test('under five minutes parallel calls renew the tokens once', async () => {
  signedIn(4 * minuteMs)
  answers = ({ path }) => (path.endsWith('/refresh') ? ok(tokens) : ok(null))
  await Promise.all([api.get('/a'), api.get('/b'), api.get('/c')])
  expect(calls.filter(({ path }) => path.endsWith('/refresh'))).toHaveLength(1)
  expect(calls.filter(({ headers }) => headers.Authorization === 'Bearer fresh')).toHaveLength(3)
  expect(localStorage.getItem('cognito_refresh_token')).toBe('refresh-2')
})

test('a refused token is renewed and the call made again, once', async () => {
  signedIn(10 * minuteMs)
  answers = ({ path, headers }) => {
    if (path.endsWith('/refresh')) return ok(tokens)
    return headers.Authorization === 'Bearer fresh'
      ? ok('done')
      : { status: 401, body: { success: false, error: 'Your session has expired.', code: 'unauthenticated' } }
  }
  expect(await api.get('/a')).toBe('done')
  expect(calls.map(({ path }) => path)).toEqual(['/api/a', '/api/auth/cognito/refresh', '/api/a'])
})

test('a session that can not be renewed ends, and says so once', async () => {
  signedIn(10 * minuteMs)
  const ended = vi.fn()
  events.addEventListener('session-expired', ended)
  answers = () => ({ status: 401, body: { success: false, error: 'Unauthorized', code: 'unauthenticated' } })
  await Promise.allSettled([api.get('/a'), api.get('/b')])
  expect(ended).toHaveBeenCalledTimes(1)
  expect(localStorage.getItem('auth_token')).toBeNull()
})

test('a policy refusal does not end the session', async () => {
  signedIn(10 * minuteMs)
  answers = () => ({
    status: 403,
    body: { success: false, error: "The group's budget has 4.20 USDC left.", code: 'budget_exceeded' },
  })
  await expect(api.get('/a')).rejects.toMatchObject({ status: 403 })
  expect(localStorage.getItem('auth_token')).toBe('old')
})

test.each([
  [{ status: 401, body: { success: false, error: 'In the words of the server.' } }, 'In the words of the server.'],
  [{ status: 401, body: { success: false } }, 'Session expired. Please sign in again.'],
  [{ status: 200, body: { success: false } }, 'Token refresh failed'],
])('why the tokens could not be renewed: %j', async (answer, text) => {
  signedIn(10 * minuteMs)
  const unauthorized = { status: 401, body: { success: false, error: 'Unauthorized', code: 'unauthenticated' } }
  answers = ({ path }) => (path.endsWith('/refresh') ? answer : unauthorized)
  await expect(api.get('/a')).rejects.toMatchObject({ message: text })
  expect(localStorage.getItem('auth_token')).toBeNull()
})

test.each(['This session token is not valid.', 'Authentication required.', 'unauthorized', 'It has EXPIRED.'])(
  'a 403 that says "%s" ends the session too',
  async (error) => {
    signedIn(10 * minuteMs)
    answers = ({ path }) => ({ status: path.endsWith('/refresh') ? 401 : 403, body: { success: false, error } })
    await expect(api.get('/a')).rejects.toThrow()
    expect(localStorage.getItem('auth_token')).toBeNull()
  },
)

test('every call goes to the base path, as JSON, and waits as long as it takes', async () => {
  signedIn(10 * minuteMs)
  const sent: [string, RequestInit][] = []
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    sent.push([path, init])
    return Response.json({ success: true, data: null })
  })
  await Promise.all([api.get('/a'), api.post('/a', {}), api.put('/a', {}), api.patch('/a', {}), api.delete('/a')])
  expect(sent.map(([path, { method }]) => `${method} ${path}`)).toEqual(
    ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => `${method} /api/a`),
  )
  for (const [, init] of sent) {
    expect(init.headers).toMatchObject({ 'Content-Type': 'application/json' })
    expect(init.signal, 'no time-out').toBeUndefined()
  }
})
