import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { hourMs, minuteMs } from '#domain/time.ts'
import { locks, storage, windowEvents } from './browser.ts'

const now = Date.parse('2026-11-20T08:00:00Z')
const user = { id: 'usr_1', email: 'ada@example.com', name: 'Ada', needsOnboarding: false }

let events: ReturnType<typeof windowEvents>
let calls: { path: string; body: unknown }[]
let answer: (path: string) => { status?: number; body: unknown }
let channels: { onmessage: (() => void) | null }[]

const ok = (data: unknown) => ({ body: { success: true, data } })
const unauthorized = { status: 401, body: { success: false, error: 'Unauthorized', code: 'unauthenticated' } }

/** A tab: its own copy of the modules. Storage and locks are shared by all tabs. */
async function openTab() {
  vi.resetModules()
  const session = await import('#web/lib/session.ts')
  const { api } = await import('#web/lib/api.ts')
  const { signOut } = await import('#web/lib/signOut.ts')
  return { ...session, signOut, api }
}

function store(change: Record<string, string> = {}): void {
  const entries = {
    auth_token: 'old',
    auth_user: JSON.stringify(user),
    token_expiry: String(now + 10 * minuteMs),
    cognito_refresh_token: 'refresh-1',
    ...change,
  }
  for (const [key, value] of Object.entries(entries)) localStorage.setItem(key, value)
}

