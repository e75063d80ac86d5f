import { beforeAll, describe, expect, test } from 'vitest'
import { dayMs, minuteMs } from '#domain/time.ts'
import { demo } from '../../local/stack/seed.ts'
import { createApi, createUser, env, login, mailsTo, newEmail, passcode, seed, signedUp } from './apiClient.ts'

beforeAll(seed)

describe('signing in', () => {
  test('the demo user signs in, with the email in any case @accounts-1', async () => {
    const api = createApi()
    const { status, json } = await login(api, ` ${demo.email.toUpperCase()} `, demo.password)
    expect(status).toBe(200)
    expect(json.data).toMatchObject({ expiresIn: 900, user: { id: demo.userId, name: 'Demo', needsOnboarding: false } })
    const me = await api.call('GET', `/api/users/${demo.userId}`, { token: json.data.accessToken })
    expect(me.json.data).toEqual(json.data.user)
  })

  test('POST /login returns token and user @accounts-2', async () => {
    const { json } = await createApi().call('POST', '/api/login', {
      body: { email: demo.email, password: demo.password },
    })
    expect(json.data.user.email).toBe(demo.email)
    expect(json.data.token.split('.')).toHaveLength(3)
  })

  test('an unknown email and a wrong password get the same response @accounts-3', async () => {
    const api = createApi()
    const wrong = await login(api, demo.email, 'wrong')
    const unknown = await login(api, newEmail(), 'wrong')
    expect(wrong.status).toBe(401)
    expect(unknown.json).toEqual(wrong.json)
    expect(wrong.json.field).toBe('password')
  })

  test('five of ten parallel password guesses are evaluated, then even the right password is refused for 15 minutes', async () => {
    const api = createApi()
    const { email, password } = await createUser(api)
    const guesses = await Promise.all(Array.from({ length: 10 }, () => login(api, email, 'guess')))
    expect(guesses.map(({ status }) => status).sort()).toEqual([...Array(5).fill(401), ...Array(5).fill(429)])
    const right = await login(api, email, password)
    expect(right.status).toBe(429)
    expect(right.json.error).toBe('Too many attempts. Try again in 15 minutes.')
    expect(right.headers.get('retry-after')).toBe('900')
    expect((await login(api, email, password, '192.0.2.77')).status).toBe(200)
    api.clock.now += 15 * minuteMs
    expect((await login(api, email, password)).status).toBe(200)
  })

  test('a successful sign-in resets the count of wrong passwords', async () => {
    const api = createApi()
    const { email, password } = await createUser(api)
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 4; i++) expect((await login(api, email, 'typo')).status).toBe(401)
      expect((await login(api, email, password)).status).toBe(200)
    }
  })
})

