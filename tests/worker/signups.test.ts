/** Who gains an account when an address is signed up more than once before it is confirmed. */

import { beforeAll, expect, test } from 'vitest'
import { dayMs, minuteMs } from '#domain/time.ts'
import { deleteExpired } from '../../worker/db/attempts.ts'
import { openDb } from '../../worker/db/d1.ts'
import {
  type Api,
  auth,
  createApi,
  createApiAndUser,
  createUser,
  env,
  login,
  mailedCode,
  mailedLinkToken,
  newEmail,
  seed,
} from './apiClient.ts'

beforeAll(seed)

/** Signs up a minute after the previous sign-up and returns the token that only this browser has. */
async function signup(api: Api, email: string, password: string, name = 'Ann'): Promise<string> {
  api.clock.now += minuteMs
  const answer = await auth(api, 'signup', { email, password, name })
  expect(answer.status, answer.text).toBe(201)
  return answer.json.data.signupToken
}
const statusOf = async (api: Api, email: string, password: string) => (await login(api, email, password)).status

const annsPassword = 'chosen by Ann'
const mallorysPassword = 'chosen by Mallory'

test.each(['before', 'after'])(
  'a stranger who signs up the same address %s its owner gains nothing: code and token belong together @signup-1',
  async (when) => {
    const api = createApi()
    const email = newEmail()
    if (when === 'before') await signup(api, email, mallorysPassword, 'Mallory')
    const signupToken = await signup(api, email, annsPassword)
    if (when === 'after') await signup(api, email, mallorysPassword, 'Mallory')
    const confirmed = await auth(api, 'confirm', { email, code: await mailedCode(email), signupToken })
    expect(confirmed.json).toMatchObject({ success: true, data: { passwordKept: true, resetToken: null } })
    expect(await statusOf(api, email, mallorysPassword)).toBe(401)
    const signedIn = await login(api, email, annsPassword)
    expect(signedIn.json.data.user).toMatchObject({ name: 'Ann', needsOnboarding: false })
  },
)

test.each(['code', 'link'])(
  'after several sign-ups, the %s alone discards all passwords and leads to a new one @signup-2',
  async (proof) => {
    const api = createApi()
    const email = newEmail()
    await signup(api, email, annsPassword)
    await signup(api, email, mallorysPassword, 'Mallory')
    const confirmed =
      proof === 'code'
        ? await auth(api, 'confirm', { email, code: await mailedCode(email) })
        : await auth(api, 'confirm-link', { token: await mailedLinkToken(email) })
    expect(confirmed.json).toMatchObject({ data: { passwordKept: false, resetToken: expect.any(String) } })
    for (const password of [annsPassword, mallorysPassword]) expect(await statusOf(api, email, password)).toBe(401)
    const token = confirmed.json.data.resetToken
    const reset = await auth(api, 'reset-password-link', { token, newPassword: 'chosen afterwards' })
    expect(reset.status).toBe(200)
    expect(await statusOf(api, email, 'chosen afterwards')).toBe(200)
  },
)

test('the token of another sign-up does not keep a password, not even the only one', async () => {
  const api = createApi()
  const [email, other] = [newEmail(), newEmail()]
  const signupToken = await signup(api, other, annsPassword)
  await signup(api, email, mallorysPassword)
  const confirmed = await auth(api, 'confirm-link', { token: await mailedLinkToken(email), signupToken })
  expect(confirmed.json.data.passwordKept).toBe(false)
  expect(await statusOf(api, email, mallorysPassword)).toBe(401)
})

test('a single sign-up is confirmed by its code or link alone, even after the email was sent again @signup-3', async () => {
  const api = createApi()
  for (const proof of ['code', 'link']) {
    const email = newEmail()
    await signup(api, email, annsPassword)
    api.clock.now += minuteMs
    await auth(api, 'resend-code', { email })
    const confirmed =
      proof === 'code'
        ? await auth(api, 'confirm', { email, code: await mailedCode(email) })
        : await auth(api, 'confirm-link', { token: await mailedLinkToken(email) })
    expect(confirmed.json.data).toEqual({ passwordKept: true, resetToken: null })
    expect(await statusOf(api, email, annsPassword)).toBe(200)
  }
})

