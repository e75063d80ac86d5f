/** Payout runs that agents prepare, over REST and MCP, and what no call of an agent changes (I25). */
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { hourMs } from '#domain/time.ts'
import { createApp } from '../../worker/app.ts'
import { type AccountFixture, createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { cases } from '../support/cases.ts'
import { callTool, mcp } from '../support/mcpMessages.ts'
import { chain, fresh, until } from '../support/payer.ts'
import { inTreasury } from '../support/treasuries.ts'
import { waitingRun } from '../support/waitingRun.ts'
import { type Api, accessToken } from './apiClient.ts'

let api: Api
let own: AccountFixture
const scopes = ['address_payments:write', 'contact_payments:write', 'email_payments:write', 'payout_runs:prepare']
beforeAll(async () => {
  api = await createTestApp()
  own = await createAccountFixture(api, { funds: 500_000_000n, scopes })
})

type Row = { to: string; amount: string; reference?: string }
const call = (method: string, path: string, body?: unknown, token = own.apiKey, key: string = crypto.randomUUID()) =>
  api.call(method, path, { token, headers: { 'idempotency-key': key }, ...(body === undefined ? {} : { body }) })
const prepare = (body: object, token?: string, key?: string) =>
  call('POST', '/v1/runs', { title: 'Salaries', ...body }, token, key)
const rowsOf = (count: number): Row[] =>
  Array.from({ length: count }, (_, i) => ({ to: fresh(`salary ${i}`), amount: '1.5', reference: `S-${i}` }))

test('an agent prepares forty rows, mends three, and a person decides; the agent sees what became of it @runs-84', async () => {
  const good = rowsOf(40)
  const rows = good.map((row, i) => {
    if (i === 3) return { ...row, amount: '1.234,56' }
    if (i === 17) return { ...row, to: 'contact:Nobody' }
    return i === 30 ? { ...row, reference: 'S-29' } : row
  })
  const first = await prepare({ rows })
  expect([first.status, first.headers.get('location')], first.text).toEqual([201, `/v1/runs/${first.json.id}`])
  const errors = first.json.verdicts.filter(({ level }: { level: string }) => level === 'error')
  expect(errors.map(({ row }: { row: number }) => row)).toEqual([4, 18, 30, 31])
  expect(errors[0]).toMatchObject({ line: 4, amount: '1.234,56', detail: expect.stringContaining('1234.56') })
  expect(first.json).toMatchObject({ object: 'payout_run', status: 'DRAFT', rows: 40, left_out: 4, payments: 36 })
  const key = crypto.randomUUID()
  const mended = await prepare({ rows: good, replaces: first.json.id }, own.apiKey, key)
  expect(mended.json, mended.text).toMatchObject({ left_out: 0, payments: 40, amount: '60' })
  expect(mended.json.url).toMatch(new RegExp(`/dashboard/runs/${mended.json.id}$`))
  const again = await prepare({ rows: good, replaces: first.json.id }, own.apiKey, key)
  expect([again.json.id, again.headers.get('idempotent-replayed')]).toEqual([mended.json.id, 'true'])
  expect((await call('GET', `/v1/runs/${first.json.id}`)).json.status).toBe('CANCELLED')
  const shown = (await own.asOwner('GET', `/runs/${mended.json.id}`)).json.data
  expect(shown.madeBy).toEqual({ id: own.agent, name: 'Agent', isAgent: true })
  expect((await own.asOwner('GET', `/wallets/${own.wallet}/ledger`)).json.data, 'nothing is held').toMatchObject({
    held: '0',
  })

  const submitted = await own.asOwner('POST', `/runs/${mended.json.id}/submit`)
  expect((await call('GET', `/v1/runs/${mended.json.id}`)).json.status).toBe('WAITING')
  const decided = await own.asOwner('POST', `/runs/${mended.json.id}/approve`, { hash: submitted.json.data.hash })
  expect(decided.json.data.status, decided.text).toBe('RUNNING')
  const done = await until('the run is done', async () => {
    const { content } = await callTool(api, own.apiKey, 'get_payout_run', { run_id: mended.json.id })
    return content.status === 'DONE' && content
  })
  expect(done).toMatchObject({ progress: { paid: 40, waiting: 0, not_paid: 0 }, next: null, summary: null })
  expect(await chain.usdcBalance(good[39]!.to as `0x${string}`)).toBe(1_500_000n)
})

test('what can’t be a run is refused with what to do: too much, nothing, both, other scopes, others’ runs @runs-85', async () => {
  const refused = async (answer: ReturnType<typeof prepare>) => {
    const { status, json } = await answer
    return [status, json.code, json.errors?.[0]?.pointer ?? null]
  }
  expect(await refused(prepare({ rows: rowsOf(201) }))).toEqual([400, 'invalid_input', '/rows'])
  const csv = rowsOf(201).map(({ to, amount }) => `${to},${amount}`)
  expect(await refused(prepare({ csv: `to,amount\n${csv.join('\n')}` }))).toEqual([400, 'invalid_input', '/csv'])
  expect(await refused(prepare({ csv: 'x'.repeat(65 * 1024) }))).toEqual([413, 'payload_too_large', null])
  expect(await refused(prepare({}))).toEqual([400, 'invalid_input', '/rows'])
  expect(await refused(prepare({ csv: 'to,amount', rows: [] }))).toEqual([400, 'invalid_input', '/csv'])
  expect(await refused(prepare({ csv: 'to,amount\n"0x,1' }))).toEqual([400, 'invalid_input', '/csv'])
  expect(await refused(prepare({ rows: [{ to: fresh('n'), amount: 5 }] }))).toEqual([
    400,
    'invalid_input',
    '/rows/0/amount',
  ])
  const unkeyed = await api.call('POST', '/v1/runs', { token: own.apiKey, body: { title: 'x', rows: rowsOf(1) } })
  expect(unkeyed.json.code).toBe('invalid_input')

  const reader = await accessToken(api, own, { scope: 'payment_context:read' })
  const denied = await prepare({ rows: rowsOf(1) }, reader)
  expect([denied.status, denied.json.code]).toEqual([403, 'insufficient_scope'])
  expect(denied.headers.get('www-authenticate')).toContain('scope="payout_runs:prepare"')
  const tool = { title: 'Tools', rows: rowsOf(2), idempotency_key: crypto.randomUUID() }
  const made = await callTool(api, own.apiKey, 'prepare_payout_run', tool)
  expect(made.content, JSON.stringify(made.json)).toMatchObject({ status: 'DRAFT', payments: 2, replayed: false })
  const overRest = await call(
    'POST',
    '/v1/runs',
    { title: tool.title, rows: tool.rows },
    own.apiKey,
    tool.idempotency_key,
  )
  expect(overRest.json.id, 'one key space').toBe(made.content.id)

  const bob = await createAccountFixture(api)
  expect((await prepare({ rows: rowsOf(1) }, bob.apiKey)).json).toMatchObject({
    code: 'insufficient_scope',
    rule: 'payout_runs:prepare',
  })
  expect((await call('GET', `/v1/runs/${made.content.id}`, undefined, bob.apiKey)).json.code).toBe('not_found')
  const theirs = await waitingRun(own, [{ to: fresh('people'), amount: '1' }])
  expect((await call('GET', `/v1/runs/${theirs.id}`)).json.code, 'runs of people').toBe('not_found')
  expect((await prepare({ rows: rowsOf(1), replaces: theirs.id })).json).toMatchObject({ code: 'not_found' })

  await own.asOwner('POST', `/agents/${own.agent}/pause`)
  expect((await prepare({ rows: rowsOf(1) })).json.code).toBe('agent_disabled')
  expect((await call('GET', `/v1/runs/${made.content.id}`)).json.code).toBe('agent_disabled')
  await own.asOwner('POST', `/agents/${own.agent}/resume`)
})

/** Something of each kind that waits for a person. */
async function waitingAccount() {
  const account = await createAccountFixture(api, { funds: 100_000_000n, scopes: [...scopes, 'x402_payments:write'] })
  const { apiKey, asOwner } = account
  await asOwner('PUT', `/policy-groups/${account.group}`, {
    name: 'Group',
    scopes: [...scopes, 'x402_payments:write'],
    approveAbove: '1',
  })
  const ask = () => account.pay({ to: { type: 'address', address: fresh('waits') }, amount: '2' })
  const [payment, granted] = [(await ask()).json, (await ask()).json]
  const { hash } = (await asOwner('GET', `/approvals/${granted.approval.id}`)).json.data
  const grant = { amount: '5', endsAt: new Date(api.clock.now + hourMs).toISOString() }
  const approved = await asOwner('POST', `/approvals/${granted.approval.id}/approve`, { hash, grant })
  const budget = await call('POST', '/v1/budget-requests', { amount: '9' }, apiKey)
  const prepared = await prepare({ rows: rowsOf(2) }, apiKey)
  const run = (await asOwner('POST', `/runs/${prepared.json.id}/submit`)).json.data
  const people = await waitingRun(account, [{ to: fresh('waits'), amount: '3' }])
  const ids = [payment.id, payment.approval.id, approved.json.data.grantId, budget.json.id, run.id, people.id]
  expect(
    ids.every((id) => typeof id === 'string' && id.length > 4),
    JSON.stringify(ids),
  ).toBe(true)
  return { ...account, ids: ids as string[], hashes: [run.hash as string, people.hash], payment: payment.id as string }
}

/** What waits for a person, but the payment that its agent may cancel. */
const decisions = (user: string, ids: string[], payment: string) =>
  inTreasury(user, ({ context: { store } }) => {
    const among = `IN (SELECT value FROM json_each('${JSON.stringify(ids)}'))`
    return JSON.stringify([
      store.all(`SELECT * FROM approval WHERE id ${among} AND payment_id IS NOT ? ORDER BY id`, payment),
      store.all('SELECT id, used, spend_limit, ended_at FROM approval_grant ORDER BY id'),
      store.all(`SELECT * FROM run WHERE id ${among} ORDER BY id`),
      store.all(`SELECT * FROM run_row WHERE run_id ${among} ORDER BY run_id, n`),
      store.all(
        'SELECT spend_limit, scopes, rules, paused FROM policy_group UNION ALL SELECT name, role, status, 0 FROM member',
      ),
    ])
  })

test('I25: no tool and no route of agents decides, submits, starts or stops what waits for a person @runs-86', async () => {
  const { ids, hashes, apiKey, user, payment, contact } = await waitingAccount()
  const before = await decisions(user, ids, payment)
  const { result } = (await mcp(api, 'tools/list', {}, { token: apiKey })).json
  const tools = result.tools as { name: string; inputSchema: { properties?: Record<string, unknown> } }[]
  expect(tools.filter(({ name }) => /approv|deny|decid|submit|start|stop|grant/.test(name))).toEqual([])
  const routes = [
    ...new Set(
      createApp()
        .routes.filter(({ method, path }) => method !== 'ALL' && path.startsWith('/v1/') && !path.endsWith('*'))
        .map(({ method, path }) => `${method} ${path}`),
    ),
  ]
  expect(routes.length).toBeGreaterThan(12)
  expect(tools.length).toBeGreaterThan(12)

  const id = fc.constantFrom(...ids)
  const word = fc.constantFrom(
    'approve',
    'submit',
    'deny',
    'stop',
    'APPROVED',
    'RUNNING',
    'owner',
    '../approve',
    '%2e%2e/approve',
  )
  const value = fc.oneof(
    { weight: 4, arbitrary: id },
    ...[word, fc.constantFrom(...hashes), fc.constant(true), fc.constant(contact), fc.constant(null)],
    fc.constant([{ to: 'ada@example.com', amount: '1' }]),
    fc.constant({ type: 'contact', contactId: contact }),
  )
  const names = fc.constantFrom(
    ...[
      'id',
      'run_id',
      'payment_id',
      'approval_id',
      'hash',
      'status',
      'decision',
      'decided_by',
      'submitted_by',
      'made_by',
    ],
    ...[
      'replaces',
      'again',
      'rows',
      'title',
      'csv',
      'user_id',
      'password',
      'grant',
      'action',
      'reason',
      'idempotency_key',
    ],
  )
  const args = fc.dictionary(names, value, { maxKeys: 6 })
  // Valid in every other respect, so that the ids get as far as they can.
  const valid = {
    ...{ idempotency_key: 'x', title: 'T', reason: 'please approve', amount: '2', address: fresh('eve') },
    ...{ email: 'eve@example.com', rows: [{ to: 'eve@example.com', amount: '1' }] },
  }
  const suffix = fc.constantFrom('', '', '/approve', '/submit', '/stop', '/deny', '/cancel')
  const attack = fc.oneof(
    fc.record({ tool: fc.constantFrom(...tools), args }),
    fc.record({ route: fc.constantFrom(...routes), id, args, suffix }),
  )
  await fc.assert(
    fc.asyncProperty(attack, async (one) => {
      if ('tool' in one) {
        const known = Object.keys(one.tool.inputSchema.properties ?? {})
        const filled = Object.entries({ ...valid, ...one.args }).filter(
          ([name]) => known.includes(name) || name in one.args,
        )
        const of = known.filter((name) => name.endsWith('_id')).map((name) => [name, ids[one.args.hash ? 0 : 4]])
        await callTool(api, apiKey, one.tool.name, Object.fromEntries([...of, ...filled]))
      } else {
        const [method, path] = one.route.split(' ') as [string, string]
        const body = { title: 'T', amount: '2', to: { type: 'address', address: fresh('eve') }, ...one.args }
        await call(method, `${path.replace(/:\w+/, one.id)}${one.suffix}`, method === 'GET' ? undefined : body, apiKey)
      }
      expect(await decisions(user, ids, payment)).toBe(before)
    }),
    { numRuns: cases(40) },
  )
  // Each of them at least once, with every id.
  for (const { name, inputSchema } of tools.filter(({ name }) => !name.startsWith('pay_')))
    for (const one of ids) {
      const known = Object.keys(inputSchema.properties ?? {})
      const filled = {
        ...valid,
        ...Object.fromEntries(known.filter((each) => each.endsWith('_id')).map((each) => [each, one])),
        replaces: one,
      }
      await callTool(
        api,
        apiKey,
        name,
        Object.fromEntries(Object.entries(filled).filter(([each]) => known.includes(each))),
      )
    }
  expect(await decisions(user, ids, payment)).toBe(before)
})
