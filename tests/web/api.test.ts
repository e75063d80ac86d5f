import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { minuteMs } from '#domain/time.ts'
import { api, apiEnvelope } from '#web/lib/api.ts'
import { ApiError, isOutcomeUnknown } from '#web/lib/apiError.ts'
import { apiFile } from '#web/lib/apiFile.ts'
import { waitWhenRefused } from '#web/lib/repeat.ts'
import { storage } from './browser.ts'

type Call = { path: string; headers: Record<string, string> }
let calls: Call[]
let respond: (call: Call) => { status?: number; body?: unknown; headers?: Record<string, string> } | 'unreachable'

const events = new EventTarget()
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
  respond = () => ok(null)
  vi.stubGlobal('localStorage', storage())
  vi.stubGlobal('sessionStorage', storage())
  vi.stubGlobal('location', new URL('http://localhost:3001'))
  vi.stubGlobal('dispatchEvent', events.dispatchEvent.bind(events))
  vi.stubGlobal('fetch', async (path: string, init: { headers: Record<string, string> }) => {
    const call = { path, headers: init.headers }
    calls.push(call)
    const reply = respond(call)
    if (reply === 'unreachable') throw new TypeError('fetch failed')
    return new Response(JSON.stringify(reply.body), { status: reply.status ?? 200, headers: reply.headers ?? {} })
  })
})
afterEach(() => vi.unstubAllGlobals())

test('sends credentials, the idempotency key and the D1 bookmark of the previous reply @api-client-1', async () => {
  signedIn(10 * minuteMs)
  respond = () => ({ ...ok([1]), headers: { 'x-d1-bookmark': 'mark' } })
  expect(await api('GET /wallets')).toEqual([1])
  const body = { walletId: 'wal_1', toAddress: '0x', amount: '1' }
  await api('POST /transactions/send', { body, idempotencyKey: 'key' })
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

test('a refusal throws ApiError with the reply’s message (or else its error), code and field @api-client-2', async () => {
  respond = () => ({
    status: 400,
    body: { success: false, error: 'bad', message: 'Better words', code: 'x', field: 'amount' },
  })
  await expect(api('GET /config', { public: true })).rejects.toMatchObject({
    message: 'Better words',
    code: 'x',
    field: 'amount',
    status: 400,
  })
  respond = () => ({ status: 500, body: { success: false, code: 'internal' } })
  await expect(api('GET /config', { public: true })).rejects.toMatchObject({ message: 'Something went wrong' })
})

test('a call without a reply throws ApiError, and its outcome is unknown @api-client-3', async () => {
  respond = () => 'unreachable'
  const error = await api('GET /config', { public: true }).catch((problem: unknown) => problem)
  expect(error).toBeInstanceOf(ApiError)
  expect((error as ApiError).message).toBe(
    'Cannot connect to server. Please ensure the backend is running on port 3001.',
  )
  expect(isOutcomeUnknown(error)).toBe(true)
  expect(isOutcomeUnknown(new ApiError(422, 'x', 'no'))).toBe(false)
})

test('parallel calls renew the tokens only once when they expire in under five minutes @api-client-4', async () => {
  signedIn(4 * minuteMs)
  respond = ({ path }) => (path.endsWith('/refresh') ? ok(tokens) : ok(null))
  await Promise.all([api('GET /wallets'), api('GET /agents'), api('GET /contacts')])
  expect(calls.filter(({ path }) => path.endsWith('/refresh'))).toHaveLength(1)
  expect(calls.filter(({ headers }) => headers.Authorization === 'Bearer fresh')).toHaveLength(3)
  expect(localStorage.getItem('cognito_refresh_token')).toBe('refresh-2')
})

test('renews the tokens and retries the call once after a refused token', async () => {
  signedIn(10 * minuteMs)
  respond = ({ path, headers }) => {
    if (path.endsWith('/refresh')) return ok(tokens)
    return headers.Authorization === 'Bearer fresh'
      ? ok('done')
      : { status: 401, body: { success: false, error: 'Your session has expired.', code: 'unauthenticated' } }
  }
  expect(await api('GET /wallets')).toBe('done')
  expect(calls.map(({ path }) => path)).toEqual(['/api/wallets', '/api/auth/cognito/refresh', '/api/wallets'])
})

test('a session that cannot be renewed ends with a single session-expired event @api-client-5', async () => {
  signedIn(10 * minuteMs)
  const ended = vi.fn()
  events.addEventListener('session-expired', ended)
  respond = () => ({ status: 401, body: { success: false, error: 'Unauthorized', code: 'unauthenticated' } })
  await Promise.allSettled([api('GET /wallets'), api('GET /agents')])
  expect(ended).toHaveBeenCalledTimes(1)
  expect(localStorage.getItem('auth_token')).toBeNull()
})

test('a policy refusal does not end the session @api-client-6', async () => {
  signedIn(10 * minuteMs)
  respond = () => ({
    status: 403,
    body: { success: false, error: "The group's budget has 4.20 USDC left.", code: 'budget_exceeded' },
  })
  await expect(api('GET /wallets')).rejects.toMatchObject({ status: 403 })
  expect(localStorage.getItem('auth_token')).toBe('old')
})

test.each([
  [{ status: 401, body: { success: false, error: 'In the words of the server.' } }, 'In the words of the server.'],
  [{ status: 401, body: { success: false } }, 'Session expired. Please sign in again.'],
  [{ status: 200, body: { success: false } }, 'Token refresh failed'],
])('reports why the tokens could not be renewed after the reply %j @api-client-7', async (reply, text) => {
  signedIn(10 * minuteMs)
  const unauthorized = { status: 401, body: { success: false, error: 'Unauthorized', code: 'unauthenticated' } }
  respond = ({ path }) => (path.endsWith('/refresh') ? reply : unauthorized)
  await expect(api('GET /wallets')).rejects.toMatchObject({ message: text })
  expect(localStorage.getItem('auth_token')).toBeNull()
})

test.each(['This session token is not valid.', 'Authentication required.', 'unauthorized', 'It has EXPIRED.'])(
  'a 403 with the message "%s" ends the session @api-client-8',
  async (error) => {
    signedIn(10 * minuteMs)
    respond = ({ path }) => ({ status: path.endsWith('/refresh') ? 401 : 403, body: { success: false, error } })
    await expect(api('GET /wallets')).rejects.toThrow()
    expect(localStorage.getItem('auth_token')).toBeNull()
  },
)

test('every call is sent to the base path as JSON, without a timeout @api-client-9', async () => {
  signedIn(10 * minuteMs)
  const sent: [string, RequestInit][] = []
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    sent.push([path, init])
    return Response.json({ success: true, data: null })
  })
  const params = { walletId: 'wal_1' }
  await api('GET /wallets')
  await api('POST /wallets/:walletId/pause', { params })
  await api('PUT /wallets/:walletId', { params, body: { name: null } })
  await api('PATCH /users/:userId', { params: { userId: 'usr_1' }, body: { name: 'Ada' } })
  await api('DELETE /wallets/:walletId', { params, body: {} })
  expect(sent.map(([path, { method, body }]) => [`${method} ${path}`, body])).toEqual([
    ['GET /api/wallets', undefined],
    ['POST /api/wallets/wal_1/pause', '{}'],
    ['PUT /api/wallets/wal_1', '{"name":null}'],
    ['PATCH /api/users/usr_1', '{"name":"Ada"}'],
    ['DELETE /api/wallets/wal_1', '{}'],
  ])
  for (const [, init] of sent) {
    expect(init.headers).toMatchObject({ 'Content-Type': 'application/json' })
    expect(init.signal, 'no timeout').toBeNull()
  }
})

