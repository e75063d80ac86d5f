import { DrizzleQueryError } from 'drizzle-orm'
import { afterEach, expect, test, vi } from 'vitest'
import { logError, logWarning, withRequestId } from '../../worker/observability/log.ts'

const written: string[] = []
for (const method of ['warn', 'error'] as const)
  vi.spyOn(console, method).mockImplementation((...parts: unknown[]) => void written.push(parts.join(' ')))
afterEach(() => void written.splice(0))

test('every line is one JSON object with level, event and the request’s id @log-1', async () => {
  logWarning('started', { user: 'user_1', count: 3, none: null })
  await withRequestId('req_1', async () => {
    await Promise.resolve()
    logWarning('slow\nreader', { text: 'line one\nline two' })
    logError('failed', {}, new TypeError('no', { cause: new Error('deeper', { cause: 'deepest' }) }))
  })
  expect(written.every((line) => !line.includes('\n'))).toBe(true)
  const [plain, warning, error] = written.map((line) => JSON.parse(line))
  expect(plain).toEqual({ level: 'warning', event: 'started', user: 'user_1', count: 3, none: null })
  expect(warning).toMatchObject({ level: 'warning', request_id: 'req_1', text: 'line one\nline two' })
  expect(error).toMatchObject({
    request_id: 'req_1',
    error: { name: 'TypeError', message: 'no', cause: { name: 'Error', message: 'deeper', cause: 'deepest' } },
  })
  expect(error.error.stack).toMatch(/^ +at /)
})

test('thrown values that are not errors, and errors with circular causes, can be logged', () => {
  const circular = new Error('circular')
  circular.cause = circular
  logError('failed', {}, circular)
  logError('failed', {}, 'a text')
  logError('failed', {}, null)
  expect(written.map((line) => typeof JSON.parse(line).error)).toEqual(['object', 'string', 'string'])
})

test.each([
  ['an email address', 'cannot reach ann.o-hara+1@mail.example.com now'],
  ['an API key', 'refused bk_4fJd93kd02JdkE8sOq1mZs'],
  ['a client secret', 'bs_4fJd93kd02JdkE8sOq1mZs'],
  ['an authorization code', 'bo_4fJd93kd02JdkE8sOq1mZs'],
  ['a refresh token', 'br_4fJd93kd02JdkE8sOq1mZs'],
  ['an access token', 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ1In0.c2lnbmF0dXJl'],
  ['a claim link', 'https://bursar.example/claim/4fJd93kd02JdkE8sOq1mZs'],
  ['a claim path', 'GET /api/escrow/claim/4fJd93kd02JdkE8sOq1mZs'],
  ['an authorization header', 'Authorization: Bearer abcdef0123456789'],
  ['a vendor’s credentials', 'authorization: Basic QUMwMDA6c2VjcmV0'],
  ['a webhook secret', 'whsec_MDEyMzQ1Njc4OWFiY2RlZg=='],
  ['a phone number', 'to +4915112345678'],
  ['an email address of another script', 'no mailbox jörg.müller-635f42af@exämple.com here'],
  ['an email address with a dot that only looks like one', 'no mailbox почта@пример․рф.example here'],
  ['a password hash', 'stored $scrypt$ln=14,r=8,p=5$v9Zt60+/Ab==$sufu7g7/kQ== for it'],
])('%s is masked in fields and in a library’s error @log-2', (_, text) => {
  const hidden = text.match(
    /ann\.o-hara|müller-635f42af|почта|v9Zt60|[a-z]{2,5}_[\w=]{16,}|eyJ[\w.-]+|4fJd93kd02JdkE8sOq1mZs|abcdef\d+|QUMw\w+|\+\d+/,
  )![0]
  logError('failed', { text }, new Error(text, { cause: text }))
  expect(written[0]).not.toContain(hidden)
  expect(() => JSON.parse(written[0]!)).not.toThrow()
})

test.each([
  ['a contact', ['contact_1', 'Jane Q. Secretname', '', '[phone]', 'Bank PIN 4711, passport X1234567\n    at home']],
  ['an account', ['user_1', 'Jörg Realname', 1, 'made-up-hash', null]],
])('a failed query is logged with its text and cause but without its parameters: %s @log-4', (_, params) => {
  const query = 'insert into "contact" ("id", "name") values (?, ?)'
  const failure = new DrizzleQueryError(query, params, new Error('D1_ERROR: database is locked'))
  // An error loses its class on its way from an object to the Worker.
  const received = new Error(`Failed query: ${query}\nparams: ${params}`)
  received.stack = `Error: ${received.message}\n    at Treasury.wakeUp (treasury.ts:1:1)`
  logError('failed', {}, failure)
  logError('failed', {}, new Error('wrapped', { cause: received }))
  logError('failed', {}, String(received))
  expect(written).toHaveLength(3)
  for (const line of written) {
    expect(line).toContain(JSON.stringify(query).slice(1, -1))
    for (const text of ['Secretname', 'Realname', 'PIN 4711', 'passport', 'at home', 'made-up-hash', 'params'])
      expect(line).not.toContain(text)
  }
  expect(JSON.parse(written[0]!).error).toMatchObject({ cause: { message: 'D1_ERROR: database is locked' } })
  expect(JSON.parse(written[1]!).error.cause.stack).toBe('    at Treasury.wakeUp (treasury.ts:1:1)')
})

test('ids, hashes, addresses and amounts stay readable', () => {
  const text = `pay_0mwrp474g7e2d1bc297926f719a4e user_93a5892cb8020e02142911c2cd998184 0x${'ab'.repeat(32)} 12.5`
  logWarning('paid', { text })
  expect(written[0]).toContain(text)
})
