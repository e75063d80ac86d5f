import { beforeAll, describe, expect, test } from 'vitest'
import { minuteMs } from '#domain/time.ts'
import {
  type Api,
  auth,
  createApi,
  createUser,
  env,
  login,
  mailedCode,
  mailsTo,
  newEmail,
  passcode,
  seed,
} from './apiClient.ts'

beforeAll(seed)

const password = 'correct horse battery'
const signup = (api: Api, email: string, changes: Record<string, unknown> = {}) =>
  auth(api, 'signup', { email, password, name: 'Zoë', ...changes })
const confirm = (api: Api, email: string, code: string, from?: string) => auth(api, 'confirm', { email, code }, from)
const reset = (api: Api, email: string, code: string, newPassword = 'brand new password', from?: string) =>
  auth(api, 'reset-password', { email, code, newPassword }, from)
const otherThan = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

describe('signing up with a password', () => {
  test('a signup with a password works once the emailed code is confirmed @email-codes-1', async () => {
    const api = createApi()
    const email = newEmail()
    const answer = await signup(api, ` ${email.toUpperCase()}`)
    expect(answer.status, answer.text).toBe(201)
    const signupToken = expect.stringMatching(/^bu_[A-Za-z0-9_-]{43}$/)
    expect(answer.json.data).toEqual({ email, name: 'Zoë', userConfirmed: false, signupToken })
    const before = await login(api, email, password)
    expect(before).toMatchObject({ status: 403, json: { field: 'email' } })
    expect((await login(api, email, 'wrong')).json.field).toBe('password')

    const code = await mailedCode(email)
    const twice = await Promise.all([confirm(api, email, code), confirm(api, email, code)])
    expect(twice.map(({ status }) => status).sort()).toEqual([200, 422])
    expect((await login(api, email, password)).json.data.user).toMatchObject({ name: 'Zoë', needsOnboarding: false })
  })

  test('signing up with a taken email gets the same response as with a free one, and the account is unchanged', async () => {
    const api = createApi()
    const ann = await createUser(api)
    const free = newEmail()
    const [taken, other] = [await signup(api, ann.email, { password: 'mallory was here' }), await signup(api, free)]
    expect(taken.status).toBe(201)
    const shown = (text: string) => text.replaceAll(free, ann.email).replace(/bu_[A-Za-z0-9_-]{43}/, 'bu_…')
    expect(shown(taken.text)).toBe(shown(other.text))
    expect((await mailsTo(ann.email))[0]).toContain('already has an account')
    const [atTaken, atFree] = [await login(api, ann.email, 'mallory was here'), await login(api, free, password)]
    expect(atTaken.text).toBe(atFree.text)
    expect(atTaken.status).toBe(403)
    expect((await login(api, ann.email, ann.password)).status).toBe(200)
  })

  test('codes are limited to one in 60 seconds and five an hour, for any email @email-codes-2', async () => {
    const api = createApi()
    const [email, nobody] = [newEmail(), newEmail()]
    await signup(api, email)
    await auth(api, 'forgot-password', { email: nobody })
    for (const [call, to] of [
      ['resend-code', email],
      ['signup', email],
      ['forgot-password', nobody],
    ] as const) {
      const body = call === 'signup' ? { email: to, password, name: 'Z' } : { email: to }
      const answer = await auth(api, call, body)
      expect(answer).toMatchObject({ status: 429, json: { code: 'rate_limited', field: 'email' } })
      expect(answer.json.error).toBe('Please wait 60 seconds before asking for another code.')
      expect(answer.headers.get('retry-after')).toBe('60')
    }
    for (let codes = 2; codes <= 5; codes++) {
      api.clock.now += minuteMs
      expect((await auth(api, 'resend-code', { email })).status, `code ${codes}`).toBe(200)
    }
    expect(await mailsTo(email)).toHaveLength(5)
    api.clock.now += minuteMs
    const sixth = await auth(api, 'resend-code', { email })
    expect(sixth.json.error).toBe('Too many attempts. Try again in 55 minutes.')
    api.clock.now += 55 * minuteMs
    expect((await auth(api, 'resend-code', { email })).status).toBe(200)
    expect((await confirm(api, email, await mailedCode(email))).status).toBe(200)
  })

  test('limits on codes count a mailbox, however its address is written, for both ways of signing up @email-codes-8', async () => {
    const api = createApi()
    const signUp = (email: string) =>
      api.call('POST', '/api/users', { body: { email, name: 'Ann', signupPasscode: passcode } })
    const forgot = (email: string) => auth(api, 'forgot-password', { email })
    const calls = [signup, (_: Api, email: string) => signUp(email)] as const
    for (const [i, first] of calls.entries()) {
      const at = (text: string) => text.replace(/ann/i, `ann${i}`)
      expect((await first(api, at('ann.lovelace@gmail.com'))).status).toBe(201)
      const others = [at('ann.lovelace+1@gmail.com'), at('ANNL.O.V.E.L.A.C.E@googlemail.com')]
      for (const email of others)
        for (const again of calls)
          expect(await again(api, email)).toMatchObject({ status: 429, json: { field: 'email' } })
      for (const email of others) expect((await forgot(email)).status).toBe(email === others[0] ? 200 : 429)
      expect((await first(api, at('ann.lovelace@example.com'))).status).toBe(201)
      expect((await first(api, at('ann.love.lace@example.com'))).status, 'elsewhere dots matter').toBe(201)
    }
    const mails = env.DB.prepare("SELECT count(*) AS n FROM dev_inbox WHERE recipient LIKE '%lovelace%@g%mail.com'")
    expect(await mails.first('n')).toBe(2)
  })

  test('with the right passcode, one mailbox gets five mails an hour, and one network address a hundred in 15 minutes', async () => {
    const api = createApi()
    const signUp = (email: string, from: string, signupPasscode = passcode) =>
      api.call('POST', '/api/users', { from, body: { email, name: 'Ann', signupPasscode } })
    const uses = env.DB.prepare('SELECT sum(used) AS n FROM signup_passcode')
    const before = await uses.first<number>('n')
    const statuses: number[] = []
    for (let i = 0; i < 8; i++) {
      statuses.push((await signUp(`victim+${i}@bursar.test`, `203.0.113.${i}`)).status)
      api.clock.now += minuteMs
    }
    expect(statuses).toEqual([201, 201, 201, 201, 201, 429, 429, 429])
    expect(await uses.first('n'), 'a refused sign-up uses no passcode').toBe(before! + 5)

    const wrong = await signUp('bob+1@bursar.test', '203.0.113.1', 'guess')
    expect(wrong.json.field, 'a wrong passcode sends nothing').toBe('signupPasscode')
    expect((await signUp('bob+2@bursar.test', '203.0.113.1')).status).toBe(201)

    for (let i = 0; i < 100; i++) await auth(api, 'forgot-password', { email: `n${i}@bursar.test` }, '203.0.113.9')
    expect(await signUp('carol@bursar.test', '203.0.113.9')).toMatchObject({
      status: 429,
      json: { code: 'rate_limited' },
    })
    expect(await mailsTo('carol@bursar.test')).toHaveLength(0)
  })

  test('only unconfirmed accounts get a new code; the response is the same for all emails @email-codes-3', async () => {
    const api = createApi()
    const [ann, waiting] = [await createUser(api), newEmail()]
    await signup(api, waiting)
    api.clock.now += minuteMs
    const sent = (await mailsTo(ann.email)).length
    const answers = [ann.email, waiting, newEmail()].map((email) => auth(api, 'resend-code', { email }))
    const texts = (await Promise.all(answers)).map(({ status, text }) => `${status} ${text}`)
    expect(new Set(texts).size).toBe(1)
    expect((await mailsTo(ann.email)).length).toBe(sent)
    expect(await mailsTo(waiting)).toHaveLength(2)
  })

  test('common and short passwords are refused with their field', async () => {
    const api = createApi()
    for (const weak of ['Password!', 'short77', '', 5])
      expect(await signup(api, newEmail(), { password: weak })).toMatchObject({
        status: 400,
        json: { field: 'password' },
      })
  })
})