test('encodes path parameters, and leaves unset values out of the query', async () => {
  signedIn(10 * minuteMs)
  respond = () => ({ body: { success: true, data: [], page: { number: 2, size: 25, total: 30 } } })
  await api('POST /policy-groups/:groupId/contacts/:contactId/confirm', {
    params: { groupId: 'a/b', contactId: '?c=é' },
    body: { address: null, email: null, phone: null },
  })
  const { page } = await apiEnvelope('GET /transactions/user', {
    query: { page: 2, memo: 'lunch & tea', sender: undefined, search: '' },
  })
  expect(page).toEqual({ number: 2, size: 25, total: 30 })
  expect(calls.map(({ path }) => path)).toEqual([
    '/api/policy-groups/a%2Fb/contacts/%3Fc%3D%C3%A9/confirm',
    '/api/transactions/user?page=2&memo=lunch+%26+tea',
  ])
})

test('a public call, too, names the signed-in user, and its refusal does not end the session @screens-49', async () => {
  signedIn(minuteMs)
  respond = () => ({ status: 401, body: { success: false, error: 'Unauthorized', code: 'unauthenticated' } })
  const claim = api('GET /escrow/claim/:accessToken', { public: true, params: { accessToken: 'x' } })
  await expect(claim).rejects.toMatchObject({ status: 401 })
  expect(calls).toHaveLength(1)
  const headers = { 'Content-Type': 'application/json' }
  expect(calls[0]!.headers).toEqual({ ...headers, Authorization: 'Bearer old', 'X-User-ID': 'usr_1' })
  expect(localStorage.getItem('auth_token')).toBe('old')

  localStorage.clear()
  await expect(api('GET /config', { public: true })).rejects.toMatchObject({ status: 401 })
  expect(calls[1]!.headers).toEqual(headers)
})

