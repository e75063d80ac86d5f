/** The SDK against replies that are lost, late, wrong or not from Bursar. tests/gateway/sdk.test.ts uses the real API. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  Bursar,
  BursarError,
  type BursarOptions,
  BursarOutcomeUnknown,
  BursarPaymentFailed,
  BursarRefusal,
  BursarSignedOut,
  type Payment,
} from '#sdk'
import { address, payment } from '../support/sdkPayment.ts'

const terms = { to: address, amount: '12.5' }

type Reply = Response | Error | ((request: Request) => Response | Promise<Response>)
const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })
const accepted = (over?: Partial<Payment>) => json(201, payment(over))
const page = (status: number) =>
  new Response('<html>Sign in</html>', { status, headers: { 'content-type': 'text/html' } })
const problem = (status: number, code: string, more: object = {}, headers: Record<string, string> = {}) =>
  json(status, { type: 'about:blank', title: code, status, detail: `Because of ${code}.`, code, ...more }, headers)
const dropped = () => new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } })

type Seen = { method: string; path: string; key: string | null; token: string | null; body: string; at: number }

/** A client whose requests get these replies, one after another and then the last one again. */
function client(replies: Reply[], options: BursarOptions = { apiKey: 'bk_test' }) {
  const seen: Seen[] = []
  const bursar = new Bursar({
    url: 'https://bursar.example',
    ...options,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url)
      const { method, headers } = request
      const [key, token] = [headers.get('idempotency-key'), headers.get('authorization')]
      seen.push({ method, path: pathname + search, key, token, body: await request.text(), at: performance.now() })
      const reply = replies[Math.min(seen.length, replies.length) - 1]!
      if (reply instanceof Error) throw reply
      return typeof reply === 'function' ? reply(request) : reply.clone()
    },
  })
  return { bursar, seen }
}

