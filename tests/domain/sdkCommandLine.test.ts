/** The command line `bursar` against a server that replies as told: output and exit codes. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { help } from '../../sdk/src/cli/help.ts'
import { run } from '../../sdk/src/cli/run.ts'
import { pause } from '../../sdk/src/pause.ts'
import { payment as paymentWith } from '../support/sdkPayment.ts'

const payment = paymentWith({ to: { type: 'email', email: 'ada@example.com' }, memo: 'For \u001b[31mAda' })
const waiting = {
  ...payment,
  status: 'PENDING_APPROVAL',
  approval: { id: 'apr_1', status: 'PENDING', url: 'https://bursar.example/dashboard/approvals/apr_1' },
}
const reply = (status: number, body: unknown) => () => new Response(JSON.stringify(body), { status })
const problem = (status: number, code: string, more: object = {}) =>
  reply(status, { type: 'about:blank', title: code, status, detail: `Because of ${code}.`, code, ...more })

type Run = { reply?: () => Response; isTerminal?: boolean; environment?: Record<string, string> }

/** Runs a command. Returns its exit code, what it printed, and the requests that it sent. */
async function bursar(args: string[], { reply: replyWith = reply(500, {}), isTerminal = true, environment }: Run = {}) {
  const requests: Request[] = []
  vi.stubGlobal('fetch', async (request: Request) => {
    requests.push(request)
    return replyWith()
  })
  const [out, err]: [string[], string[]] = [[], []]
  const code = await run(args, {
    environment: {
      XDG_CONFIG_HOME: join(tmpdir(), 'bursar-no-login'), // does not exist
      ...(environment ?? { BURSAR_API_KEY: 'bk_test', BURSAR_URL: 'https://bursar.example' }),
    },
    isTerminal,
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    write: () => {},
    signal: new AbortController().signal,
    clock: { now: Date.now, pause },
  })
  return { code, out: out.join('\n'), err: err.join('\n'), requests }
}
afterEach(() => vi.unstubAllGlobals())

test('0: pays with the options as the request, and prints a table on a terminal, else JSON @command-line-1', async () => {
  const args = ['pay', 'ada@example.com', '12.50', '--memo', 'Lunch', '--reference', 'r-1', '--key', 'order-1']
  const { code, out, requests } = await bursar(args, { reply: reply(201, payment) })
  expect(code).toBe(0)
  expect(out).toMatch(/^pay_1 +QUEUED\nAmount +12\.5 USDC\nTo +ada@example\.com\nRemaining +87\.5 USDC$/)
  expect(requests).toHaveLength(1)
  expect(requests[0]!.headers.get('idempotency-key')).toBe('order-1')
  expect(await requests[0]!.json()).toEqual({
    to: { type: 'email', email: 'ada@example.com' },
    amount: '12.50',
    memo: 'Lunch',
    reference: 'r-1',
  })
  const piped = await bursar(args, { reply: reply(201, payment), isTerminal: false })
  expect(JSON.parse(piped.out)).toEqual({ ...payment, replayed: false })
  const asked = await bursar([...args, '--json'], { reply: reply(201, payment) })
  expect(JSON.parse(asked.out)).toEqual({ ...payment, replayed: false })
})

test('0: payments are a table without control characters of others, or a JSON array @command-line-2', async () => {
  const list = reply(200, { data: [payment, { ...payment, id: 'pay_0' }], next_cursor: null, has_more: false })
  const { code, out, requests } = await bursar(['payments', '--limit', '1', '--reference', 'r-1'], { reply: list })
  expect(code).toBe(0)
  expect(requests[0]!.url).toBe('https://bursar.example/v1/payments?reference=r-1&limit=1')
  expect(out.split('\n')).toEqual([
    'Time (UTC)        Status  USDC  To               Note          Id',
    '2026-11-20 12:00  QUEUED  12.5  ada@example.com  For  [31mAda  pay_1',
  ])
  expect(JSON.parse((await bursar(['payments', '--json'], { reply: list })).out)).toHaveLength(2)
  expect((await bursar(['payments', 'pay_1'], { reply: reply(200, payment) })).out).toContain('pay_1')
})

