/** Attempts to take over an account, or to lock its owner out, with much time and many network addresses. */

import { beforeAll, describe, expect, test } from 'vitest'
import { defaultLimits } from '#domain/limits.ts'
import { dayMs, minuteMs } from '#domain/time.ts'
import { openDb } from '../../worker/db/d1.ts'
import { limitWrongCodes } from '../../worker/services/attemptLimits.ts'
import {
  auth,
  createApi,
  createApiAndUser,
  createUser,
  env,
  login,
  mailedCode,
  mailedLinkToken,
  mailsTo,
  makeGuessingCheap,
  newEmail,
  seed,
} from './apiClient.ts'

beforeAll(seed)

const password = 'correct horse battery'
const otherThan = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')
const addressOf = (i: number) => `198.51.${Math.floor(i / 200)}.${i % 200}`

describe('guessing codes', () => {
  test('in a month, eight wrong codes are evaluated, whatever the code and address; then only the emailed link works @takeover-1', async () => {
    const { api, user: ann } = await createApiAndUser()
    let evaluated = 0
    for (let day = 0; day < 30; day += 3) {
      await auth(api, 'forgot-password', { email: ann.email })
      const code = otherThan(await mailedCode(ann.email))
      for (const from of [addressOf(day), addressOf(day + 100)]) {
        const body = { email: ann.email, code, newPassword: 'mallory was here' }
        if ((await auth(api, 'reset-password', body, from)).status === 422) evaluated++
      }
      api.clock.now += 3 * dayMs
    }
    expect(evaluated).toBe(defaultLimits.wrongCodesPerMonth)

    await auth(api, 'forgot-password', { email: ann.email })
    const right = { email: ann.email, code: await mailedCode(ann.email), newPassword: 'chosen by Ann' }
    const refused = await auth(api, 'reset-password', right)
    expect(refused).toMatchObject({ status: 429, json: { field: 'code' } })
    expect(refused.json.error).toMatch(/^Too many wrong codes: at most 8 in 31 days\. .* until \d+ \w+ \d{4}\.$/)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(dayMs / 1000)
    const token = await mailedLinkToken(ann.email)
    expect((await auth(api, 'reset-password-link', { token, newPassword: 'chosen by Ann' })).status).toBe(200)
    expect((await login(api, ann.email, 'chosen by Ann')).status).toBe(200)
  })

  test('wrong codes count across purposes and in parallel; right codes do not count', async () => {
    const api = createApi()
    const email = newEmail()
    await auth(api, 'signup', { email, password, name: 'Ann' })
    const code = await mailedCode(email)
    const guesses = Array.from({ length: 3 }, (_, i) =>
      auth(api, 'confirm', { email, code: otherThan(code) }, addressOf(i)),
    )
    for (const { status } of await Promise.all(guesses)) expect(status).toBe(422)
    expect((await auth(api, 'confirm', { email, code })).status).toBe(200)
    await auth(api, 'forgot-password', { email })
    const wrong = { email, code: otherThan(await mailedCode(email)), newPassword: 'mallory was here' }
    const more = await Promise.all(
      Array.from({ length: 20 }, (_, i) => auth(api, 'reset-password', wrong, addressOf(i))),
    )
    expect(more.filter(({ status }) => status === 422)).toHaveLength(5)
    expect(more.filter(({ status }) => status === 429)).toHaveLength(15)
  })

  test('fewer than 100 codes are evaluated in 365 days, however the guesses are timed', async () => {
    const { db } = openDb(env.DB)
    const email = newEmail()
    let now = Date.UTC(2026, 0)
    const isEvaluated = () =>
      limitWrongCodes({ env, db, now: () => now }, email).then(
        () => true,
        () => false,
      )
    let evaluated = 0
    for (let day = 0; day <= 365; day += 4, now += 4 * dayMs) while (await isEvaluated()) evaluated++
    expect(evaluated).toBe(12 * defaultLimits.wrongCodesPerMonth)
  })
})

