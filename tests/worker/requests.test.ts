import { beforeAll, describe, expect, test } from 'vitest'
import { patient } from '../support/patience.ts'
import { createApi, createUser, env, mailedCode, newEmail, passcode, seed } from './apiClient.ts'

beforeAll(seed)

const post = (path: string) => ({ method: 'POST', path })
const own = (path: string) => ({ method: 'PATCH', path: `/api/users/{id}${path}` })

describe('hostile input', () => {
  const strange: unknown[] = [
    undefined,
    null,
    0,
    -1,
    1e308,
    true,
    '',
    ' ',
    [],
    {},
    [[]],
    { toString: 1 },
    'x'.repeat(10_240),
    '\u0000',
    'a\u0000@b.test',
    'a\u0001@b.test',
    '\ud800',
    '\u202e',
    'İ@İ.test',
    `${'é'.repeat(300)}@b.test`,
    "'; DROP TABLE user; --",
    '{{7*7}}<script>',
    '🦉'.repeat(60),
    '__proto__',
  ]
  const forms = [
    { ...post('/api/auth/cognito/login'), fields: ['email', 'password'] },
    { ...post('/api/login'), fields: ['email', 'password'] },
    { ...post('/api/auth/cognito/new-password'), fields: ['email', 'session', 'newPassword'] },
    { ...post('/api/auth/cognito/refresh'), fields: ['refreshToken'] },
    { ...post('/api/auth/cognito/sign-out'), fields: ['refreshToken'] },
    { ...post('/api/auth/cognito/signup'), fields: ['email', 'password', 'name'] },
    { ...post('/api/auth/cognito/confirm'), fields: ['email', 'code', 'signupToken'] },
    { ...post('/api/auth/cognito/confirm-link'), fields: ['token', 'signupToken'] },
    { ...post('/api/auth/cognito/resend-code'), fields: ['email'] },
    { ...post('/api/auth/cognito/forgot-password'), fields: ['email'] },
    { ...post('/api/auth/cognito/reset-password'), fields: ['email', 'code', 'newPassword'] },
    { ...post('/api/auth/cognito/reset-password-link'), fields: ['token', 'newPassword'] },
    { ...own(''), fields: ['name'] },
    { ...own('/change-password'), fields: ['currentPassword', 'newPassword'] },
    { ...own('/public-address'), fields: ['publicAddress', 'signature'] },
    { ...post('/api/users'), fields: ['email', 'name', 'signupPasscode'] },
    { ...post('/api/users/complete-onboarding'), fields: ['name', 'password'] },
    { ...post('/api/contacts'), fields: ['name', 'address', 'email', 'phone', 'description'] },
    { ...post('/api/escrow/verify-passcode'), fields: ['accessToken', 'passcode'] },
    { ...post('/api/escrow/claim'), fields: ['accessToken', 'passcode', 'sessionToken', 'recipientAddress'] },
    { ...post('/api/escrow/resend-passcode'), fields: ['accessToken'] },
    { ...post('/api/escrow/receipt'), fields: ['accessToken'] },
  ]
  const plausible: Record<string, unknown> = {
    email: 'fuzz@bursar.test',
    password: 'long enough password',
    session: 'x',
    newPassword: 'long enough password',
    refreshToken: 'x',
    code: '123456',
    token: 'x',
    signupToken: 'x',
    currentPassword: 'not the current one',
    publicAddress: null,
    signature: '0x00',
    name: 'Fuzz',
    signupPasscode: passcode,
    accessToken: 'no-such-link',
    passcode: '123456',
    sessionToken: 'x',
    recipientAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  }

  test.each(forms)(
    '$path returns a plain refusal or success for every value of every field @requests-1',
    async ({ method, path, fields }) => {
      const api = createApi()
      const { token, id } = await createUser(api)
      let from = 0
      for (const field of fields) {
        for (const value of strange) {
          const body = { ...Object.fromEntries(fields.map((name) => [name, plausible[name]])), [field]: value }
          const answer = await api.call(method, path.replace('{id}', id), { token, body, from: `198.51.100.${++from}` })
          const label = `${field} = ${JSON.stringify(value)?.slice(0, 60)} → ${answer.text.slice(0, 200)}`
          expect(answer.status, label).toBeLessThan(500)
          if (answer.status === 400) expect(answer.json.error, label).toMatch(/^[A-Z][^{}]{5,150}$/)
          if (answer.json.field) expect(fields, label).toContain(answer.json.field)
        }
      }
    },
    patient(120_000),
  )

  test('emails, names and codes are trimmed, passwords are not @requests-2', async () => {
    const api = createApi()
    const email = newEmail()
    const call = (name: string, body: unknown) => api.call('POST', `/api/auth/cognito/${name}`, { body })
    const password = ' with spaces around '
    const signup = await call('signup', { email: ` ${email}\t`, password, name: '  Zoë  ' })
    expect(signup.json.data).toMatchObject({ email, name: 'Zoë' })
    expect((await call('confirm', { email: ` ${email}`, code: ` ${await mailedCode(email)} ` })).status).toBe(200)
    expect((await call('login', { email, password: password.trim() })).status).toBe(401)
    expect((await call('login', { email: `${email} `, password })).status).toBe(200)
  })

  test('an invalid claim link of any shape is not found @requests-3', async () => {
    const api = createApi()
    for (const link of ['x', ' x', '%00', '%F0%9F%A6%89', 'x'.repeat(10_240), "'; --", '..%2F..%2Fusers', '%E0%A4%A']) {
      const { status, json } = await api.call('GET', `/api/escrow/claim/${link}`)
      expect(status, link.slice(0, 20)).toBe(404)
      expect(json.success, link.slice(0, 20)).toBe(false)
    }
  })

  test('bodies that are not a JSON object, are too large or have the wrong content type are refused @requests-4', async () => {
    const api = createApi()
    const path = '/api/auth/cognito/login'
    for (const raw of ['', '{', 'null', '[]', '"x"', '5', 'undefined', '\ufeff{}']) {
      const { status, json } = await api.call('POST', path, { raw })
      expect(status, raw).toBe(400)
      expect(json.code, raw).toBe('invalid_input')
    }
    const large = await api.call('POST', path, { raw: JSON.stringify({ email: 'x'.repeat(65_536) }) })
    expect([large.status, large.json.code]).toEqual([413, 'payload_too_large'])
    const form = await api.call('POST', path, { raw: 'email=a', headers: { 'content-type': 'text/plain' } })
    expect(form.status).toBe(400)
    expect(form.json.error).toContain('Content-Type: application/json')
  })
})

