import { beforeAll, describe, expect, test } from 'vitest'
import { minuteMs } from '#domain/time.ts'
import { createApp } from '../../worker/app.ts'
import { subscriberAddress } from '../../worker/middleware/rateLimit.ts'
import { countCalls } from '../support/countedCalls.ts'
import { createApi, createUser, env, login, makeGuessingCheap, newEmail, seed } from './apiClient.ts'

beforeAll(seed)

const quarterHour = 15 * minuteMs
/** Counts the guesses refused as wrong. All others were refused before the password was compared. */
const countEvaluated = (answers: { status: number }[]) => answers.filter(({ status }) => status === 401).length

/** The wait that a refusal states, in ms: the sentence and Retry-After must agree. */
function statedWait({ json, headers }: Awaited<ReturnType<typeof login>>): number {
  const minutes = Number(/^Too many attempts\. Try again in (\d+) minutes?\.$/.exec(json.error)?.[1])
  const seconds = Number(headers.get('retry-after'))
  expect(minutes).toBe(Math.ceil(seconds / 60))
  return seconds * 1000
}

describe('guessing a password', () => {
  test('five of 1,000 wrong passwords are evaluated, and the right one works after the stated wait @sign-in-abuse-1', async () => {
    const api = createApi()
    const { email, password } = await createUser(api)
    let evaluated = 0
    for (let round = 0; round < 10; round++) {
      const guesses = Array.from({ length: 100 }, (_, i) => login(api, email, `guess ${round} ${i}`))
      evaluated += countEvaluated(await Promise.all(guesses))
      api.clock.now += 80_000 // 10 rounds within 15 minutes
    }
    expect(evaluated).toBe(5)
    const refused = await login(api, email, password)
    expect(refused.status).toBe(429)
    api.clock.now += statedWait(refused)
    expect((await login(api, email, password)).status).toBe(200)
  })

  test('no span of 15 minutes has more than five evaluated guesses, wherever it begins', async () => {
    const api = createApi()
    const { email } = await createUser(api)
    const guess = async (count: number) =>
      countEvaluated(await Promise.all(Array.from({ length: count }, () => login(api, email, 'guess'))))
    expect(await guess(1)).toBe(1)
    api.clock.now += quarterHour - 1000
    expect(await guess(10)).toBe(4)
    api.clock.now += 2000
    expect(await guess(10)).toBe(0)
    api.clock.now += quarterHour - 2000
    expect(await guess(10)).toBe(5)
  })

  test('refused guesses do not prolong the wait', async () => {
    const api = createApi()
    const { email, password } = await createUser(api)
    for (let i = 0; i < 5; i++) await login(api, email, 'guess')
    for (let minute = 0; minute < 15; minute++) {
      expect((await login(api, email, 'guess')).status, `minute ${minute}`).toBe(429)
      api.clock.now += minuteMs
    }
    expect((await login(api, email, password)).status).toBe(200)
  })

  test('many addresses get 80 tries a day together; the owner can still sign in from a known address @sign-in-abuse-2', async () => {
    const api = createApi()
    const { email, password } = await createUser(api)
    const home = '192.0.2.1'
    expect((await login(api, email, password, home)).status).toBe(200)
    await makeGuessingCheap(email, password)
    let evaluated = 0
    for (let round = 0; round < 6; round++) {
      const crowd = Array.from({ length: 20 }, (_, i) => login(api, email, 'guess', `203.0.113.${round * 20 + i}`))
      evaluated += countEvaluated(await Promise.all(crowd))
    }
    expect(evaluated).toBe(80)
    expect((await login(api, email, password, home)).status).toBe(200)
    const elsewhere = await login(api, email, password, '198.51.100.1')
    expect(elsewhere.status).toBe(429)
    api.clock.now += Number(elsewhere.headers.get('retry-after')) * 1000
    expect((await login(api, email, password, '198.51.100.1')).status).toBe(200)
  })
})

test('wrong passwords from a known address do not use up the tries of other addresses @sign-in-abuse-6', async () => {
  const api = createApi()
  const { email, password } = await createUser(api)
  const home = '192.0.2.1'
  expect((await login(api, email, password, home)).status).toBe(200)
  await makeGuessingCheap(email, password)
  let evaluated = 0
  for (let round = 0; round < 5; round++) {
    const guesses = Array.from({ length: 6 }, () => login(api, email, 'guess', home))
    evaluated += countEvaluated(await Promise.all(guesses))
    api.clock.now += quarterHour + 1000
  }
  expect(evaluated).toBe(20)
  expect((await login(api, email, password, home)).status).toBe(429)
  expect((await login(api, email, password, '198.51.100.1')).status).toBe(200)
})

describe('account enumeration', () => {
  test('a wrong password does not wait for the Treasury, and reads D1 as often as an unknown email @sign-in-abuse-5', async () => {
    const api = createApi()
    const { email } = await createUser(api)
    const epoch = { passwordEpoch: () => new Promise(() => {}), [Symbol.dispose]() {} }
    const TREASURY = { getByName: () => ({ account: () => epoch }) } as unknown as typeof env.TREASURY
    const tripsFor = async (email: string) => {
      const counter = countCalls(env)
      const body = { email, password: 'guess' }
      const answer = await api.call('POST', '/api/auth/cognito/login', { body, env: { ...counter.env, TREASURY } })
      counter.stop()
      expect(answer.status, answer.text).toBe(401)
      return counter.roundTrips()
    }
    expect(await tripsFor(email)).toEqual(['D1'])
    expect(await tripsFor(newEmail())).toEqual(['D1'])
  })

  test.each(['forgot-password', 'resend-code'])(
    '%s responds before looking up the account @sign-in-abuse-4',
    async (call) => {
      const api = createApi()
      const { email } = await createUser(api)
      const app = createApp({ now: () => api.clock.now })
      for (const to of [email, newEmail()]) {
        const later: Promise<unknown>[] = []
        const context = {
          waitUntil: (work: Promise<unknown>) => later.push(work),
          passThroughOnException() {},
          props: {},
        }
        const body = JSON.stringify({ email: to })
        const headers = { 'content-type': 'application/json' }
        const init = { method: 'POST', headers, body }
        const url = `${env.API_ORIGIN}/api/auth/cognito/${call}`
        const answer = await app.request(url, init, env, context as unknown as ExecutionContext)
        expect(answer.status).toBe(200)
        expect(later).toHaveLength(1)
        await Promise.all(later)
      }
    },
  )
})

describe('one network address', () => {
  test('one network address can sign up and request codes a hundred times in 15 minutes, for any number of emails', async () => {
    const api = createApi()
    const from = '198.51.100.77'
    // Only every tenth call, since each signup costs a password hash.
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
  })

  test('a whole IPv6 /64 counts as one network address: another address inside it gets no new passcode guesses', async () => {
    const api = createApi()
    const guess = (i: number, network = '2001:db8:0:7') =>
      api.call('POST', '/api/users', {
        from: `${network}::${i.toString(16)}`,
        body: { email: newEmail(), name: 'Ann', signupPasscode: `guess ${i}` },
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
  ])('network address %s counts as %s', (address, caller) => {
    expect(subscriberAddress(address)).toBe(caller)
  })
})
