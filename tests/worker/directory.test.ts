import '../support/cheapPasswords.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { dayMs, minuteMs } from '#domain/time.ts'
import { type Api, auth, createApi, env, login, mailedCode, mailsTo, newEmail, seed, signedUp } from './apiClient.ts'

/** Both identity directories, D1 and Cognito, meet one contract: a client sees no difference. */
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
const weekMs = 7 * dayMs
const otherThan = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

describe.each(directories)('directory $name', ({ name, changes, codeFor }) => {
  const createApiWithDirectory = () => createApi(changes)

  async function createConfirmedUser(api: Api) {
    const email = newEmail()
    expect((await auth(api, 'signup', { email, password, name: 'Ann' })).status).toBe(201)
    expect((await auth(api, 'confirm', { email, code: await codeFor(email) })).status).toBe(200)
    const { json } = await login(api, email, password)
    return { email, id: json.data.user.id as string, token: json.data.accessToken as string }
  }

  test('signs in with the right password; a wrong one and an unknown email get the same response @directory-1', async () => {
    const api = createApiWithDirectory()
    const { email, id } = await createConfirmedUser(api)
    const again = await login(api, email.toUpperCase(), password)
    expect(again.json.data.user).toMatchObject({ id, email, name: 'Ann', needsOnboarding: false })
    const [wrong, unknown] = [await login(api, email, other), await login(api, newEmail(), other)]
    expect([wrong.status, wrong.json.field]).toEqual([401, 'password'])
    expect(unknown.text).toBe(wrong.text)
  })

  test('requires a new password in place of an old temporary one, once @directory-2', async () => {
    const api = createApiWithDirectory()
    const { email, password: temporary } = await signedUp(api)
    api.clock.now += weekMs + 1
    expect((await login(api, email, other)).status).toBe(401)
    const { json } = await login(api, email, temporary)
    expect(json.data).toMatchObject({ challengeName: 'NEW_PASSWORD_REQUIRED', email })
    const answer = (session: string) => auth(api, 'new-password', { email, session, newPassword: password })
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

  test('an account that has its own password and no name sets the name only, whatever a session asks for @directory-3', async () => {
    const api = createApiWithDirectory()
    const { email, password: temporary } = await signedUp(api, newEmail(), '')
    api.clock.now += weekMs + 1
    const { session } = (await login(api, email, temporary)).json.data
    const { data } = (await auth(api, 'new-password', { email, session, newPassword: password })).json
    expect(data.user).toMatchObject({ name: null, needsOnboarding: true, passwordIsTemporary: false })
    const body = { name: 'Zoë 🦉', password: other }
    const taken = await api.call('POST', '/api/users/complete-onboarding', { token: data.accessToken, body })
    expect([taken.status, taken.json.code]).toEqual([409, 'conflict'])
    const done = await api.call('PATCH', `/api/users/${data.user.id}`, {
      token: data.accessToken,
      body: { name: 'Zoë 🦉' },
    })
    expect(done.json.data).toMatchObject({ name: 'Zoë 🦉', needsOnboarding: false })
    expect((await login(api, email, other)).status).toBe(401)
    expect((await login(api, email, password)).json.data.user.name).toBe('Zoë 🦉')
  })

  test('refuses sign-in until the email is confirmed by the code, which works once @directory-4', async () => {
    const api = createApiWithDirectory()
    const email = newEmail()
    const signup = await auth(api, 'signup', { email, password, name: 'Ann' })
    expect(signup.json.data).toMatchObject({ email, name: 'Ann', userConfirmed: false })
    expect(await login(api, email, password)).toMatchObject({ status: 403, json: { field: 'email' } })
    expect((await login(api, email, other)).status).toBe(401)
    api.clock.now += minuteMs
    expect((await auth(api, 'resend-code', { email })).status).toBe(200)
    const code = await codeFor(email)
    const wrong = await auth(api, 'confirm', { email, code: otherThan(code) })
    expect(wrong).toMatchObject({ status: 422, json: { field: 'code' } })
    expect(wrong.json.error).toMatch(/^Email confirmation failed\./)
    expect((await auth(api, 'confirm', { email, code })).status).toBe(200)
    expect((await auth(api, 'confirm', { email, code })).text).toBe(wrong.text)
    expect((await login(api, email, password)).status).toBe(200)
  })

  test('a signup with a taken email looks like any other and changes nothing @directory-5', async () => {
    const api = createApiWithDirectory()
    const { email } = await createConfirmedUser(api)
    api.clock.now += minuteMs
    const signup = await auth(api, 'signup', { email, password: other, name: 'Mallory' })
    expect(signup).toMatchObject({ status: 201, json: { data: { email, name: 'Mallory', userConfirmed: false } } })
    expect((await mailsTo(email))[0]).toContain('already has an account')
    expect([401, 403]).toContain((await login(api, email, other)).status)
    expect((await login(api, email, password)).json.data.user.name).toBe('Ann')
  })

  test('after two sign-ups, confirming keeps the password of the sign-up whose token is sent, or none @directory-9', async () => {
    const api = createApiWithDirectory()
    const signup = async (email: string, password: string) => {
      const { json } = await auth(api, 'signup', { email, password, name: 'Ann' })
      api.clock.now += minuteMs
      return json.data.signupToken as string
    }
    for (const [own, kept] of [
      [0, true],
      [1, name === 'd1'], // a user pool keeps only the first password
      [null, false],
    ] as const) {
      const email = newEmail()
      const passwords = [password, other]
      const tokens = [await signup(email, password), await signup(email, other)]
      const body = { email, code: await codeFor(email), ...(own === null ? {} : { signupToken: tokens[own] }) }
      const confirmed = await auth(api, 'confirm', body)
      expect(confirmed.json.data.passwordKept, `sign-up ${own}`).toBe(kept)
      for (const [i, tried] of passwords.entries())
        expect((await login(api, email, tried)).status, `sign-up ${own}, password ${i}`).toBe(
          kept && i === own ? 200 : 401,
        )
    }
  })

  test('resets a forgotten password by code and ends all sessions @directory-6', async () => {
    const api = createApiWithDirectory()
    const { email, id, token } = await createConfirmedUser(api)
    const [known, unknown] = [
      await auth(api, 'forgot-password', { email }),
      await auth(api, 'forgot-password', { email: newEmail() }),
    ]
    expect([known.status, unknown.text]).toEqual([200, known.text])
    const code = await codeFor(email)
    const reset = (code: string, to = email) => auth(api, 'reset-password', { email: to, code, newPassword: other })
    const wrong = await reset(otherThan(code))
    expect(wrong).toMatchObject({ status: 422, json: { field: 'code' } })
    expect(wrong.json.error).toMatch(/^Password reset failed\./)
    expect((await reset(code, newEmail())).text).toBe(wrong.text)
    expect((await reset(code)).status).toBe(200)
    expect((await reset(code)).text).toBe(wrong.text)
    expect((await api.call('GET', `/api/users/${id}`, { token })).status).toBe(401)
    expect((await login(api, email, password)).status).toBe(401)
    expect((await login(api, email, other)).json.data.user.id).toBe(id)
  })

  test('changes the password of a user who knows the current one @directory-7', async () => {
    const api = createApiWithDirectory()
    const { email, id, token } = await createConfirmedUser(api)
    const change = (currentPassword: string) =>
      api.call('PATCH', `/api/users/${id}/change-password`, { token, body: { currentPassword, newPassword: other } })
    expect(await change('wrong')).toMatchObject({ status: 400, json: { field: 'currentPassword' } })
    expect((await change(password)).status).toBe(200)
    expect((await mailsTo(email))[0]).toContain('was just changed')
    expect((await login(api, email, password)).status).toBe(401)
    expect((await login(api, email, other)).status).toBe(200)
  })

  test('keeps no account whose temporary password could not be mailed', async () => {
    const api = createApiWithDirectory()
    const email = newEmail()
    const body = { email, name: 'Ann', signupPasscode: 'bursar-local' }
    expect((await api.call('POST', '/api/users', { body, env: { ENVIRONMENT: 'production' } })).status).toBe(502)
    const { password: temporary } = await signedUp(api, email)
    expect((await login(api, email, temporary)).status).toBe(200)
  })
})

describe('Cognito only', () => {
  const cognito = { IDENTITY_DIRECTORY: 'cognito' as const }
  const account = { email: 'x@bursar.test', password, name: 'Ann' }

  test('if Cognito is unreachable, calls that need it return 502 @directory-8', async () => {
    const api = createApi({ ...cognito, COGNITO_ENDPOINT: 'http://127.0.0.1:9/' })
    const answer = await login(api, 'x@bursar.test', password)
    expect(answer).toMatchObject({ status: 502, json: { code: 'upstream_unavailable' } })
    expect((await auth(api, 'signup', account)).status).toBe(502)
    // forgot-password replies before it calls Cognito, for known and unknown emails alike.
    expect((await auth(api, 'forgot-password', { email: 'x@bursar.test' })).status).toBe(200)
  })

  test('Cognito admin calls with a wrong key fail with 502', async () => {
    const api = createApi({ ...cognito, COGNITO_SECRET_ACCESS_KEY: 'wrong' })
    const body = { email: newEmail(), name: 'Ann', signupPasscode: 'bursar-local' }
    expect((await api.call('POST', '/api/users', { body })).status).toBe(502)
  })

  test('with Cognito, D1 stores neither passwords nor their hashes', async () => {
    const api = createApi(cognito)
    const { email } = await signedUp(api)
    const user = env.DB.prepare('SELECT password_hash FROM user WHERE email = ?').bind(email)
    expect(await user.first('password_hash')).toMatch(/^cognito_[0-9a-f]{32}$/)
  })
})