beforeEach(() => {
  vi.useFakeTimers({ now, toFake: ['Date'] })
  calls = []
  channels = []
  answer = () => ok(user)
  events = windowEvents()
  vi.stubGlobal('localStorage', storage())
  vi.stubGlobal('sessionStorage', storage())
  vi.stubGlobal('navigator', { locks: locks() })
  vi.stubGlobal(
    'BroadcastChannel',
    class {
      onmessage: (() => void) | null = null
      constructor() {
        channels.push(this)
      }
      postMessage() {
        for (const channel of channels) if (channel !== this) channel.onmessage?.()
      }
    },
  )
  vi.stubGlobal('fetch', async (path: string, init: { body?: string }) => {
    calls.push({ path, body: init.body && JSON.parse(init.body) })
    const { status = 200, body } = answer(path)
    return new Response(JSON.stringify(body), { status })
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('a stored session is restored, then the server is asked for the user @session-1', async () => {
  store()
  answer = () => ok({ ...user, name: 'Ada Lovelace' })
  const tab = await openTab()
  tab.startSession()
  expect(tab.getSession()).toMatchObject({ user: { id: 'usr_1' }, isLoading: false })
  await vi.waitFor(() => expect(tab.getSession().user?.name).toBe('Ada Lovelace'))
  expect(calls.map(({ path }) => path)).toEqual(['/api/users/usr_1'])
  expect(JSON.parse(localStorage.getItem('auth_user')!).name).toBe('Ada Lovelace')
})

test('a refused token ends the restored session @session-2', async () => {
  store()
  answer = () => unauthorized
  const tab = await openTab()
  tab.startSession()
  await vi.waitFor(() => expect(tab.getSession()).toMatchObject({ user: null, expired: true }))
  expect(localStorage.getItem('auth_token')).toBeNull()
})

test('a late answer about a user does not replace one who has signed in in another tab', async () => {
  store()
  const tab = await openTab()
  tab.startSession()
  store({ auth_user: JSON.stringify({ ...user, id: 'usr_2' }), auth_token: 'another' })
  await vi.waitFor(() => expect(calls).toHaveLength(1))
  await vi.waitFor(() => expect(tab.getSession().isLoading).toBe(false))
  await new Promise(setImmediate)
  expect(JSON.parse(localStorage.getItem('auth_user')!).id).toBe('usr_2')
})

test('an unreachable server does not end the restored session @session-3', async () => {
  store()
  answer = () => ({ status: 502, body: null })
  const tab = await openTab()
  tab.startSession()
  await vi.waitFor(() => expect(calls).toHaveLength(1))
  expect(tab.getSession().user?.id).toBe('usr_1')
})

test('a missing or broken user record is refused with the reason, and a broken one is removed @session-4', async () => {
  const { restoredUser } = await import('#web/lib/tokens.ts')
  expect(restoredUser).toThrow('No stored user found')
  store({ auth_user: '{"id": 7' })
  expect(restoredUser).toThrow('Invalid stored user data')
  expect(localStorage.getItem('auth_token')).toBeNull()
  expect(localStorage.getItem('cognito_refresh_token')).toBeNull()
})

test('a session left twelve hours ago has expired, and is ended on the server @session-10', async () => {
  store({ last_activity: String(now - 12 * hourMs) })
  answer = () => ok(null)
  const tab = await openTab()
  tab.startSession()
  expect(tab.getSession()).toMatchObject({ user: null, expired: true })
  expect(localStorage.getItem('cognito_refresh_token')).toBeNull()
  expect(calls).toEqual([{ path: '/api/auth/cognito/sign-out', body: { refreshToken: 'refresh-1' } }])
})

test('a page whose session has ended makes no more calls, not even as the next user @session-11', async () => {
  store()
  const tab = await openTab()
  tab.startSession()
  await vi.waitFor(() => expect(calls).toHaveLength(1))
  store({ auth_user: JSON.stringify({ ...user, id: 'usr_2' }), auth_token: 'another' })
  events.fire('storage', { key: 'auth_user' })
  await expect(tab.api('PUT /preferences', { body: { dashboardWidgets: [] } })).rejects.toMatchObject({ status: 401 })
  expect(calls).toHaveLength(1)
})

test('a sign-in stores the specified values under the specified keys, and signing out removes them all @session-12', async () => {
  const tokens = { accessToken: 'access', idToken: 'id', refreshToken: 'refresh', expiresIn: 900 }
  answer = (path) => ok(path.endsWith('/login') ? { ...tokens, user } : null)
  const stored = new Map<string, string>()
  const { setItem } = localStorage
  localStorage.setItem = (key, value) => {
    stored.set(key, value)
    setItem(key, value)
  }
  const tab = await openTab()
  await tab.signIn(user.email, 'secret')
  const expiry = String(now + 900_000)
  expect(Object.fromEntries(stored)).toEqual({
    auth_token: 'access',
    auth_user: JSON.stringify({ ...user, useCognito: true }),
    token_expiry: expiry,
    cognito_access_token: 'access',
    cognito_id_token: 'id',
    cognito_refresh_token: 'refresh',
    cognito_token_expiry: expiry,
    last_activity: String(now),
  })
  tab.signOut()
  for (const key of stored.keys()) expect(localStorage.getItem(key), key).toBeNull()
})

test('a sign-out also signs out the other tabs @session-5', async () => {
  store()
  const [here, there] = [await openTab(), await openTab()]
  here.startSession()
  there.startSession()
  here.signOut()
  expect(there.getSession()).toMatchObject({ user: null, expired: false })
  expect(localStorage.getItem('auth_user')).toBeNull()
})

test('a sign-out ends the session on the server, and a pending refresh does not restore the tokens @session-6', async () => {
  store({ token_expiry: String(now + minuteMs) })
  const refreshed = Promise.withResolvers<void>()
  const fresh = { accessToken: 'fresh', idToken: 'id', refreshToken: 'refresh-2', expiresIn: 900 }
  const tab = await openTab()
  const { fetch } = globalThis
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    if (path.endsWith('/refresh')) await refreshed.promise
    return fetch(path, init)
  })
  answer = (path) => (path.endsWith('/refresh') ? ok(fresh) : path.endsWith('/sign-out') ? ok(null) : unauthorized)
  const call = tab.api('GET /wallets').catch((error: unknown) => error)
  tab.signOut()
  refreshed.resolve()
  await call
  expect(calls).toContainEqual({ path: '/api/auth/cognito/sign-out', body: { refreshToken: 'refresh-1' } })
  for (const key of ['auth_token', 'cognito_refresh_token', 'token_expiry'])
    expect(localStorage.getItem(key)).toBeNull()
})

test('a session that ends in another tab expires in this tab @session-7', async () => {
  store()
  const tab = await openTab()
  tab.startSession()
  const expired = vi.fn()
  events.on('session-expired', expired)
  localStorage.clear()
  events.fire('storage', { key: 'auth_token', newValue: null })
  expect(tab.getSession()).toMatchObject({ user: null, expired: true })
  expect(expired).toHaveBeenCalledTimes(1)
})

test('a session ends in this tab when another user signs in in another tab @session-8', async () => {
  store()
  const tab = await openTab()
  tab.startSession()
  store({ auth_user: JSON.stringify({ ...user, id: 'usr_2' }) })
  events.fire('storage', { key: 'auth_user' })
  expect(tab.getSession().user).toBeNull()
  expect(localStorage.getItem('auth_token')).toBe('old')
})

test('two tabs renew the tokens only once, when they expire in under five minutes @session-9', async () => {
  store({ token_expiry: String(now + 5 * minuteMs) })
  const fresh = { accessToken: 'fresh', idToken: 'id', refreshToken: 'refresh-2', expiresIn: 900 }
  answer = (path) => ok(path.endsWith('/refresh') ? fresh : user)
  const [here, there] = [await openTab(), await openTab()]
  await here.api('GET /wallets')
  expect(calls.map(({ path }) => path)).toEqual(['/api/wallets'])

  vi.setSystemTime(now + 1)
  await Promise.all([here.api('GET /agents'), there.api('GET /contacts'), there.api('GET /usage/dashboard')])
  const refreshes = calls.filter(({ path }) => path.endsWith('/refresh'))
  expect(refreshes.map(({ body }) => body)).toEqual([{ refreshToken: 'refresh-1' }])
  expect(localStorage.getItem('token_expiry')).toBe(String(now + 1 + 900_000))
})

test.each([
  ['ends on the server', 'expired', () => events.fire('session-expired')],
  [
    'ends in another tab',
    'in another tab',
    () => {
      localStorage.clear()
      events.fire('storage', { key: null })
    },
  ],
  ['is signed out in another tab', 'signed out', (other: { signOut: () => void }) => other.signOut()],
  ['ended while the tab was elsewhere', 'before', null],
])('a session that %s leaves no answers in the tab @session-13', async (_, answers, end) => {
  store()
  const [tab, other] = [await openTab(), await openTab()]
  const kept = JSON.stringify({ userId: user.id, at: now, answers: [[['overview'], answers]] })
  sessionStorage.setItem('kept_answers', kept)
  if (end === null) localStorage.clear()
  tab.startSession()
  expect(sessionStorage.getItem('kept_answers')).toBe(end === null ? null : kept)
  end?.(other)
  expect(sessionStorage.getItem('kept_answers')).toBeNull()
})

test('answers of more than an hour ago, or of another user, are deleted when they are asked for @session-14', async () => {
  store()
  await openTab()
  const { keptAnswers, storeAnswers } = await import('#web/lib/answerStorage.ts')
  storeAnswers('usr_1', 'usr_1', [[['overview'], 1]])
  expect(keptAnswers()).toEqual([[['overview'], 1]])
  vi.setSystemTime(now + 60 * minuteMs + 1)
  expect(keptAnswers()).toEqual([])
  expect(sessionStorage.getItem('kept_answers')).toBeNull()
  storeAnswers('usr_2', 'usr_2', [[['overview'], 2]])
  expect(keptAnswers()).toEqual([])
  expect(sessionStorage.getItem('kept_answers')).toBeNull()
})