describe('a forgotten password', () => {
  test('a forgotten password is replaced with the emailed code; other sessions end and the user is notified', async () => {
    const api = createApi()
    const ann = await createUser(api)
    expect((await auth(api, 'forgot-password', { email: ann.email })).status).toBe(200)
    const code = await mailedCode(ann.email)
    const weak = await reset(api, ann.email, code, 'qwertyuiop')
    expect(weak).toMatchObject({ status: 400, json: { field: 'newPassword' } })
    const twice = await Promise.all([reset(api, ann.email, code), reset(api, ann.email, code)])
    expect(twice.map(({ status }) => status).sort()).toEqual([200, 422])
    expect((await mailsTo(ann.email))[0]).toContain('was just changed')
    expect((await ann.asOwner('GET', `/users/${ann.id}`)).status).toBe(401)
    expect((await auth(api, 'refresh', { refreshToken: ann.refreshToken })).status).toBe(401)
    expect((await login(api, ann.email, ann.password)).status).toBe(401)
    expect((await login(api, ann.email, 'brand new password')).status).toBe(200)
  })

  test('a password reset gives unknown emails the same responses as known ones @email-codes-4', async () => {
    const api = createApi()
    const [ann, nobody] = [await createUser(api), newEmail()]
    const forgot = (email: string) => auth(api, 'forgot-password', { email })
    const asked = [await forgot(ann.email), await forgot(nobody)]
    expect(asked[0]!.text).toBe(asked[1]!.text)
    expect(await mailsTo(nobody)).toEqual([])
    const wrong = otherThan(await mailedCode(ann.email))
    for (let guess = 1; guess <= 12; guess++) {
      const [known, unknown] = [await reset(api, ann.email, wrong), await reset(api, nobody, wrong)]
      expect(unknown.text, `guess ${guess}`).toBe(known.text)
      expect(unknown.status).toBe(known.status)
    }
  })

  test('a reset code lasts 15 minutes and five tries, even in parallel @email-codes-5', async () => {
    const api = createApi()
    const ann = await createUser(api)
    await auth(api, 'forgot-password', { email: ann.email })
    const late = await mailedCode(ann.email)
    api.clock.now += 15 * minuteMs
    expect((await reset(api, ann.email, late)).json).toMatchObject({ field: 'code', code: 'wrong_passcode' })

    await auth(api, 'forgot-password', { email: ann.email })
    const code = await mailedCode(ann.email)
    const guesses = Array.from({ length: 5 }, (_, i) =>
      reset(api, ann.email, otherThan(code), 'brand new password', `192.0.2.${i}`),
    )
    for (const { status } of await Promise.all(guesses)) expect(status).toBe(422)
    expect((await reset(api, ann.email, code, 'brand new password', '192.0.2.99')).status).toBe(422)
    const tries = env.DB.prepare('SELECT tries FROM account_code WHERE user_id = ?').bind(ann.id)
    expect(await tries.first('tries')).toBe(5)

    api.clock.now += minuteMs
    await auth(api, 'forgot-password', { email: ann.email })
    expect((await reset(api, ann.email, await mailedCode(ann.email), undefined, '192.0.2.99')).status).toBe(200)
  })

  test('a reset code is void once the password was changed in another way', async () => {
    const api = createApi()
    const ann = await createUser(api)
    await auth(api, 'forgot-password', { email: ann.email })
    const code = await mailedCode(ann.email)
    await ann.asOwner('PATCH', `/users/${ann.id}/change-password`, {
      currentPassword: ann.password,
      newPassword: 'changed by the owner',
    })
    expect((await reset(api, ann.email, code)).status).toBe(422)
    expect((await login(api, ann.email, 'changed by the owner')).status).toBe(200)
  })

  test('a reset code confirms an unconfirmed account', async () => {
    const api = createApi()
    const email = newEmail()
    await signup(api, email, { password: 'somebody else chose' })
    await auth(api, 'forgot-password', { email })
    expect((await reset(api, email, await mailedCode(email))).status).toBe(200)
    expect((await login(api, email, 'somebody else chose')).status).toBe(401)
    expect((await login(api, email, 'brand new password')).status).toBe(200)
  })

  test('codes do not work for another purpose or user, and none is stored in plain text @email-codes-6', async () => {
    const api = createApi()
    const [ann, bob] = [await createUser(api), newEmail()]
    await auth(api, 'forgot-password', { email: ann.email })
    await signup(api, bob)
    const [annsCode, bobsCode] = [await mailedCode(ann.email), await mailedCode(bob)]
    expect((await confirm(api, ann.email, annsCode)).status).toBe(422)
    expect((await reset(api, bob, bobsCode)).status).toBe(422)
    expect((await confirm(api, bob, annsCode)).status).toBe(annsCode === bobsCode ? 200 : 422)
    const { results } = await env.DB.prepare('SELECT hash FROM account_code').all()
    for (const code of [annsCode, bobsCode]) expect(JSON.stringify(results)).not.toContain(`"${code}"`)
  })
})
