import { beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../../worker/app.ts'
import { derive } from '../../worker/identity/passwords.ts'
import { asOneCaller } from '../../worker/middleware/callerAddress.ts'
import { type Api, anApi, anEmail, aUser, env, login, seed } from './apiClient.ts'

beforeAll(seed)

const quarterHour = 15 * 60_000
/** Looked at = answered as wrong. Everything else was refused before the password was touched. */
const lookedAt = (answers: { status: number }[]) => answers.filter(({ status }) => status === 401).length

/** The wait that a refusal states, in ms: the sentence and Retry-After must agree. */
function statedWait({ json, headers }: Awaited<ReturnType<typeof login>>): number {
  const minutes = Number(/^Too many attempts\. Try again in (\d+) minutes?\.$/.exec(json.error)?.[1])
  const seconds = Number(headers.get('retry-after'))
  expect(minutes).toBe(Math.ceil(seconds / 60))
  return seconds * 1000
}

describe('guessing a password', () => {
  test('of 1,000 wrong ones five are looked at, and the right one works after the stated wait', async () => {
    const api = anApi()
    const { email, password } = await aUser(api)
    let evaluated = 0
    for (let round = 0; round < 10; round++) {
      const guesses = Array.from({ length: 100 }, (_, i) => login(api, email, `guess ${round} ${i}`))
      evaluated += lookedAt(await Promise.all(guesses))
      api.clock.now += 80_000 // 10 rounds within 15 minutes
    }
    expect(evaluated).toBe(5)
    const refused = await login(api, email, password)
    expect(refused.status).toBe(429)
    api.clock.now += statedWait(refused)
    expect((await login(api, email, password)).status).toBe(200)
  }, 120_000)

  test('no span of 15 minutes holds more than five, wherever it begins', async () => {
    const api = anApi()
    const { email } = await aUser(api)
    const guess = async (count: number) =>
      lookedAt(await Promise.all(Array.from({ length: count }, () => login(api, email, 'guess'))))
    expect(await guess(1)).toBe(1)
    api.clock.now += quarterHour - 1000
    expect(await guess(10)).toBe(4)
    api.clock.now += 2000
    expect(await guess(10)).toBe(0)
    api.clock.now += quarterHour - 2000
    expect(await guess(10)).toBe(5)
  })

  test('refused guesses do not prolong the wait', async () => {
    const api = anApi()
    const { email, password } = await aUser(api)
    for (let i = 0; i < 5; i++) await login(api, email, 'guess')
    for (let minute = 0; minute < 15; minute++) {
      expect((await login(api, email, 'guess')).status, `minute ${minute}`).toBe(429)
      api.clock.now += 60_000
    }
    expect((await login(api, email, password)).status).toBe(200)
  })

  test('a crowd of addresses gets 100 tries; the owner comes in from where they have been before', async () => {
    const api = anApi()
    const { email, password } = await aUser(api)
    const home = '192.0.2.1'
    expect((await login(api, email, password, home)).status).toBe(200)
    await makeGuessingCheap(email, password)
    let evaluated = 0
    for (let round = 0; round < 6; round++) {
      const crowd = Array.from({ length: 20 }, (_, i) => login(api, email, 'guess', `203.0.113.${round * 20 + i}`))
      evaluated += lookedAt(await Promise.all(crowd))
    }
    expect(evaluated).toBeLessThanOrEqual(100)
    expect(evaluated).toBeGreaterThan(90)
    expect((await login(api, email, password, home)).status).toBe(200)
    const elsewhere = await login(api, email, password, '198.51.100.1')
    expect(elsewhere.status).toBe(429)
    api.clock.now += statedWait(elsewhere)
    expect((await login(api, email, password, '198.51.100.1')).status).toBe(200)
  }, 120_000)
})

/** The stored hash as one of an old release: at today's cost a hundred guesses take 20 seconds. */
async function makeGuessingCheap(email: string, password: string): Promise<void> {
  const salt = Buffer.alloc(16, 7)
  const key = await derive(password, env.PASSWORD_PEPPER, { ln: 1, r: 1, p: 1, salt })
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  const stored = `$scrypt$ln=1,r=1,p=1$${text(salt)}$${text(key)}`
  await env.DB.prepare('UPDATE user SET password_hash = ? WHERE email = ?').bind(stored, email).run()
}

describe('finding out who has an account', () => {
  test('signing in and signing up take as long for unknown as for known emails', async () => {
    const api = anApi()
    const { email } = await aUser(api)
    const signup = (to: string) =>
      api.call('POST', '/api/auth/cognito/signup', { body: { email: to, password: 'long enough', name: 'Ann' } })
    await withinFactor(
      3,
      () => login(api, email, 'wrong'),
      () => login(api, anEmail(), 'wrong'),
      api,
    )
    await withinFactor(
      3,
      () => signup(email),
      () => signup(anEmail()),
      api,
    )
  })

  test.each(['forgot-password', 'resend-code'])('%s answers before it looks', async (call) => {
    const api = anApi()
    const { email } = await aUser(api)
    const app = createApp({ now: () => api.clock.now })
    for (const to of [email, anEmail()]) {
      const later: Promise<unknown>[] = []
      const context = {
        waitUntil: (work: Promise<unknown>) => later.push(work),
        passThroughOnException() {},
        props: {},
      }
      const body = JSON.stringify({ email: to })
      const headers = { 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body }
      const answer = await app.request(`/api/auth/cognito/${call}`, init, env, context as unknown as ExecutionContext)
      expect(answer.status).toBe(200)
      expect(later).toHaveLength(1)
      await Promise.all(later)
    }
  })
})

/** Medians of seven; without equal work they differ by a factor of ten and more. */
async function withinFactor(factor: number, one: () => Promise<unknown>, other: () => Promise<unknown>, api: Api) {
  const times: [number[], number[]] = [[], []]
  for (let i = 0; i < 7; i++) {
    for (const [which, call] of [one, other].entries()) {
      const startedAt = performance.now()
      await call()
      times[which]!.push(performance.now() - startedAt)
    }
    api.clock.now += 20 * 60_000
  }
  const median = (list: number[]) => list.toSorted((a, b) => a - b)[3]!
  const ratio = median(times[0]) / median(times[1])
  expect(ratio).toBeGreaterThan(1 / factor)
  expect(ratio).toBeLessThan(factor)
}

describe('one network address', () => {
  test('signs up and asks for codes a hundred times in 15 minutes, however many emails it names', async () => {
    const api = anApi()
    const from = '198.51.100.77'
    // Not oftener: each signup costs a password hash.
    const callOf = (i: number) => (i % 10 === 0 ? 'signup' : i % 2 === 0 ? 'forgot-password' : 'resend-code')
    const ask = (i: number) =>
      api.call('POST', `/api/auth/cognito/${callOf(i)}`, {
        from,
        body: { email: `nobody${i}@bursar.test`, password: 'correct horse battery', name: 'Nobody' },
      })
    const statuses: number[] = []
    for (let i = 0; i < 102; i++) statuses.push((await ask(i)).status)
    expect(statuses.filter((status) => status < 300)).toHaveLength(100)
    expect(statuses.slice(100)).toEqual([429, 429])
    const accounts = env.DB.prepare("SELECT count(*) AS n FROM user WHERE email LIKE 'nobody%'")
    expect(await accounts.first('n')).toBe(10)
    expect((await ask(110)).status).toBe(429)
    expect(await accounts.first('n'), 'no account, no mail').toBe(10)
    const elsewhere = await api.call('POST', '/api/auth/cognito/forgot-password', {
      from: '198.51.100.78',
      body: { email: 'nobody@bursar.test' },
    })
    expect(elsewhere.status).toBe(200)
    api.clock.now += quarterHour
    expect((await ask(111)).status).toBe(200)
  }, 60_000)

  test('is the whole /64 of IPv6: moving on inside it gives no new passcode guesses', async () => {
    const api = anApi()
    const guess = (i: number, network = '2001:db8:0:7') =>
      api.call('POST', '/api/users', {
        from: `${network}::${i.toString(16)}`,
        body: { email: anEmail(), name: 'Ann', signupPasscode: `guess ${i}` },
      })
    const statuses: number[] = []
    for (let i = 1; i <= 12; i++) statuses.push((await guess(i)).status)
    expect(statuses).toEqual([...Array(10).fill(422), 429, 429])
    expect((await guess(13, '2001:db8:0:8')).status, 'another subscriber').toBe(422)
  })

  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['unknown', 'unknown'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::6', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
  ])('%s counts as %s', (address, caller) => {
    expect(asOneCaller(address)).toBe(caller)
  })
})
