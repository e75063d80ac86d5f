/** What the cron deletes from D1, and what it keeps. */

import { beforeAll, expect, test } from 'vitest'
import { dayMs, minuteMs } from '#domain/time.ts'
import { primaryDb } from '../../worker/db/d1.ts'
import { deleteOldRows } from '../../worker/db/retention.ts'
import { createApiAndUser, env, refresh, seed } from './apiClient.ts'

beforeAll(seed)

const db = primaryDb(env.DB)
const run = (query: string, ...values: unknown[]) =>
  env.DB.prepare(query)
    .bind(...values)
    .run()
const ids = async (query: string, ...values: unknown[]) =>
  (
    await env.DB.prepare(query)
      .bind(...values)
      .all<{ id: string }>()
  ).results.map(({ id }) => id)

test('records of messages are deleted after 90 days @retention-5', async () => {
  const now = Date.now()
  const message = (id: string, age: number) =>
    run('INSERT INTO delivered_message (id, at, payout_id) VALUES (?, ?, ?)', id, now - age, 'retention')
  await message('old-message', 90 * dayMs + 1)
  await message('message', 90 * dayMs - 1)
  await deleteOldRows(db, now)
  expect(await ids("SELECT id FROM delivered_message WHERE payout_id = 'retention'")).toEqual(['message'])
})

test('a spent refresh token is deleted after 11 minutes, and using it again still ends the session @retention-7', async () => {
  const { api, user: ann } = await createApiAndUser()
  const session = ann.refreshToken.split('.')[1]!
  const stored = () => ids('SELECT hash AS id FROM refresh_token WHERE session_id = ?', session)
  let newest = ann.refreshToken
  for (let i = 0; i < 5; i++) newest = (await refresh(api, newest)).json.data.refreshToken
  // An unused sibling is spent too.
  const [one] = await Promise.all([refresh(api, newest), refresh(api, newest)])
  newest = (await refresh(api, one.json.data.refreshToken)).json.data.refreshToken
  await deleteOldRows(db, api.clock.now)
  expect(await stored()).toHaveLength(9)
  api.clock.now += 11 * minuteMs + 1
  await deleteOldRows(db, api.clock.now)
  expect(await stored()).toHaveLength(1)

  const forged = `${ann.refreshToken.slice(0, -1)}${ann.refreshToken.endsWith('0') ? '1' : '0'}`
  expect((await refresh(api, forged)).status).toBe(401)
  const next = await refresh(api, newest)
  expect(next.status, 'a forged token ends nothing').toBe(200)
  expect((await refresh(api, ann.refreshToken)).status).toBe(401)
  expect((await refresh(api, next.json.data.refreshToken)).status, 'a spent one ends its session').toBe(401)
})

test('signing out with a token whose row was deleted ends the session @retention-8', async () => {
  const { api, user: ann } = await createApiAndUser()
  const next = (await refresh(api, ann.refreshToken)).json.data.refreshToken
  api.clock.now += 11 * minuteMs + 1
  await deleteOldRows(db, api.clock.now)
  await api.call('POST', '/api/auth/cognito/sign-out', { body: { refreshToken: ann.refreshToken } })
  expect((await refresh(api, next)).status).toBe(401)
})
