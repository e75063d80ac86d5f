/** How `npm run ops` reads a command line. What its commands do: tests/worker/opsCommands.test.ts. */
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
      return Response.json({ success: true, data: { mode: 'none', since: null } })
    },
    print: (text) => out.push(text),
    printError: (text) => err.push(text),
  })
  return { code, out: out.join('\n'), err: err.join('\n'), sent }
}
const why = ['--reason', 'night shift']

test('help names every command and its environment @ops-cli-3', async () => {
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
  [['stop', 'everything', ...why], /new, sign or all/],
  [['stop', ...why], /Usage: stop/],
  [['suspend', 'a', 'b', ...why], /Usage: suspend/],
  [['status', '--verbose'], /verbose/],
  [['limits', 'id', 'emailsPerDay', ...why], /not <name>=<value>/],
  [['limits', 'id', 'emailsPerDay=many', ...why], /no number/],
  [['status'], /Set BURSAR_URL/, { CF_ACCESS_CLIENT_ID: '' }],
  [['status'], /https/, { BURSAR_URL: 'http://ops.bursar.example' }],
])('%j is a mistake: nothing is sent @ops-cli-4', async (argv, text, more) => {
  const { code, err, sent } = await ops(argv, more)
  expect([code, sent]).toEqual([2, []])
  expect(err).toMatch(text)
})

test('reason, options and JSON are read @ops-cli-5', async () => {
  const { code, out, sent } = await ops(['stop', 'sign', '--reason', 'key leaked', '--json'])
  expect([code, JSON.parse(out)]).toEqual([0, { mode: 'none', since: null }])
  expect(JSON.parse(String(sent[1]!.body))).toEqual({ mode: 'sign', from: 'none', reason: 'key leaked' })
  expect(sent[1]!.headers).toMatchObject({ 'cf-access-client-id': 'night-shift.access' })
})
