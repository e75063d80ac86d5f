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
  ['a refresh token', 'br_4fJd93kd02JdkE8sOq1mZs'],
  ['an access token', 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ1In0.c2lnbmF0dXJl'],
  ['a claim link', 'https://bursar.example/claim/4fJd93kd02JdkE8sOq1mZs'],
  ['a claim path', 'GET /api/escrow/claim/4fJd93kd02JdkE8sOq1mZs'],
  ['an authorization header', 'Authorization: Bearer abcdef0123456789'],
  ['a vendor’s credentials', 'authorization: Basic QUMwMDA6c2VjcmV0'],
  ['a webhook secret', 'whsec_MDEyMzQ1Njc4OWFiY2RlZg=='],
  ['a phone number', 'to +4915112345678'],
])('%s is masked in fields and in a library’s error @log-2', (_, text) => {
  const hidden = text.match(
    /ann\.o-hara|[a-z]{2,5}_[\w=]{16,}|eyJ[\w.-]+|4fJd93kd02JdkE8sOq1mZs|abcdef\d+|QUMw\w+|\+\d+/,
  )![0]
  logError('failed', { text }, new Error(text, { cause: text }))
  expect(written[0]).not.toContain(hidden)
  expect(() => JSON.parse(written[0]!)).not.toThrow()
})

test('ids, hashes, addresses and amounts stay readable', () => {
  const text = `pay_0mwrp474g7e2d1bc297926f719a4e user_93a5892cb8020e02142911c2cd998184 0x${'ab'.repeat(32)} 12.5`
  logWarning('paid', { text })
  expect(written[0]).toContain(text)
})
