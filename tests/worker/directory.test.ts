import { beforeAll, describe, expect, test } from 'vitest'
import { type Api, anApi, anEmail, env, login, mailedCode, mailsTo, seed, signedUp } from './apiClient.ts'

/** One contract, two directories: what a client sees is the same with D1's and with Cognito's. */
beforeAll(seed)

const directories = [
  { name: 'd1', changes: {}, codeFor: mailedCode },
  {
    name: 'cognito',
    changes: { IDENTITY_DIRECTORY: 'cognito' as const },
    async codeFor(email: string) {
      const answer = await fetch(`${env.COGNITO_ENDPOINT}code?email=${encodeURIComponent(email)}`)
      return answer.text()
    },
  },
]

const password = 'Correct-Horse-1'
const other = 'Another-Horse-2'
const weekMs = 7 * 24 * 3_600_000
const post = (api: Api, call: string, body: unknown) => api.call('POST', `/api/auth/cognito/${call}`, { body })
const otherThan = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

describe.each(directories)('$name', ({ changes, codeFor }) => {
  const anApiOfIts = () => anApi(changes)

  async function aConfirmed(api: Api) {
    const email = anEmail()
    expect((await post(api, 'signup', { email, password, name: 'Ann' })).status).toBe(201)
    expect((await post(api, 'confirm', { email, code: await codeFor(email) })).status).toBe(200)
    const { json } = await login(api, email, password)
    return { email, id: json.data.user.id as string, token: json.data.accessToken as string }
  }

  test('signs in with the right password; a wrong one and an unknown email are one answer', async () => {
    const api = anApiOfIts()
    const { email, id } = await aConfirmed(api)
    const again = await login(api, email.toUpperCase(), password)
    expect(again.json.data.user).toMatchObject({ id, email, name: 'Ann', needsOnboarding: false })
    const [wrong, unknown] = [await login(api, email, other), await login(api, anEmail(), other)]
    expect([wrong.status, wrong.json.field]).toEqual([401, 'password'])
    expect(unknown.text).toBe(wrong.text)
  })

  test('asks for a new password in place of an old temporary one, once', async () => {
    const api = anApiOfIts()
    const { email, password: temporary } = await signedUp(api)
    api.clock.now += weekMs + 1
    expect((await login(api, email, other)).status).toBe(401)
    const { json } = await login(api, email, temporary)
    expect(json.data).toMatchObject({ challengeName: 'NEW_PASSWORD_REQUIRED', email })
    const answer = (session: string) => post(api, 'new-password', { email, session, newPassword: password })
    expect((await answer(`${json.data.session}x`)).status).toBe(410)
    expect((await answer(json.data.session)).json.data.user).toMatchObject({
      email,
      name: 'Ann',
      needsOnboarding: false,
    })
    expect((await answer(json.data.session)).status).toBe(410)
    expect((await login(api, email, temporary)).status).toBe(401)
    expect((await login(api, email, password)).status).toBe(200)
  })

  test('an account without a name is finished by onboarding', async () => {
    const api = anApiOfIts()
    const { email, password: temporary } = await signedUp(api, anEmail(), '')
    api.clock.now += weekMs + 1
    const { session } = (await login(api, email, temporary)).json.data
    const { data } = (await post(api, 'new-password', { email, session, newPassword: password })).json
    expect(data.user).toMatchObject({ name: null, needsOnboarding: true })
    const body = { name: 'Zoë 🦉', password: other }
    const done = await api.call('POST', '/api/users/complete-onboarding', { token: data.accessToken, body })
    expect(done.json.data).toMatchObject({ name: 'Zoë 🦉', needsOnboarding: false })
    expect((await login(api, email, other)).json.data.user.name).toBe('Zoë 🦉')
  })

  test('lets nobody in before the email is confirmed by the code, which works once', async () => {
    const api = anApiOfIts()
    const email = anEmail()
    const signup = await post(api, 'signup', { email, password, name: 'Ann' })
    expect(signup.json.data).toEqual({ email, name: 'Ann', userConfirmed: false })
    expect(await login(api, email, password)).toMatchObject({ status: 403, json: { field: 'email' } })
    expect((await login(api, email, other)).status).toBe(401)
    api.clock.now += 60_000
    expect((await post(api, 'resend-code', { email })).status).toBe(200)
    const code = await codeFor(email)
    const wrong = await post(api, 'confirm', { email, code: otherThan(code) })
    expect(wrong).toMatchObject({ status: 422, json: { field: 'code' } })
    expect(wrong.json.error).toMatch(/^Email confirmation failed\./)
    expect((await post(api, 'confirm', { email, code })).status).toBe(200)
    expect((await post(api, 'confirm', { email, code })).text).toBe(wrong.text)
    expect((await login(api, email, password)).status).toBe(200)
  })

  test('a signup with a taken email looks like any other and changes nothing', async () => {
    const api = anApiOfIts()
    const { email } = await aConfirmed(api)
    api.clock.now += 60_000
    const signup = await post(api, 'signup', { email, password: other, name: 'Mallory' })
    expect([signup.status, signup.json.data]).toEqual([201, { email, name: 'Mallory', userConfirmed: false }])
    expect((await mailsTo(email))[0]).toContain('already has an account')
    expect((await login(api, email, other)).status).toBe(401)
    expect((await login(api, email, password)).json.data.user.name).toBe('Ann')
  })

  test('resets a forgotten password by code and ends all sessions', async () => {
    const api = anApiOfIts()
    const { email, id, token } = await aConfirmed(api)
    const [known, unknown] = [
      await post(api, 'forgot-password', { email }),
      await post(api, 'forgot-password', { email: anEmail() }),
    ]
    expect([known.status, unknown.text]).toEqual([200, known.text])
    const code = await codeFor(email)
    const reset = (code: string, to = email) => post(api, 'reset-password', { email: to, code, newPassword: other })
    const wrong = await reset(otherThan(code))
    expect(wrong).toMatchObject({ status: 422, json: { field: 'code' } })
    expect(wrong.json.error).toMatch(/^Password reset failed\./)
    expect((await reset(code, anEmail())).text).toBe(wrong.text)
    expect((await reset(code)).status).toBe(200)
    expect((await reset(code)).text).toBe(wrong.text)
    expect((await api.call('GET', `/api/users/${id}`, { token })).status).toBe(401)
    expect((await login(api, email, password)).status).toBe(401)
    expect((await login(api, email, other)).json.data.user.id).toBe(id)
  })

  test('changes the password of whoever knows the current one', async () => {
    const api = anApiOfIts()
    const { email, id, token } = await aConfirmed(api)
    const change = (currentPassword: string) =>
      api.call('PATCH', `/api/users/${id}/change-password`, { token, body: { currentPassword, newPassword: other } })
    expect(await change('wrong')).toMatchObject({ status: 400, json: { field: 'currentPassword' } })
    expect((await change(password)).status).toBe(200)
    expect((await mailsTo(email))[0]).toContain('was just changed')
    expect((await login(api, email, password)).status).toBe(401)
    expect((await login(api, email, other)).status).toBe(200)
  })

  test('keeps no account whose temporary password could not be mailed', async () => {
    const api = anApiOfIts()
    const email = anEmail()
    const body = { email, name: 'Ann', signupPasscode: 'bursar-local' }
    expect((await api.call('POST', '/api/users', { body, env: { ENVIRONMENT: 'production' } })).status).toBe(502)
    const { password: temporary } = await signedUp(api, email)
    expect((await login(api, email, temporary)).status).toBe(200)
  })
})