describe('signing up', () => {
  test('a user signs up with the passcode and completes onboarding @accounts-4', async () => {
    const api = createApi()
    const email = newEmail()
    const signup = await api.call('POST', '/api/users', { body: { email, name: '', signupPasscode: passcode } })
    expect(signup.json.message).toBe('Account created! Check your email for login credentials.')
    expect(signup.text).not.toMatch(/password/i)
    const inbox = await env.DB.prepare('SELECT text FROM dev_inbox WHERE recipient = ?')
      .bind(email)
      .first<{ text: string }>()
    const temporary = inbox!.text.split('\n').find((line) => /^[a-z0-9-]{19}$/.test(line))!

    // Copied from the mail with the spaces around it.
    const first = await login(api, email, ` ${temporary}\n`)
    expect(first.json.data.user).toMatchObject({ needsOnboarding: true, passwordIsTemporary: true, name: null })
    const token = first.json.data.accessToken
    const finish = (body: unknown) => api.call('POST', '/api/users/complete-onboarding', { token, body })
    expect((await finish({ name: '  ', password: 'secret-enough' })).json).toMatchObject({
      error: 'Please enter your name',
      field: 'name',
    })
    expect((await finish({ name: 'Zoë 🦉', password: 'short' })).json.error).toBe(
      'Password must be at least 6 characters',
    )
    expect((await finish({ name: 'Zoë 🦉', password: 'Password!' })).json).toMatchObject({ field: 'password' })
    const done = await finish({ name: ' Zoë 🦉 ', password: 'pässwörd longer' })
    expect(done.json.data).toMatchObject({ name: 'Zoë 🦉', needsOnboarding: false, hasCompletedOnboarding: true })

    expect((await finish({ name: 'Mallory', password: 'taken-over' })).status).toBe(409)
    expect((await login(api, email, temporary)).status).toBe(401)
    // The same letters, composed the other way by another keyboard.
    expect((await login(api, email, 'pässwörd longer'.normalize('NFD'))).status).toBe(200)
  })

  test('a wrong signup passcode is refused with its field @accounts-5', async () => {
    const body = { email: newEmail(), name: 'Bob', signupPasscode: 'guess' }
    const answer = await createApi().call('POST', '/api/users', { body })
    expect([answer.status, answer.json.field]).toEqual([422, 'signupPasscode'])
  })

  test('a taken email gets the same response as a free one; its owner is mailed once a day, and the account is unchanged', async () => {
    const api = createApi()
    const { email, password } = await createUser(api)
    const ask = (email: string) =>
      api.call('POST', '/api/users', { body: { email, name: 'Bob', signupPasscode: passcode } })
    const free = newEmail()
    const [taken, other] = [await ask(email.toUpperCase()), await ask(free)]
    await ask(email)
    expect(taken.status).toBe(201)
    expect(taken.text).toBe(other.text.replaceAll(free, email))
    const mails = await mailsTo(email)
    expect(mails.filter((text) => text.includes('already has an account'))).toHaveLength(1)
    expect((await login(api, email, password)).json.data.user.name).toBe('Ann')
  })

  test('one network address can guess ten signup passcodes, then is rate limited', async () => {
    const api = createApi()
    const guess = () =>
      api.call('POST', '/api/users', { body: { email: newEmail(), signupPasscode: 'guess' }, from: '192.0.2.50' })
    const statuses = (await Promise.all(Array.from({ length: 15 }, guess))).map(({ status }) => status)
    expect(statuses.filter((status) => status === 422)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(5)
  })

  test('a signup whose email cannot be sent creates no account and can be repeated', async () => {
    const api = createApi()
    const email = newEmail()
    const body = { email, name: 'Ann', signupPasscode: passcode }
    const answer = await api.call('POST', '/api/users', { body, env: { ENVIRONMENT: 'production' } })
    expect(answer.status).toBe(502)
    expect((await api.call('POST', '/api/users', { body })).status).toBe(201)
  })

  test('a temporary password older than a week must be replaced at sign-in, once and within three minutes @accounts-6', async () => {
    const api = createApi()
    const { email, password } = await signedUp(api)
    api.clock.now += 7 * dayMs + 1
    const challenge = async () => (await login(api, email, password)).json.data
    const answer = (session: string, newPassword: string) =>
      api.call('POST', '/api/auth/cognito/new-password', { body: { email, session, newPassword } })

    const late = await challenge()
    expect(late).toMatchObject({ challengeName: 'NEW_PASSWORD_REQUIRED', email })
    expect(late.accessToken).toBeUndefined()
    api.clock.now += 3 * minuteMs
    expect((await answer(late.session, 'new-and-longer')).status).toBe(410)

    const { session } = await challenge()
    expect((await answer(session, 'short77')).json.error).toBe('Password must be at least 8 characters')
    const twice = await Promise.all([answer(session, 'new-and-longer'), answer(session, 'new-and-longer')])
    expect(twice.map(({ status }) => status).sort()).toEqual([200, 410])
    expect((await login(api, email, 'new-and-longer')).json.data.user.needsOnboarding).toBe(false)
  })
})

describe('access to other users', () => {
  test('another user’s id is not found, and acting for another user is refused @accounts-7', async () => {
    const api = createApi()
    const [ann, bob] = [await createUser(api), await createUser(api)]
    expect((await ann.asOwner('GET', `/users/${bob.id}`)).status).toBe(404)
    const body = { currentPassword: bob.password, newPassword: 'something-else' }
    const change = await ann.asOwner('PATCH', `/users/${bob.id}/change-password`, body)
    expect(change.status).toBe(404)
    const mismatch = await api.call('GET', `/api/users/${ann.id}`, {
      token: ann.token,
      headers: { 'x-user-id': bob.id },
    })
    expect(mismatch.status).toBe(403)
  })
})

test('the name can be changed and is trimmed @accounts-8', async () => {
  const api = createApi()
  const { id, token } = await createUser(api)
  const rename = (name: unknown) => api.call('PATCH', `/api/users/${id}`, { token, body: { name } })
  expect((await rename('  Zoë 🦉 ')).json.data).toMatchObject({ id, name: 'Zoë 🦉' })
  expect((await api.call('GET', `/api/users/${id}`, { token })).json.data.name).toBe('Zoë 🦉')
  for (const bad of ['', '   ', 'x'.repeat(101), null, 5])
    expect(await rename(bad), String(bad)).toMatchObject({ status: 400, json: { field: 'name' } })
  expect((await rename(' ')).json.error).toBe('Please enter your name')
})

describe('changing the password', () => {
  test('a password change needs the current password, ends other sessions and notifies the user @accounts-9', async () => {
    const api = createApi()
    const ann = await createUser(api)
    const other = (await login(api, ann.email, ann.password)).json.data
    const change = (currentPassword: string, newPassword: string) =>
      ann.asOwner('PATCH', `/users/${ann.id}/change-password`, { currentPassword, newPassword })
    expect((await change('wrong', 'brand-new-one')).json).toMatchObject({
      code: 'invalid_input',
      field: 'currentPassword',
    })
    expect((await change(ann.password, 'abc')).json.error).toBe('Password must be at least 6 characters long')
    expect((await change(ann.password, 'brand-new-one')).json.message).toBe('Password changed successfully!')

    expect((await ann.asOwner('GET', `/users/${ann.id}`)).status).toBe(200)
    expect((await api.call('GET', `/api/users/${ann.id}`, { token: other.accessToken })).status).toBe(401)
    const again = await api.call('POST', '/api/auth/cognito/refresh', { body: { refreshToken: other.refreshToken } })
    expect(again.status).toBe(401)
    const mail = await env.DB.prepare(
      "SELECT count(*) AS n FROM dev_inbox WHERE recipient = ? AND id LIKE 'password-changed:%'",
    )
      .bind(ann.email)
      .first<{ n: number }>()
    expect(mail?.n).toBe(1)
  })
})