test.each<[string, string[]]>([
  ['an unknown command', ['refund']],
  ['a missing amount', ['pay', '0x1']],
  ['an unknown option', ['pay', '0x1', '1', '--memmo', 'x']],
  ['a recipient that is none', ['pay', 'Ada', '1']],
  ['a wait that is none', ['pay', '0x1', '1', '--wait', 'later']],
  ['a timeout without wait', ['pay', '0x1', '1', '--timeout', '5']],
  ['a limit that is none', ['payments', '--limit', 'all']],
])('2: %s is reported before anything is sent @command-line-3', async (_, args) => {
  const { code, out, err, requests } = await bursar(args)
  expect([code, out, requests]).toEqual([2, '', []])
  expect(err).not.toBe('')
  const piped = await bursar(args, { isTerminal: false })
  expect(JSON.parse(piped.err).error).toEqual({ code: 'usage', message: expect.any(String) })
})

test('2: a request that Bursar does not understand, and a URL that is not Bursar’s @command-line-4', async () => {
  const errors = [{ pointer: '/amount', detail: 'must be an amount' }]
  const { code, err } = await bursar(['pay', '0x1', '1,5'], { reply: problem(400, 'invalid_input', { errors }) })
  expect([code, err]).toEqual([2, 'Because of invalid_input.\nAt /amount'])
  const page = () => new Response('<html>', { status: 404, headers: { 'content-type': 'text/html' } })
  expect(await bursar(['budget'], { reply: page })).toMatchObject({ code: 2 })
  const plainHttp = { BURSAR_API_KEY: 'bk_test', BURSAR_URL: 'http://bursar.example' }
  expect(await bursar(['budget'], { environment: plainHttp })).toMatchObject({ code: 2, requests: [] })
})

test('3: a refusal says its rule, what is allowed and what to do @command-line-5', async () => {
  const figures = { rule: 'group.budget', max_allowed_now: '18', next: 'Send less.' }
  const refused = { reply: problem(403, 'budget_exceeded', figures) }
  const { code, out, err } = await bursar(['pay', '0x1', '500'], refused)
  expect([code, out]).toEqual([3, ''])
  expect(err).toBe('Because of budget_exceeded.\nRule: group.budget\nAllowed now: 18 USDC\nSend less.')
  const piped = await bursar(['pay', '0x1', '500'], { ...refused, isTerminal: false })
  expect(JSON.parse(piped.err).error).toEqual({
    code: 'budget_exceeded',
    message: 'Because of budget_exceeded.',
    ...figures,
  })
  const failed = reply(201, { ...payment, status: 'FAILED', error: { code: 'not_executed', message: 'Not sent.' } })
  expect(await bursar(['pay', '0x1', '1', '--key', 'old'], { reply: failed })).toMatchObject({ code: 3 })
})

test('0, 3 and 4: a check says whether the payment would pass, be refused, or need approval @command-line-6', async () => {
  const check = {
    allowed: true,
    max_allowed_now: '18',
    refusal: null,
    approval_required: false,
    approval_rules: [],
    warnings: [],
  }
  const result = (over: object) => bursar(['check', '0x1', '1'], { reply: reply(200, { ...check, ...over }) })
  expect(await result({})).toMatchObject({ code: 0, out: 'Allowed. At most 18 USDC now.' })
  const warnings = [{ code: 'address_unused', detail: 'Nobody has used it.' }]
  expect(await result({ warnings })).toMatchObject({
    code: 0,
    out: 'Allowed. At most 18 USDC now.\nWarning: Nobody has used it.',
  })
  expect(await result({ approval_required: true, approval_rules: ['group.approve_above'] })).toMatchObject({ code: 4 })
  const refusal = { code: 'budget_exceeded', detail: 'Too much.', next: 'Send less.' }
  expect(await result({ allowed: false, refusal })).toMatchObject({ code: 3, out: 'Refused: Too much.\nSend less.' })
})