test('an unconfirmed sign-up reveals nothing about the address @signup-4', async () => {
  const { api, user: ann } = await createApiAndUser()
  const free = newEmail()
  const [taken, other] = [
    await auth(api, 'signup', { email: ann.email, password: mallorysPassword, name: 'Mallory' }),
    await auth(api, 'signup', { email: free, password: mallorysPassword, name: 'Mallory' }),
  ]
  expect(Object.keys(taken.json.data)).toEqual(Object.keys(other.json.data))
  const [atTaken, atFree] = [await login(api, ann.email, mallorysPassword), await login(api, free, mallorysPassword)]
  expect(atFree).toMatchObject({ status: 403, json: { field: 'email' } })
  expect(atTaken.text).toBe(atFree.text)
  expect(await statusOf(api, ann.email, ann.password)).toBe(200)
})

test('the password of an unconfirmed sign-up does not reset the count of wrong passwords', async () => {
  const { api, user: ann } = await createApiAndUser()
  await signup(api, ann.email, mallorysPassword)
  const statuses: number[] = []
  for (let i = 0; i < 6; i++) statuses.push(await statusOf(api, ann.email, i % 2 ? mallorysPassword : `guess ${i}`))
  expect(statuses).toEqual([401, 403, 401, 403, 401, 429])
})

test('at most twenty sign-ups of one address are kept, and its owner can still confirm', async () => {
  const api = createApi()
  const email = newEmail()
  const user = await createUser(api)
  await signup(api, email, mallorysPassword)
  const { user_id } = (await env.DB.prepare('SELECT user_id FROM signup JOIN user ON user.id = user_id WHERE email = ?')
    .bind(email)
    .first<{ user_id: string }>())!
  for (let i = 0; i < 19; i++)
    await env.DB.prepare(
      'INSERT INTO signup (token_hash, user_id, name, password_hash, created_at) VALUES (?, ?, ?, ?, ?)',
    )
      .bind(String(i).padStart(64, '0'), user_id, 'Mallory', 'x', api.clock.now)
      .run()
  const signupToken = await signup(api, email, annsPassword)
  const rows = env.DB.prepare('SELECT count(*) AS n FROM signup WHERE user_id = ?').bind(user_id)
  expect(await rows.first('n')).toBe(20)
  const confirmed = await auth(api, 'confirm', { email, code: await mailedCode(email), signupToken })
  expect(confirmed.json.data.passwordKept).toBe(false)
  expect(await rows.first('n')).toBe(0)
  expect(user.id).not.toBe(user_id)
})

test('an unconfirmed address is deleted a week after its last sign-up, together with all its sign-ups', async () => {
  const api = createApi()
  api.clock.now = Date.UTC(2020, 0) // so that housekeeping leaves the rows of other tests alone
  const { db } = openDb(env.DB)
  const ann = await createUser(api)
  const email = newEmail()
  await signup(api, ann.email, mallorysPassword)
  await signup(api, email, mallorysPassword)
  api.clock.now += 6 * dayMs
  const signupToken = await signup(api, email, annsPassword)
  const rows = env.DB.prepare(
    'SELECT email, count(token_hash) AS n FROM user LEFT JOIN signup ON user_id = user.id WHERE email IN (?, ?) GROUP BY email',
  ).bind(ann.email, email)
  const left = async () =>
    Object.fromEntries((await rows.all<{ email: string; n: number }>()).results.map((row) => [row.email, row.n]))
  await deleteExpired(db, api.clock.now)
  expect(await left()).toEqual({ [ann.email]: 1, [email]: 2 })
  api.clock.now += 6 * dayMs
  await deleteExpired(db, api.clock.now)
  expect(await left(), 'the first is not deleted alone: the second would pass for the only one').toEqual({
    [ann.email]: 0,
    [email]: 2,
  })
  api.clock.now += 2 * dayMs
  await deleteExpired(db, api.clock.now)
  expect(await left()).toEqual({ [ann.email]: 0 })
  await signup(api, email, mallorysPassword)
  const confirmed = await auth(api, 'confirm', { email, code: await mailedCode(email), signupToken })
  expect(confirmed.json.data.passwordKept).toBe(false)
})
