/**
 * The commands of `npm run ops` against the app, behind a stand-in for Access that turns a service token into an assertion.
 * tests/domain/opsCommandLine.test.ts covers the parsing of command lines.
 */
import { expect, test } from 'vitest'
import { commands } from '../../scripts/ops/commands.ts'
import { execute } from '../../scripts/ops/run.ts'
import { createOpsApi } from '../support/accessStandIn.ts'
import { exportNow } from '../support/exportNow.ts'
import { createUser, seed } from './apiClient.ts'

const origin = 'https://ops.bursar.example'
const token = { CF_ACCESS_CLIENT_ID: 'night-shift.access', CF_ACCESS_CLIENT_SECRET: 'the secret' }
await seed()
const { access, api } = await createOpsApi('ops-commands')
const user = await createUser(api)

const run = (name: string, args: string[] = [], options: Record<string, string> = {}, env = {}) =>
  execute(
    commands[name]!,
    { args, reason: 'night shift', options, switches: Object.keys(options) },
    { env: { BURSAR_URL: `${origin}/`, ...token, ...env }, fetch: throughAccess },
  )

async function throughAccess(url: string, { method = 'GET', headers, body }: RequestInit): Promise<Response> {
  const { 'cf-access-client-id': id, 'cf-access-client-secret': secret } = headers as Record<string, string>
  if (secret !== token.CF_ACCESS_CLIENT_SECRET) return new Response('<html>Sign in', { status: 302 })
  const assertion = await access.token(api.clock.now, { email: undefined, common_name: id } as never)
  const { status, text } = await api.call(method, url.replace(origin, ''), {
    headers: { 'cf-access-jwt-assertion': assertion },
    ...(body ? { raw: String(body) } : {}),
  })
  return new Response(text, { status })
}

test('every command runs, and its actions are recorded under the service token @ops-cli-1', async () => {
  const { id } = user
  await exportNow()
  const lines: [string, string[], RegExp, Record<string, string>?][] = [
    ['ready', [], /./],
    ['status', [], /^ready/],
    ['webhooks', ['stop'], /^stopped since /],
    ['webhooks', ['resume'], /^sent; \d+ on/],
    ['stop', ['new'], /^new, since/],
    ['stop', ['all'], /^all, since/],
    ['resume', [], /^new, since .*; before: all/, { to: 'new' }],
    ['resume', ['new'], /nothing is stopped; before: new/],
    ['users', [user.email], new RegExp(id)],
    ['user', [id], /suspended +no/],
    ['suspend', [id], /^suspended since/],
    ['users', [], new RegExp(id)],
    ['unsuspend', [id], /^not suspended/],
    ['limits', [id, 'emailsPerDay=3', 'smsPerDay=0'], /emailsPerDay +3\nsmsPerDay +0/],
    ['limits', [id, 'emailsPerDay=none', 'smsPerDay=none'], /^none set$/],
    ['stuck', [], /./],
    ['watch', [], /^8453:0 +\d+ wallets +\d+ busy +every \d+ s/],
    ['wake', [id], /^woken$/],
    ['audit', [id], /account\.suspended/],
    ['audit', [id], /^1 .*account/, { before: '2' }],
    ['passcodes', [], /./],
    ['create-passcode', ['Night shift'], /^[a-z0-9]{4}(-[a-z0-9]{4}){3}$/, { uses: '3' }],
    ['keys', [], /KEK +version 1 +current/],
    ['renew-keys', [], /^\d+ accounts$/],
    ['reset-passwords', [], /^0 passwords$/],
    ['reproject', [], /^\d+ accounts/],
    ['d1-restored', [], /^\d+ sessions would end\n\d+ accounts/, { 'dry-run': '' }],
    ['restore-export', [], /^export \S+, started /],
    ['restore-user', [id, 'freeze'], /^frozen: History has everything/],
    ['restore-user', [id, 'continue'], /^frozen: refuses everything/],
    ['restore-user', [id, 'unfreeze'], /^open: works again$/],
    ['acts', [], /service:night-shift\.access +passcode\.create/],
  ]
  for (const [name, args, text, options] of lines) expect((await run(name, args, options)).text).toMatch(text)
  const { passcodes } = (await run('passcodes')).data as { passcodes: { id: string; label: string }[] }
  const passcode = passcodes.find(({ label }) => label === 'Night shift')!.id
  expect((await run('limit-passcode', [passcode], { uses: 'none' })).text).toMatch(/used 0$/)
  expect((await run('revoke-passcode', [passcode])).text).toMatch(/revoked/)
  for (const act of ['take-down', 'restore']) await expect(run(act, ['nothing'])).rejects.toThrow('404: There is no')
  const tried = [...lines.map(([name]) => name), 'limit-passcode', 'revoke-passcode', 'take-down', 'restore']
  expect(Object.keys(commands).filter((name) => !tried.includes(name))).toEqual([])
})

test('commands fail if Access refuses the service token or the named stop is not the current one @ops-cli-2', async () => {
  const refused = run('status', [], {}, { CF_ACCESS_CLIENT_SECRET: 'wrong' })
  await expect(refused).rejects.toThrow(/^302: Access refused the service token\.$/)
  await expect(run('resume', ['all'])).rejects.toThrow('you named all')
  await expect(run('resume')).rejects.toThrow('none is not less')
  await run('stop', ['sign'])
  await expect(run('stop', ['new'])).rejects.toThrow('sign already stops more')
  await expect(run('resume', [], { to: 'all' })).rejects.toThrow('all is not less')
  await run('resume')
})