describe('cognito alone', () => {
  const cognito = { IDENTITY_DIRECTORY: 'cognito' as const }
  const account = { email: 'x@bursar.test', password, name: 'Ann' }

  test('out of reach is a 502 that says so, for every call that waits for it', async () => {
    const api = anApi({ ...cognito, COGNITO_ENDPOINT: 'http://127.0.0.1:9/' })
    const answer = await login(api, 'x@bursar.test', password)
    expect(answer).toMatchObject({ status: 502, json: { code: 'upstream_unavailable' } })
    expect((await post(api, 'signup', account)).status).toBe(502)
    // This one answers first, for known and unknown alike.
    expect((await post(api, 'forgot-password', { email: 'x@bursar.test' })).status).toBe(200)
  })

  test('admin calls are refused with another key', async () => {
    const api = anApi({ ...cognito, COGNITO_SECRET_ACCESS_KEY: 'wrong' })
    const body = { email: anEmail(), name: 'Ann', signupPasscode: 'bursar-local' }
    expect((await api.call('POST', '/api/users', { body })).status).toBe(502)
  })

  test('D1 holds neither passwords nor hashes of them', async () => {
    const api = anApi(cognito)
    const { email } = await signedUp(api)
    const user = env.DB.prepare('SELECT password_hash FROM user WHERE email = ?').bind(email)
    expect(await user.first('password_hash')).toMatch(/^cognito_[0-9a-f]{32}$/)
  })
})
