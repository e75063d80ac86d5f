/** Login sessions of people: nothing is done for one that has ended, whatever ended it. */
import { beforeAll, expect, test } from 'vitest'
import type { Deps } from '../../worker/appEnv.ts'
import { openDb } from '../../worker/db/d1.ts'
import { findUser } from '../../worker/db/users.ts'
import type { Env } from '../../worker/env.ts'
import { openLoginSession, signOut } from '../../worker/services/loginSessions.ts'
import { createTestApp } from '../support/accountFixture.ts'
import { createPayer, manualChain, until } from '../support/payer.ts'
import { copyOf, restoringOperator } from '../support/restoringOperator.ts'
import { bodies, id, queries, signedInRoutes } from '../support/signedInRoutes.ts'
import { inTreasury } from '../support/treasuries.ts'
import { type Api, auth, createUser, env, refresh } from './apiClient.ts'

const expired = 'Your session has expired. Please sign in again.'
let api: Api
beforeAll(async () => {
  api = await createTestApp()
})

const walletsOf = async (token: string) => (await api.call('GET', '/api/wallets', { token })).status
const listOf = async (token: string) => (await api.call('GET', '/api/transactions/user', { token })).status

/** A second login session of the user. */
async function secondSession({ id: userId }: { id: string }) {
  const { db } = openDb(env.DB)
  const row = (await findUser(db, userId))!
  return openLoginSession({ env, db, now: () => api.clock.now }, row)
}

/** Settings with which no Treasury can be told about ended sessions. */
const unreachable = {
  TREASURY: {
    getByName: (name: string) =>
      new Proxy(env.TREASURY.getByName(name), {
        get(stub, method) {
          if (method === 'endSessions') return () => Promise.reject(new Error('unreachable'))
          return (...input: unknown[]) => (stub as unknown as Record<PropertyKey, Method>)[method]!(...input)
        },
      }),
  } as unknown as Env['TREASURY'],
}
type Method = (...input: unknown[]) => unknown

test('no route does anything for a session that was signed out @sessions-1', async () => {
  const user = await createUser(api)
  expect((await user.asOwner('GET', '/wallets')).status).toBe(200)
  api.clock.now += 1_000
  expect((await auth(api, 'sign-out', { refreshToken: user.refreshToken })).status).toBe(200)
  const answers: Record<string, unknown> = {}
  for (const route of signedInRoutes()) {
    const [method, path] = route.split(' ') as [string, string]
    const body = method === 'GET' ? undefined : (bodies[route] ?? {})
    const filled = path.replace(':userId', user.id).replace(/:\w+/g, id)
    const { status, json } = await api.call(method, `${filled}${queries[route] ?? ''}`, { token: user.token, body })
    if (status !== 401 || json.error !== expired) answers[route] = json
  }
  expect(answers).toEqual({})
})

test('sign-out and password changes are done once the Treasury knows, and can be repeated until then @sessions-2', async () => {
  const user = await createUser(api)
  const other = await secondSession(user)
  api.clock.now += 1_000
  const change = (newPassword: string, more: object = {}) =>
    api.call('PATCH', `/api/users/${user.id}/change-password`, {
      token: user.token,
      body: { currentPassword: user.password, newPassword },
      ...more,
    })
  const signOut = (more: object = {}) =>
    api.call('POST', '/api/auth/cognito/sign-out', { body: { refreshToken: user.refreshToken }, ...more })

  const failed = await change('another horse battery', { env: unreachable })
  expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '2'])
  expect((await change('another horse battery')).status).toBe(200)
  expect([await walletsOf(other.accessToken), await listOf(other.accessToken)]).toEqual([401, 401])
  expect([await walletsOf(user.token), await listOf(user.token)]).toEqual([200, 200])

  expect((await signOut({ env: unreachable })).status).toBe(503)
  expect(await walletsOf(user.token)).toBe(200)
  api.clock.now += 60_000
  expect((await signOut()).status).toBe(200)
  expect(await walletsOf(user.token)).toBe(401)
})

test('a stolen refresh token ends its session at the Treasury, even if that fails at first @sessions-3', async () => {
  const user = await createUser(api)
  const next = await refresh(api, user.refreshToken)
  const again = await refresh(api, next.json.data.refreshToken)
  const { accessToken } = again.json.data
  api.clock.now += 11 * 60_000
  const stolen = { body: { refreshToken: user.refreshToken } }
  expect((await api.call('POST', '/api/auth/cognito/refresh', { ...stolen, env: unreachable })).status).toBe(503)
  expect((await auth(api, 'refresh', stolen.body)).status).toBe(401)
  expect([await walletsOf(accessToken), await listOf(accessToken)]).toEqual([401, 401])
})

test('lists that are requested together are refused only for the session that has ended @sessions-4', async () => {
  const user = await createUser(api)
  const other = await secondSession(user)
  api.clock.now += 1_000
  expect((await auth(api, 'sign-out', { refreshToken: other.refreshToken })).status).toBe(200)
  const tokens = [user.token, other.accessToken, user.token, other.accessToken, user.token]
  expect(await Promise.all(tokens.map(listOf))).toEqual([200, 401, 200, 401, 200])
})

test('the Treasury forgets an ended session after an hour, when no access token of it is left @sessions-5', async () => {
  const user = await createUser(api)
  await inTreasury(user.id, async (treasury) => {
    const call = { object: 'notices' as const, method: 'count', input: [] }
    const works = async (sessionId: string) => (await treasury.asPerson(sessionId, call)).ok
    await treasury.endSessions(['ses_1'])
    await treasury.endSessions(['ses_1', 'ses_2'])
    expect([await works('ses_1'), await works('ses_2'), await works('ses_3')]).toEqual([false, false, true])
    const { restoreContext } = treasury as unknown as { restoreContext: { now: () => number } }
    const now = restoreContext.now() + 3_601_000
    restoreContext.now = () => now
    await treasury.endSessions(['ses_3'])
    expect([await works('ses_1'), await works('ses_2'), await works('ses_3')]).toEqual([true, true, false])
    await expect(treasury.asPerson('ses_1', { ...call, object: null, method: 'endSessions' })).rejects.toThrow()
  })
})

test('an account that went back to an earlier time still refuses a session that ended since @sessions-6', async () => {
  const payer = await createPayer({ on: manualChain })
  const { run, back, continueRestore } = await restoringOperator(payer)
  const { db } = openDb(env.DB)
  const deps = { env, db, now: Date.now } as unknown as Deps
  const { accessToken, refreshToken } = await openLoginSession(
    { ...deps, now: () => Date.now() - 60_000 },
    (await findUser(db, payer.userId))!,
  )
  const earlier = await copyOf(payer)
  await signOut(deps, refreshToken)
  await run('freeze')
  await back(earlier)
  expect(await continueRestore()).toMatchObject({ state: 'open' })
  await until('the account works', () => payer.ledger().catch(() => null))
  api.clock.now = Date.now()
  expect(await walletsOf(accessToken)).toBe(401)
})
