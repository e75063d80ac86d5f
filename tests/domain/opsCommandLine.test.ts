/** How `npm run ops` parses its command line. tests/worker/opsCommands.test.ts tests what the commands do. */
import { expect, test } from 'vitest'
import { commands } from '../../scripts/ops/commands.ts'
import { runOps } from '../../scripts/ops/run.ts'

const env = {
  BURSAR_URL: 'https://ops.bursar.example',
  CF_ACCESS_CLIENT_ID: 'night-shift.access',
  CF_ACCESS_CLIENT_SECRET: 'the secret',
}

async function ops(argv: string[], more: Record<string, string> = {}) {
  const [out, err, sent]: [string[], string[], RequestInit[]] = [[], [], []]
  const code = await runOps(argv, {
    env: { ...env, ...more },
    fetch: async (_, init) => {
      sent.push(init)
      return Response.json({ success: true, data: { mode: 'none', since: null, unconfirmed: [] } })
    },
    print: (text) => out.push(text),
    printError: (text) => err.push(text),
  })
  return { code, out: out.join('\n'), err: err.join('\n'), sent }
}
const reason = ['--reason', 'night shift']

test('help lists every command and every environment variable @ops-cli-3', async () => {
  for (const argv of [[], ['help'], ['--help']]) {
    const { code, out } = await ops(argv)
    expect(code).toBe(0)
    for (const { usage } of Object.values(commands)) expect(out).toContain(usage)
    for (const name of Object.keys(env)) expect(out).toContain(name)
  }
})

test.each<[string[], RegExp, Record<string, string>?]>([
  [['fly'], /no command fly/],
  [['toString'], /no command toString/],
  [['stop', 'sign'], /Say why/],
  [['stop', 'sign', '--reason', ' '], /Say why/],
  [['stop', 'everything', ...reason], /new, sign or all/],
  [['stop', ...reason], /Usage: stop/],
  [['suspend', 'a', 'b', ...reason], /Usage: suspend/],
  [['status', '--verbose'], /verbose/],
  [['limits', 'id', 'emailsPerDay', ...reason], /not <name>=<value>/],
  [['limits', 'id', 'emailsPerDay=many', ...reason], /not a number/],
  [['status'], /Set BURSAR_URL/, { CF_ACCESS_CLIENT_ID: '' }],
  [['status'], /https/, { BURSAR_URL: 'http://ops.bursar.example' }],
  [['status'], /Set BURSAR_URL/, { BURSAR_URL: '' }],
])('the invalid command line %j sends nothing @ops-cli-4', async (argv, text, more) => {
  const { code, err, sent } = await ops(argv, more)
  expect([code, sent]).toEqual([2, []])
  expect(err).toMatch(text)
})

test('the reason and --json are parsed @ops-cli-5', async () => {
  const { code, out, sent } = await ops(['stop', 'sign', '--reason', 'key leaked', '--json'])
  expect([code, JSON.parse(out)]).toEqual([0, { mode: 'none', since: null, unconfirmed: [] }])
  expect(JSON.parse(String(sent[1]!.body))).toEqual({ mode: 'sign', from: 'none', reason: 'key leaked' })
  expect(sent[1]!.headers).toMatchObject({ 'cf-access-client-id': 'night-shift.access' })
})

test('without a service token, commands reach a local stack only @ops-cli-6', async () => {
  const tokenless = async (url: string) => {
    const seen: unknown[] = []
    const call = async (_: string, { headers }: RequestInit) => {
      seen.push(headers)
      return Response.json({ success: true, data: [] })
    }
    const code = await runOps(['acts'], {
      env: { BURSAR_URL: url },
      fetch: call,
      print: () => {},
      printError: () => {},
    })
    return [code, seen]
  }
  for (const url of ['http://localhost:3000', 'http://127.0.0.1:3000'])
    expect(await tokenless(url)).toEqual([0, [expect.objectContaining({ 'cf-access-client-id': 'local' })]])
  for (const url of ['https://ops.bursar.example', 'http://localhost.example', 'https://localhost'])
    expect(await tokenless(url)).toEqual([2, []])
})