/** Lets all timers pass until the call has ended. Returns its result or its error. */
async function outcomeOf<T>(call: Promise<T>): Promise<T | Error> {
  const outcome = call.catch((error: Error) => error)
  await vi.runAllTimersAsync()
  return outcome
}
const keysOf = (seen: Seen[]) => new Set(seen.map(({ key }) => key))

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a payment', () => {
  test.each<[string, Reply[]]>([
    ['a lost reply', [dropped(), accepted()]],
    ['a reply that ends in the middle', [new Response('{"id":"pay', { status: 201 }), accepted()]],
    ['an error of the server', [problem(500, 'internal'), problem(503, 'unavailable'), accepted()]],
    ['the page of a proxy', [page(502), page(200), accepted()]],
    ['too many requests', [problem(429, 'rate_limited', {}, { 'retry-after': '2' }), accepted()]],
    ['too many requests to a proxy', [page(429), accepted()]],
  ])('is repeated under the same key after %s @sdk-1', async (_, replies) => {
    const { bursar, seen } = client(replies)
    expect(await outcomeOf(bursar.pay(terms))).toEqual({ ...payment(), replayed: false })
    expect(seen).toHaveLength(replies.length)
    expect(keysOf(seen).size).toBe(1)
    expect(seen[0]!.key).toMatch(/^[0-9a-f-]{36}$/)
    expect(new Set(seen.map(({ body }) => body)).size).toBe(1)
  })

  test('waits as long as Retry-After says, in seconds or as a date @sdk-2', async () => {
    const date = new Date(Date.now() + 10_000).toUTCString()
    const { bursar, seen } = client([
      problem(429, 'rate_limited', {}, { 'retry-after': '7' }),
      new Response('', { status: 503, headers: { 'retry-after': date } }),
      accepted(),
    ])
    await outcomeOf(bursar.pay(terms))
    const [first, second] = [seen[1]!.at - seen[0]!.at, seen[2]!.at - seen[1]!.at]
    expect(first).toBeGreaterThanOrEqual(7_000)
    expect(second).toBeGreaterThan(1_000)
    expect(second).toBeLessThan(4_000)
  })

  test('without network, ends as unknown with the key to repeat @sdk-3', async () => {
    const { bursar, seen } = client([dropped()])
    const error = await outcomeOf(bursar.pay(terms))
    expect(error).toBeInstanceOf(BursarOutcomeUnknown)
    expect(error).toMatchObject({ code: 'outcome_unknown', idempotencyKey: seen[0]!.key })
    expect((error as Error).message).toBe('No reply from https://bursar.example: ECONNRESET.')
    expect(seen.length).toBeGreaterThan(5)
    expect(seen.at(-1)!.at - seen[0]!.at).toBeLessThan(60_000)
    const read = await outcomeOf(client([dropped()]).bursar.context())
    expect(read).toMatchObject({ code: 'outcome_unknown', idempotencyKey: undefined })
  })

  test.each<[string, Reply[]]>([
    ['too many requests', [dropped(), problem(429, 'rate_limited', {}, { 'retry-after': '900' })]],
    ['revoked credentials', [dropped(), problem(401, 'unauthenticated')]],
    ['the page of a proxy', [dropped(), page(404)]],
    ['an error of the server', [problem(500, 'internal')]],
  ])('whose reply was lost stays unknown after %s @sdk-4', async (_, replies) => {
    const { bursar, seen } = client(replies)
    const error = await outcomeOf(bursar.pay({ ...terms, idempotencyKey: 'order-1' }))
    expect(error).toBeInstanceOf(BursarOutcomeUnknown)
    expect(error).toMatchObject({ idempotencyKey: 'order-1' })
    expect(keysOf(seen)).toEqual(new Set(['order-1']))
  })

  test('refused by a rule throws the rule, the figures and what to do, without another attempt @sdk-5', async () => {
    const figures = { rule: 'group.budget', max_allowed_now: '18', max_without_asking: '5', next: 'Send less.' }
    const { bursar, seen } = client([problem(403, 'budget_exceeded', { ...figures, payment_id: 'pay_2' })])
    const error = await outcomeOf(bursar.pay(terms))
    expect(error).toBeInstanceOf(BursarRefusal)
    expect(error).toMatchObject({
      code: 'budget_exceeded',
      message: 'Because of budget_exceeded.',
      status: 403,
      rule: 'group.budget',
      maxAllowedNow: '18',
      maxWithoutAsking: '5',
      next: 'Send less.',
      paymentId: 'pay_2',
    })
    expect(seen).toHaveLength(1)
  })

  test('refused after a lost reply is asked once more, because the lost attempt may still be accepted @sdk-40', async () => {
    const refusal = problem(403, 'budget_exceeded', { rule: 'group.budget' })
    const overtaken = client([dropped(), refusal, accepted()])
    expect(await outcomeOf(overtaken.bursar.pay(terms))).toMatchObject({ id: 'pay_1' })
    const refused = client([dropped(), refusal, refusal])
    expect(await outcomeOf(refused.bursar.pay(terms))).toBeInstanceOf(BursarRefusal)
    expect(refused.seen).toHaveLength(3)
  })

  test.each([
    [422, 'insufficient_balance', BursarRefusal],
    [410, 'approval_expired', BursarRefusal],
    [422, 'idempotency_key_reused', BursarError],
    [400, 'invalid_input', BursarError],
    [404, 'not_found', BursarError],
    [401, 'unauthenticated', BursarSignedOut],
  ])('with the reply %s %s throws once @sdk-6', async (status, code, kind) => {
    const { bursar, seen } = client([problem(status, code)])
    const error = await outcomeOf(bursar.pay(terms))
    expect((error as Error).constructor).toBe(kind)
    expect(seen).toHaveLength(1)
  })

  test('refused for longer than the call may last is not repeated @sdk-7', async () => {
    const limit = problem(429, 'gas_allowance_exceeded', { rule: 'account.gas' }, { 'retry-after': '3600' })
    const { bursar, seen } = client([limit])
    expect(await outcomeOf(bursar.pay(terms))).toMatchObject({ name: 'BursarRefusal', rule: 'account.gas' })
    expect(seen).toHaveLength(1)
  })

  test('to another server sends no credentials along a redirect, and names the URL @sdk-8', async () => {
    const redirect = new Response(null, { status: 307, headers: { location: 'https://elsewhere.example/' } })
    const moved = client([redirect])
    const error = await outcomeOf(moved.bursar.pay(terms))
    expect(error).toMatchObject({ code: 'unexpected_reply' })
    expect((error as Error).message).toContain('a redirect to https://elsewhere.example/')
    expect(moved.seen).toHaveLength(1)
    expect(await outcomeOf(client([page(404)]).bursar.pay(terms))).toMatchObject({ code: 'unexpected_reply' })
  })

  test.each([12.5, 12n, undefined])(
    'of %s is refused before it is sent, because it is not a text @sdk-9',
    async (amount) => {
      const { bursar, seen } = client([accepted()])
      const call = bursar.pay({ to: address, amount: amount as unknown as string })
      await expect(call).rejects.toThrow(/^amount: must be a string of decimal USDC such as '12\.5', not a /)
      await expect(bursar.check({ to: address, amount: amount as unknown as string })).rejects.toThrow(TypeError)
      await expect(bursar.budgetRequests.create({ amount: amount as unknown as string })).rejects.toThrow(TypeError)
      expect(seen).toEqual([])
    },
  )

  test.each([
    [address, { type: 'address', address }],
    ['ada@example.com', { type: 'email', email: 'ada@example.com' }],
    [' +14155550123 ', { type: 'phone', phone: '+14155550123' }],
    ['0044 (0)7400 123456', { type: 'phone', phone: '0044 (0)7400 123456' }],
    ['\u202a＋44 7400 123456\u202c', { type: 'phone', phone: '＋44 7400 123456' }],
    [`base:${address}`, { type: 'address', address: `base:${address}` }],
    [`ethereum:${address}@8453`, { type: 'address', address: `ethereum:${address}@8453` }],
    [{ type: 'contact', contactId: 'contact_1' } as const, { type: 'contact', contactId: 'contact_1' }],
  ])('to %j is sent to the recipient that the text means @sdk-10', async (to, sent) => {
    const { bursar, seen } = client([accepted()])
    await outcomeOf(bursar.pay({ to, amount: '1', memo: 'Lunch' }))
    expect(JSON.parse(seen[0]!.body)).toEqual({ to: sent, amount: '1', memo: 'Lunch' })
    await expect(bursar.pay({ to: 'Ada', amount: '1' })).rejects.toThrow('to: "Ada" is neither')
  })
})