describe('emailed links', () => {
  test('a link works once, for its purpose and until it expires; a newer link does not void it @takeover-2', async () => {
    const { api, user: ann } = await createApiAndUser()
    const reset = (token: string, newPassword = 'chosen by Ann') =>
      auth(api, 'reset-password-link', { token, newPassword })
    await auth(api, 'forgot-password', { email: ann.email })
    const first = await mailedLinkToken(ann.email)
    api.clock.now += minuteMs
    await auth(api, 'forgot-password', { email: ann.email }) // by someone who wants to void the first link
    const second = await mailedLinkToken(ann.email)
    expect(await auth(api, 'confirm-link', { token: first })).toMatchObject({ status: 410, json: { code: 'gone' } })
    expect((await reset(first)).status).toBe(200)
    for (const token of [first, second]) expect((await reset(token, 'mallory was here')).status).toBe(410)

    api.clock.now += minuteMs
    await auth(api, 'forgot-password', { email: ann.email })
    const late = await mailedLinkToken(ann.email)
    api.clock.now += 15 * minuteMs
    expect((await reset(late)).status).toBe(410)
    expect((await login(api, ann.email, 'chosen by Ann')).status).toBe(200)
  })

  test('link tokens have at least 128 bits, travel in the fragment and are not stored in plain text', async () => {
    const { api, user: ann } = await createApiAndUser()
    await auth(api, 'forgot-password', { email: ann.email })
    const [mail] = await mailsTo(ann.email)
    expect(mail).toMatch(/\/reset-password#token=[A-Za-z0-9_-]{43}$/m)
    const { results } = await env.DB.prepare('SELECT * FROM account_link').all()
    expect(results.length).toBeGreaterThan(0)
    expect(JSON.stringify(results)).not.toContain(await mailedLinkToken(ann.email))
  })

  test('an unknown link gets the same response as a used one', async () => {
    const api = createApi()
    const token = 'x'.repeat(43)
    const unknown = await auth(api, 'reset-password-link', { token, newPassword: 'chosen by Ann' })
    expect(unknown).toMatchObject({
      status: 410,
      json: { error: 'This link is no longer valid. You can ask for a new one.' },
    })
  })
})

describe('guessing passwords', () => {
  test('at most 100 passwords per account and day are evaluated; known addresses and reset links still get in @takeover-3', async () => {
    const { api, user: ann } = await createApiAndUser()
    expect((await login(api, ann.email, ann.password, addressOf(0))).status).toBe(200)
    const { passwordsPerDay, passwordsKeptForKnownAddresses } = defaultLimits
    await makeGuessingCheap(ann.email, ann.password)
    let evaluated = 0
    for (let i = 1; i <= 17; i++) {
      const guesses = [1, 2, 3, 4, 5].map((n) => login(api, ann.email, `guess ${n}`, addressOf(i)))
      evaluated += (await Promise.all(guesses)).filter(({ status }) => status === 401).length
    }
    expect(evaluated).toBe(passwordsPerDay - passwordsKeptForKnownAddresses)
    const refused = await login(api, ann.email, ann.password, addressOf(300))
    expect(refused.json.error).toBe(
      'Too many attempts: at most 100 passwords are checked per account and day. Try again after 00:00 UTC, or choose a new password with "Forgot password?".',
    )
    expect(refused.status).toBe(429)
    const untilMidnight = (dayMs - (api.clock.now % dayMs)) / 1000
    expect(refused.headers.get('retry-after')).toBe(String(untilMidnight))
    expect((await login(api, ann.email, ann.password, addressOf(0))).status, 'at a known address').toBe(200)
    const here = addressOf(301)
    await auth(api, 'forgot-password', { email: ann.email }, here)
    const token = await mailedLinkToken(ann.email)
    const reset = await auth(api, 'reset-password-link', { token, newPassword: 'chosen by Ann' }, here)
    expect(reset.status).toBe(200)
    expect((await login(api, ann.email, 'chosen by Ann', here)).status).toBe(200)
  })

  test('a password reset lets the owner in even after the share of known addresses is used up @takeover-5', async () => {
    const api = createApi({ LIMITS: '{"passwordsPerDay":4,"passwordsKeptForKnownAddresses":1}' })
    const ann = await createUser(api)
    const known = addressOf(0)
    expect((await login(api, ann.email, ann.password, known)).status).toBe(200)
    expect((await login(api, ann.email, 'guess', known)).status).toBe(401)
    expect((await login(api, ann.email, ann.password, known)).status).toBe(429)
    await auth(api, 'forgot-password', { email: ann.email }, known)
    const token = await mailedLinkToken(ann.email)
    expect((await auth(api, 'reset-password-link', { token, newPassword: 'chosen by Ann' }, known)).status).toBe(200)
    expect((await login(api, ann.email, 'chosen by Ann', known)).status).toBe(200)
  })

  test('password guesses for an unknown email get the same responses as for a known one', async () => {
    const api = createApi({ LIMITS: '{"passwordsPerDay":4,"passwordsKeptForKnownAddresses":1}' })
    const ann = await createUser(api)
    const nobody = newEmail()
    for (let i = 0; i < 5; i++) {
      const [known, unknown] = [
        await login(api, ann.email, 'guess', addressOf(i)),
        await login(api, nobody, 'guess', addressOf(i)),
      ]
      expect(known.status, `guess ${i}`).toBe(i < 3 ? 401 : 429)
      expect(unknown.text).toBe(known.text)
    }
  })

  test('a stolen login session cannot guess the current password beyond the daily limit', async () => {
    const { api, user: ann } = await createApiAndUser()
    await makeGuessingCheap(ann.email, ann.password)
    let { token, refreshToken } = ann
    let evaluated = 0
    for (let quarter = 0; quarter < 8; quarter++) {
      for (let i = 0; i < 6; i++) {
        const body = { currentPassword: `guess ${i}`, newPassword: 'mallory was here' }
        const answer = await api.call('PATCH', `/api/users/${ann.id}/change-password`, { token, body })
        if (answer.status === 400) evaluated++
      }
      const next = (await auth(api, 'refresh', { refreshToken })).json.data
      token = next.accessToken
      refreshToken = next.refreshToken
      api.clock.now += 15 * minuteMs
    }
    expect(evaluated).toBe(defaultLimits.passwordsKeptForKnownAddresses)
  })
})