test('4: a payment or request that waits for the owner says where to approve it @command-line-7', async () => {
  const { code, out } = await bursar(['pay', 'ada@example.com', '12.5'], { reply: reply(202, waiting) })
  expect(code).toBe(4)
  expect(out).toContain('https://bursar.example/dashboard/approvals/apr_1')
  const ended = await bursar(['pay', 'ada@example.com', '12.5', '--wait', 'sent', '--timeout', '1', '--key', 'k'], {
    reply: reply(202, waiting),
  })
  expect(ended.code).toBe(4)
  expect(ended.err).toContain('--key k')
  const request = { ...waiting, id: 'bgr_1', object: 'budget_request' }
  expect(await bursar(['ask', '50'], { reply: reply(202, request) })).toMatchObject({ code: 4 })
  expect(await bursar(['ask', '50'], { reply: reply(200, { ...request, status: 'APPROVED' }) })).toMatchObject({
    code: 0,
  })
  expect(await bursar(['ask', '50'], { reply: reply(200, { ...request, status: 'DENIED' }) })).toMatchObject({
    code: 3,
  })
})

test('5: no API key, or one that was revoked @command-line-8', async () => {
  const missing = await bursar(['budget'], { environment: {} })
  expect([missing.code, missing.requests]).toEqual([5, []])
  expect(missing.err).toContain('BURSAR_API_KEY')
  expect(await bursar(['budget'], { reply: problem(401, 'unauthenticated') })).toMatchObject({ code: 5 })
})

test('6: without a definite reply, names the key to repeat the command with @command-line-9', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const lost = () => {
    throw new TypeError('fetch failed')
  }
  const paying = bursar(['pay', '0x1', '1', '--json'], { reply: lost })
  await vi.runAllTimersAsync()
  const { code, err, requests } = await paying
  expect(code).toBe(6)
  const keys = new Set(requests.map(({ headers }) => headers.get('idempotency-key')))
  expect([...keys]).toEqual([JSON.parse(err).error.idempotency_key])
  const limited = bursar(['budget'], { reply: problem(429, 'rate_limited') })
  await vi.runAllTimersAsync()
  vi.useRealTimers()
  expect((await limited).code).toBe(6)
})

test('run: a file becomes a draft; 4 if it can go to a person, 3 with the lines to mend, 2 without the file @command-line-11', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'bursar-run-')), 'salaries.csv')
  writeFileSync(file, 'to,amount\nada@example.com,12.5\n')
  const prepared = {
    ...{ id: 'run_1', object: 'payout_run', status: 'DRAFT', checked: true, summary: '1 payment', verdicts: [] },
    ...{ next: 'Give `url` to a person.', url: 'https://bursar.example/dashboard/runs/run_1' },
  }
  const args = ['run', file, '--key', 'november', '--replaces', 'run_0']
  const { code, out, requests } = await bursar(args, { reply: reply(201, prepared) })
  expect(code, out).toBe(4)
  expect(out).toMatch(
    /^run_1 {2}DRAFT\n1 payment\nGive .*\nDecide at https:\/\/bursar\.example\/dashboard\/runs\/run_1$/,
  )
  expect(requests[0]!.headers.get('idempotency-key')).toBe('november')
  const csv = 'to,amount\nada@example.com,12.5\n'
  expect(await requests[0]!.json()).toEqual({ title: 'salaries', csv, replaces: 'run_0' })
  const verdict = { row: 1, line: 2, to: 'a\u001b[31m', amount: '1,5', level: 'error', detail: 'Write 1.5.' }
  const wrong = await bursar(args, { reply: reply(201, { ...prepared, verdicts: [verdict] }) })
  expect([wrong.code, wrong.out.includes('Line 2  error'), wrong.out.includes('\u001b')]).toEqual([3, true, false])
  expect((await bursar(['run', `${file}x`])).code).toBe(2)
  expect((await bursar(args, { reply: problem(409, 'same_run') })).code).toBe(2)
})

test('help names each command with examples and all exit codes; without a command it is an error @command-line-10', async () => {
  const { code, out } = await bursar(['--help'])
  expect(code).toBe(0)
  for (const name of Object.keys(help)) expect(out).toContain(`\n  bursar ${name}`)
  expect(out.match(/^ {2}\d {2}/gm)!.map(Number)).toEqual([0, 2, 3, 4, 5, 6])
  expect(await bursar([])).toMatchObject({ code: 2, out })
  for (const [name, text] of Object.entries(help)) {
    expect(await bursar([name, '--help'])).toMatchObject({ code: 0, out: text, requests: [] })
    expect(text).toMatch(new RegExp(`\n  bursar ${name}`))
  }
  expect((await bursar(['--version'])).out).toMatch(/^\d+\.\d+\.\d+$/)
})