test('apiFile returns a file unchanged, and throws ApiError on a refusal', async () => {
  signedIn(10 * minuteMs)
  vi.stubGlobal('fetch', async () => new Response('a,b'))
  expect(await (await apiFile('GET /escrow/export')).text()).toBe('a,b')
  vi.stubGlobal('fetch', async () =>
    Response.json({ success: false, error: 'Too many rows.', code: 'invalid_input' }, { status: 400 }),
  )
  await expect(apiFile('GET /escrow/export')).rejects.toMatchObject({ message: 'Too many rows.', status: 400 })
})

describe('too many calls', () => {
  const refused = (seconds = 1, code = 'rate_limited') => ({
    status: 429,
    body: { success: false, error: 'Too many requests', code },
    headers: { 'retry-after': String(seconds) },
  })
  let told: number[]
  /** Refuses the first calls, however many. */
  const refuse = (times: number, reply: ReturnType<typeof respond> = refused()) => {
    respond = () => (calls.length <= times ? reply : ok('done'))
  }
  beforeAll(() => waitWhenRefused((count) => told.push(count)))
  beforeEach(() => {
    told = []
    vi.useFakeTimers()
  })
  afterEach(() => vi.useRealTimers())

  test('a call that can be repeated waits as long as the server says @api-client-15', async () => {
    const params = { contactId: 'con_1' }
    const body = { name: 'Ada', email: 'ada@example.com' }
    for (const call of [
      () => api('GET /wallets'),
      () => api('PUT /contacts/:contactId', { params, body }),
      () => api('DELETE /contacts/:contactId', { params }),
      () => api('POST /transactions/send', { body: {} as never, idempotencyKey: 'key' }),
    ]) {
      calls = []
      refuse(2)
      const reply = call()
      await vi.advanceTimersByTimeAsync(999)
      expect(calls).toHaveLength(1)
      await vi.advanceTimersByTimeAsync(4_000)
      expect(await reply).toBe('done')
      expect(calls).toHaveLength(3)
      expect(new Set(calls.map(({ headers }) => headers['Idempotency-Key'])).size).toBe(1)
    }
    calls = []
    respond = () => (calls.length === 1 ? refused() : { body: 'a,b' })
    const file = apiFile('GET /transactions/export')
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await (await file).text()).toBe('"a,b"')
  })

  test('a call that might take effect twice, and one that waits for something else, is not repeated @api-client-16', async () => {
    refuse(1)
    const body = { name: 'Ada', email: 'ada@example.com' }
    await expect(api('POST /contacts', { body })).rejects.toMatchObject({ code: 'rate_limited', status: 429 })
    for (const reply of [refused(900), { ...refused(), headers: {} }, { ...refused(), status: 503 }]) {
      calls = []
      refuse(1, reply)
      await expect(api('GET /wallets')).rejects.toMatchObject({ code: 'rate_limited' })
      expect(calls).toHaveLength(1)
    }
  })

  test('waiting ends with the call, and after a minute @api-client-17', async () => {
    refuse(1_000)
    const leaving = new AbortController()
    const left = api('GET /wallets', { signal: leaving.signal }).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(500)
    leaving.abort(new Error('left'))
    expect(await left).toMatchObject({ message: 'left' })
    const hopeless = api('GET /wallets').catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(65_000)
    expect(await hopeless).toMatchObject({ code: 'rate_limited' })
    const sent = calls.length
    await vi.advanceTimersByTimeAsync(10_000)
    expect(calls).toHaveLength(sent)
  })

  test('renewing the session waits too, and does not end it @api-client-18', async () => {
    signedIn(4 * minuteMs)
    respond = ({ path }) => {
      if (!path.endsWith('/refresh')) return ok('done')
      return calls.length <= 2 ? refused() : ok(tokens)
    }
    const reply = api('GET /wallets')
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await reply).toBe('done')
    expect(calls.at(-1)!.headers.Authorization).toBe('Bearer fresh')
  })

  test('the page hears of calls that wait for longer, and of their end @api-client-19', async () => {
    refuse(2)
    const short = api('GET /wallets')
    await vi.advanceTimersByTimeAsync(5_000)
    await short
    expect(told, 'a short wait').toEqual([])
    calls = []
    refuse(10)
    const both = [api('GET /wallets'), api('GET /agents')]
    await vi.advanceTimersByTimeAsync(5_000)
    expect(told).toEqual([1, 2])
    await vi.advanceTimersByTimeAsync(10_000)
    await Promise.all(both)
    expect(told.at(-1)).toBe(0)
  })
})