describe('waiting', () => {
  const now = (over: Partial<Payment>) => json(200, payment(over))

  test('ends when the money has left, or when the payment is final @sdk-11', async () => {
    const sent = client([accepted(), now({ status: 'PROCESSING' }), now({ status: 'PENDING' })])
    expect(await outcomeOf(sent.bursar.pay({ ...terms, wait: 'sent' }))).toMatchObject({ status: 'PENDING' })
    const final = client([accepted(), now({ status: 'PENDING' }), dropped(), now({ status: 'CONFIRMED' })])
    expect(await outcomeOf(final.bursar.pay({ ...terms, wait: 'final' }))).toMatchObject({ status: 'CONFIRMED' })
    expect(final.seen.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET', 'GET'])
  })

  test('for the owner ends with the refusal if the owner denies it, and asks rarely @sdk-12', async () => {
    const error = { code: 'approval_denied', message: 'The owner denied this payment.' }
    const { bursar, seen } = client([
      json(202, payment({ status: 'PENDING_APPROVAL' })),
      now({ status: 'PENDING_APPROVAL' }),
      now({ status: 'POLICY_REJECTED', error }),
    ])
    const refused = await outcomeOf(bursar.pay({ ...terms, wait: 'sent' }))
    expect(refused).toBeInstanceOf(BursarRefusal)
    expect(refused).toMatchObject({ ...error, paymentId: 'pay_1' })
    expect(seen[2]!.at - seen[1]!.at).toBeGreaterThanOrEqual(15_000)
  })

  test('ends with the payment if it fails or is cancelled @sdk-13', async () => {
    for (const status of ['FAILED', 'CANCELLED'] as const) {
      const { bursar } = client([accepted(), now({ status })])
      const error = await outcomeOf(bursar.pay({ ...terms, wait: 'sent' }))
      expect(error).toBeInstanceOf(BursarPaymentFailed)
      expect(error).toMatchObject({ payment: { status } })
    }
  })

  test('that is aborted names the payment and its key; before anything is sent, only the reason is thrown @sdk-14', async () => {
    const reason = new Error('enough')
    const waiting = new AbortController()
    const { bursar } = client([
      accepted(),
      () => {
        waiting.abort(reason)
        return now({ status: 'PROCESSING' })
      },
    ])
    const options = { ...terms, wait: 'sent', idempotencyKey: 'order-1', signal: waiting.signal } as const
    expect(await outcomeOf(bursar.pay(options))).toMatchObject({
      name: 'BursarOutcomeUnknown',
      idempotencyKey: 'order-1',
      payment: { id: 'pay_1' },
    })
    const never = client([accepted()])
    expect(await outcomeOf(never.bursar.pay({ ...terms, signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect(never.seen).toEqual([])
    const sending = new AbortController()
    const cut = client([
      (request) => {
        sending.abort(reason)
        throw request.signal.reason
      },
    ])
    expect(
      await outcomeOf(cut.bursar.pay({ ...terms, idempotencyKey: 'order-2', signal: sending.signal })),
    ).toMatchObject({ name: 'BursarOutcomeUnknown', idempotencyKey: 'order-2', cause: reason })
  })

  test('for a slow server ends after the timeout of an attempt, and the next one has the same key @sdk-15', async () => {
    vi.useRealTimers()
    const stuck = (request: Request) =>
      new Promise<Response>((_, reject) => {
        request.signal.addEventListener('abort', () => reject(request.signal.reason))
      })
    const { bursar, seen } = client([stuck, accepted()], { apiKey: 'bk_test', timeoutMs: 20 })
    expect(await bursar.pay(terms)).toMatchObject({ id: 'pay_1' })
    expect(keysOf(seen).size).toBe(1)
    expect(seen).toHaveLength(2)
  })
})

describe('access tokens', () => {
  const credentials = { clientId: 'cli_1', clientSecret: 'secret' }
  const token = (name: string, expires_in = 900) => json(200, { access_token: name, expires_in, token_type: 'Bearer' })

  test('one that ends in the middle is replaced, and the payment keeps its key @sdk-16', async () => {
    const { bursar, seen } = client(
      [token('old'), problem(401, 'unauthenticated'), token('new'), accepted()],
      credentials,
    )
    expect(await outcomeOf(bursar.pay(terms))).toMatchObject({ id: 'pay_1' })
    expect(seen.map(({ path }) => path)).toEqual(['/oauth/token', '/v1/payments', '/oauth/token', '/v1/payments'])
    expect([seen[1]!.token, seen[3]!.token]).toEqual(['Bearer old', 'Bearer new'])
    expect(seen[1]!.key).toBe(seen[3]!.key)
  })

  test('a revoked client is signed out after one new token, or at once if it gets none @sdk-17', async () => {
    const refused = problem(401, 'unauthenticated')
    const { bursar, seen } = client([token('old'), refused, token('new'), refused], credentials)
    expect(await outcomeOf(bursar.pay(terms))).toBeInstanceOf(BursarSignedOut)
    expect(seen).toHaveLength(4)
    const unknown = client([json(401, { error: 'invalid_client', error_description: 'Unknown client.' })], credentials)
    expect(await outcomeOf(unknown.bursar.pay(terms))).toMatchObject({
      name: 'BursarSignedOut',
      message: 'Unknown client.',
    })
    expect(unknown.seen).toHaveLength(1)
  })

  test('is used until it is almost over, whatever the clock says @sdk-18', async () => {
    const { bursar, seen } = client([token('first'), accepted(), accepted(), token('second'), accepted()], credentials)
    await outcomeOf(bursar.pay(terms))
    vi.setSystemTime(0)
    await outcomeOf(bursar.pay(terms))
    vi.setSystemTime(4_102_444_800_000) // 2100-01-01
    await vi.advanceTimersByTimeAsync(850_000)
    await outcomeOf(bursar.pay(terms))
    expect(seen.map(({ token }) => token)).toEqual([null, 'Bearer first', 'Bearer first', null, 'Bearer second'])
  })
})

test('a list of 10,000 payments is read page by page, only as far as it is used @sdk-19', async () => {
  const list = (request: Request) => {
    const cursor = Number(new URL(request.url).searchParams.get('cursor') ?? 0)
    const data = Array.from({ length: 100 }, (_, i) => payment({ id: `pay_${cursor + i}` }))
    const next = cursor + 100 < 10_000 ? String(cursor + 100) : null
    return json(200, { data, next_cursor: next, has_more: next !== null })
  }
  const all = client([dropped(), list])
  const read = async () => {
    const ids = new Set<string>()
    for await (const { id } of all.bursar.payments.list({ reference: 'order-1' })) ids.add(id)
    return ids
  }
  expect(await outcomeOf(read())).toHaveProperty('size', 10_000)
  expect(all.seen).toHaveLength(101)
  expect(all.seen.at(-1)!.path).toBe('/v1/payments?reference=order-1&limit=100&cursor=9900')
  const some = client([list])
  for await (const { id } of some.bursar.payments.list()) if (id === 'pay_150') break
  expect(some.seen).toHaveLength(2)
})

test('credentials are required, never leave over plain http, and are in no error @sdk-20', async () => {
  vi.stubEnv('BURSAR_API_KEY', undefined)
  expect(() => new Bursar()).toThrow('set BURSAR_API_KEY')
  vi.stubEnv('BURSAR_API_KEY', 'bk_of_the_environment')
  expect(() => new Bursar({ url: 'http://bursar.example' })).toThrow('must use https')
  for (const url of ['http://localhost:3001', 'http://127.0.0.1:3001/', 'https://bursar.example'])
    expect(() => new Bursar({ url })).not.toThrow()
  const { bursar, seen } = client([problem(403, 'policy_refused')], {})
  const error = (await outcomeOf(bursar.pay(terms))) as BursarError
  expect(seen[0]!.token).toBe('Bearer bk_of_the_environment')
  const shown = [error.stack, JSON.stringify(error), JSON.stringify(bursar)]
  expect(shown.join()).not.toContain('bk_of_the_environment')
  vi.unstubAllEnvs()
})