describe('every response @requests-5', () => {
  test('unknown paths and methods get an error in the form of their API @requests-6', async () => {
    const api = createApi()
    const unknown = await api.call('GET', '/api/nothing/here')
    expect([unknown.status, unknown.json]).toEqual([404, { success: false, error: 'Not found.', code: 'not_found' }])
    const method = await api.call('PUT', '/api/login', { body: {} })
    expect([method.status, method.headers.get('allow'), method.json.code]).toEqual([405, 'POST', 'method_not_allowed'])
    const problem = await api.call('GET', '/v1/nothing')
    expect(problem.headers.get('content-type')).toBe('application/problem+json')
    const fields = { status: 401, code: 'unauthenticated', instance: '/v1/nothing', request_id: expect.any(String) }
    expect(problem.json).toMatchObject(fields)
  })

  test('responses are never cached or framed, and have a request id of our own @requests-7', async () => {
    const { headers } = await createApi().call('GET', '/api/health', { headers: { 'x-request-id': 'another-request' } })
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('vary')).toBe('Authorization')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('responses carry a D1 bookmark, and requests may send any bookmark, even a malformed one', async () => {
    const api = createApi()
    const { token } = await createUser(api)
    const first = await api.call('GET', '/api/contacts', { token })
    const bookmark = first.headers.get('x-d1-bookmark')!
    expect(bookmark).toMatch(/^[0-9a-f-]+$/)
    for (const header of [bookmark, 'first-unconstrained', "'; --", '0'])
      expect(
        (await api.call('GET', '/api/contacts', { token, headers: { 'x-d1-bookmark': header } })).status,
        header,
      ).toBe(200)
  })

  test('the configuration for browsers contains no secret', async () => {
    const { json, text } = await createApi().call('GET', '/api/config')
    expect(json.data.chains[8453].explorerUrl).toBe(env.EXPLORER_URL_8453)
    for (const secret of [
      env.KEK_V1,
      env.PAYOUT_SECRET_V1,
      env.ID_SECRET_V1,
      env.RELAYER_SEED_V1,
      env.CODE_PEPPER,
      env.PASSWORD_PEPPER,
    ])
      expect(text).not.toContain(secret)
  })
})
