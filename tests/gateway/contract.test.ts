/** Checks /openapi.json with a linter, against every reply of the REST API, and with requests generated from its schemas. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { noteNames } from '#domain/paymentNotes.ts'
import { until } from '../../local/client.ts'
import { freePort } from '../../local/stack/ports.ts'
import { cases } from '../support/cases.ts'
import { clientPath, importClient, runClient } from '../support/clients.ts'
import { addressFor } from '../support/stackClient.ts'
import { bursar, createAgent, stateDir, url } from './gateway.ts'
import { invalidValues, type JsonSchema, validValues } from './schemaValues.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read replies of any shape
type Answer = { status: number; headers: Headers; body: any; text: string }
type Input = {
  token?: string | undefined
  key?: string | undefined
  body?: unknown
  raw?: string
  headers?: [string, string][]
}

// biome-ignore lint/suspicious/noExplicitAny: a JSON document
const document: any = await bursar.plain('/openapi.json')
const documentPath = join(stateDir, 'openapi.json')
writeFileSync(documentPath, JSON.stringify(document))
const own = await createAgent({ scopes: ['address_payments:write', 'contact_payments:write', 'email_payments:write'] })
const prism = await startPrism()
afterAll(() => prism.stop())

/** Starts Prism as a proxy of the stack; it returns 500 with `sl-violations` if a reply breaks the contract. */
async function startPrism() {
  const port = await freePort()
  const args = ['proxy', documentPath, url, '--port', String(port), '--errors', '--validate-request=false']
  const child = spawn(process.execPath, [clientPath('@stoplight/prism-cli/dist/index.js'), ...args])
  let log = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      log = (log + chunk).slice(-10_000)
      if (log.includes('Prism is listening')) resolve()
    })
    child.once('exit', () => reject(new Error(`prism ended:\n${log}`)))
  })
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill()
      await once(child, 'exit')
    },
  }
}

/**
 * Sends a request through Prism; a reply that breaks the contract fails the test. Requests that Prism would reply to
 * itself (no credential) or hang on (a body that is not JSON) go straight to the stack.
 */
async function ask(method: string, path: string, { token, key, body, raw, headers = [] }: Input = {}): Promise<Answer> {
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const isForPrism = raw !== '{' && (token !== undefined || path.startsWith('/oauth/'))
  const response = await fetch(`${isForPrism ? prism.url : url}${path}`, {
    method,
    headers: [
      ...(token ? [['authorization', `Bearer ${token}`]] : []),
      ...(key ? [['idempotency-key', key]] : []),
      ...(content === undefined || headers.some(([name]) => name === 'content-type')
        ? []
        : [['content-type', 'application/json']]),
      ...headers,
    ] as [string, string][],
    ...(content !== undefined && { body: content }),
  })
  const text = await response.text()
  const label = `${method} ${path} ${content?.slice(0, 300) ?? ''} → ${response.status} ${text.slice(0, 500)}`
  expect(response.headers.get('sl-violations'), label).toBeNull()
  expect(text, label).not.toContain('stoplight.io/prism')
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : null, text }
}

const to = addressFor('contract')
const toAddress = { to: { type: 'address', address: to }, amount: '0.5' }
/** The remaining budget, which does not change when payments of other tests move from held to spent. */
const remaining = async () => {
  const { budget } = await bursar.plain<{ budget: { remaining: string } }>('/v1/context', { token: own.apiKey })
  return budget.remaining
}

test('Redocly reports no problem in the OpenAPI document @rest-6', async () => {
  // With a deployed origin, because Redocly rightly reports a server on localhost.
  const deployed = join(stateDir, 'openapi.deployed.json')
  writeFileSync(deployed, JSON.stringify(document).replaceAll(url, 'https://api.bursar.test'))
  const lint = await runClient('@redocly/cli/bin/cli.js', ['lint', deployed, '--extends', 'recommended-strict'], {
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  })
  expect(lint.stderr + lint.stdout).toContain('Your API description is valid')
  expect([lint.code, lint.stdout]).toEqual([0, expect.not.stringMatching(/warning|error/i)])
})

describe('every reply of the REST API keeps the contract @rest-7', () => {
  test('payments are created, read, listed in pages and checked @rest-8', async () => {
    const ids: string[] = []
    for (const body of [
      toAddress,
      { ...toAddress, memo: 'Größe 🦉' },
      { to: { type: 'email', email: 'carol@bursar.test' }, amount: '0.1' },
    ]) {
      const paid = await ask('POST', '/v1/payments', { token: own.apiKey, key: randomUUID(), body })
      expect(paid.status, paid.text).toBe(201)
      expect(paid.headers.get('location')).toBe(`/v1/payments/${paid.body.id}`)
      ids.unshift(paid.body.id)
    }
    for (const id of ids) {
      const { status, body } = await ask('GET', `/v1/payments/${id}`, { token: own.apiKey })
      expect([status, body.id]).toEqual([200, id])
    }
    const seen: string[] = []
    for (let path: string | null = '/v1/payments?limit=2'; path; ) {
      const { body, headers } = await ask('GET', path, { token: own.apiKey })
      seen.push(...body.data.map((payment: { id: string }) => payment.id))
      expect(body.data.length).toBeLessThanOrEqual(2)
      path = body.has_more ? `/v1/payments?limit=2&cursor=${body.next_cursor}` : null
      expect(headers.get('link')).toBe(path && `<${path}>; rel="next"`)
    }
    expect(seen).toEqual(ids)
    expect((await ask('GET', '/v1/context', { token: own.apiKey })).status).toBe(200)
    const check = await ask('POST', '/v1/payments/check', { token: own.apiKey, body: toAddress })
    expect(check.body).toMatchObject({ allowed: true, refusal: null })
  })

  test('a dry run returns the refusal that a payment would get, and reserves nothing @rest-9', async () => {
    const before = await remaining()
    const body = { ...toAddress, amount: '21' }
    const dry = await ask('POST', '/v1/payments/check', { token: own.apiKey, body })
    expect(dry.status, dry.text).toBe(200)
    const paid = await ask('POST', '/v1/payments', { token: own.apiKey, key: randomUUID(), body })
    const { code, detail, rule, next, max_allowed_now, limit } = paid.body
    expect(paid.status).toBe(403)
    expect(dry.body).toMatchObject({ allowed: false, max_allowed_now })
    expect(dry.body.refusal).toMatchObject({ code, detail, rule, next, max_allowed_now, limit, remaining: before })
    expect(paid.body.type).toBe(`${url}/docs#error-budget_exceeded`)
    const recorded = await ask('GET', `/v1/payments/${paid.body.payment_id}`, { token: own.apiKey })
    expect(recorded.body).toMatchObject({ status: 'POLICY_REJECTED', error: { code: 'budget_exceeded' } })
    const fits = { ...toAddress, amount: max_allowed_now }
    expect((await ask('POST', '/v1/payments/check', { token: own.apiKey, body: fits })).body.allowed).toBe(true)
    expect(await remaining()).toEqual(before)
  })

  test('a repeated request returns the same payment, and other content under its key is refused @rest-10', async () => {
    const key = randomUUID()
    const pay = (body: unknown) => ask('POST', '/v1/payments', { token: own.apiKey, key, body })
    const [first, ...others] = await Promise.all(Array.from({ length: 8 }, () => pay(toAddress)))
    expect(new Set([first!, ...others].map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1)
    expect((await pay(toAddress)).headers.get('idempotent-replayed')).toBe('true')
    const reused = await pay({ ...toAddress, amount: '0.6' })
    expect([reused.status, reused.body.code]).toEqual([422, 'idempotency_key_reused'])
  })

  test('cancelling a signed or ended payment is a conflict, and an unknown payment is not found', async () => {
    const paid = await ask('POST', '/v1/payments', { token: own.apiKey, key: randomUUID(), body: toAddress })
    const cancel = () => ask('POST', `/v1/payments/${paid.body.id}/cancel`, { token: own.apiKey })
    const late = await cancel()
    expect([late.status, late.body.code], late.text).toEqual([409, 'conflict'])
    const status = async () => (await ask('GET', `/v1/payments/${paid.body.id}`, { token: own.apiKey })).body.status
    await until('confirmed', async () => (await status()) === 'CONFIRMED')
    const ended = await cancel()
    expect([ended.status, ended.body.code], ended.text).toEqual([409, 'conflict'])
    expect(ended.body.detail).toContain('This payment is CONFIRMED')
    const unknown = await ask('POST', '/v1/payments/pay_nobody/cancel', { token: own.apiKey })
    expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found'])
  })

  test.each<[string, string, string, Input, number, string, string?]>([
    ['no credential', 'GET', '/v1/context', {}, 401, 'unauthenticated'],
    ['an unknown API key', 'GET', '/v1/context', { token: 'bk_nobody' }, 401, 'unauthenticated'],
    ['a broken token', 'GET', '/v1/payments', { token: 'a.b.c' }, 401, 'unauthenticated'],
    ['no idempotency key', 'POST', '/v1/payments', { body: toAddress }, 400, 'invalid_input', '/Idempotency-Key'],
    ['invalid JSON', 'POST', '/v1/payments', { key: 'k', raw: '{' }, 400, 'invalid_input'],
    ['a list as its body', 'POST', '/v1/payments', { key: 'k', raw: '[]' }, 400, 'invalid_input'],
    [
      'a text/plain body',
      'POST',
      '/v1/payments',
      { key: 'k', raw: 'a=1', headers: [['content-type', 'text/plain']] },
      400,
      'invalid_input',
    ],
    ['over 64 kB', 'POST', '/v1/payments', { key: 'k', body: { memo: 'x'.repeat(70_000) } }, 413, 'payload_too_large'],
    [
      'a float amount',
      'POST',
      '/v1/payments',
      { key: 'k', body: { ...toAddress, amount: 1.5 } },
      400,
      'invalid_input',
      '/amount',
    ],
    [
      'a unit',
      'POST',
      '/v1/payments',
      { key: 'k', body: { ...toAddress, amount: '1.5 USDC' } },
      400,
      'invalid_input',
      '/amount',
    ],
    [
      'seven decimals in its amount',
      'POST',
      '/v1/payments',
      { key: 'k', body: { ...toAddress, amount: '1.0000001' } },
      400,
      'invalid_input',
      '/amount',
    ],
    ['an unknown field', 'POST', '/v1/payments/check', { body: { ...toAddress, dry: true } }, 400, 'invalid_input'],
    [
      'a recipient whose scope the group lacks',
      'POST',
      '/v1/payments',
      { key: 'k', body: { to: { type: 'phone', phone: '+14155550123' }, amount: '1' } },
      403,
      'insufficient_scope',
    ],
    [
      'a stranger’s contact',
      'POST',
      '/v1/payments',
      { key: 'k', body: { to: { type: 'contact', contactId: 'c1' }, amount: '1' } },
      403,
      'recipient_not_allowed',
    ],
    [
      'a payout that is too small',
      'POST',
      '/v1/payments',
      { key: 'k', body: { to: { type: 'email', email: 'a@b.test' }, amount: '0.09' } },
      400,
      'invalid_input',
      '/amount',
    ],
    [
      'the zero address',
      'POST',
      '/v1/payments',
      { key: 'k', body: { to: { type: 'address', address: `0x${'0'.repeat(40)}` }, amount: '1' } },
      400,
      'invalid_input',
      '/to/address',
    ],
    ['an unknown cursor', 'GET', '/v1/payments?cursor=xyz', {}, 400, 'invalid_input', '/cursor'],
    ['a page that is too large', 'GET', '/v1/payments?limit=101', {}, 400, 'invalid_input', '/limit'],
    ['an unknown parameter', 'GET', '/v1/payments?status=QUEUED', {}, 400, 'invalid_input'],
    ['an unknown id', 'GET', '/v1/payments/pay_nobody', {}, 404, 'not_found'],
  ])(
    'a request with %s gets the documented error and, if a field is at fault, its name',
    async (name, method, path, options, status, code, pointer) => {
      const anonymous = name === 'no credential'
      const answer = await ask(method, path, anonymous ? options : { token: own.apiKey, ...options })
      expect([answer.status, answer.body.code], answer.text).toEqual([status, code])
      expect(answer.body.errors?.[0].pointer, answer.text).toBe(pointer)
      expect(answer.headers.get('content-type')).toContain('application/problem+json')
      expect(answer.body.request_id).toBe(answer.headers.get('x-request-id'))
      expect(document.components.schemas.Problem.required.every((name: string) => name in answer.body)).toBe(true)
    },
  )

  test('tokens are issued, refused, introspected and revoked as documented', async () => {
    const post = (path: string, form: Record<string, string>) =>
      ask('POST', `/oauth/${path}`, {
        raw: new URLSearchParams({ client_id: own.clientId, client_secret: own.clientSecret, ...form }).toString(),
        headers: [['content-type', 'application/x-www-form-urlencoded']],
      })
    const { body } = await post('token', { grant_type: 'client_credentials' })
    expect(body.token_type).toBe('Bearer')
    expect((await post('introspect', { token: body.access_token })).body.active).toBe(true)
    expect((await post('revoke', { token: body.access_token })).status).toBe(200)
    expect((await post('introspect', { token: body.access_token })).body).toEqual({ active: false })
    expect((await post('token', { grant_type: 'password' })).status).toBe(400)
    expect((await post('token', { grant_type: 'client_credentials', client_secret: 'bs_wrong' })).status).toBe(401)
  })
})

describe('requests generated from the OpenAPI schemas @rest-11', () => {
  const schema = (name: string): JsonSchema => document.components.schemas[name]
  const resolve = (ref: string): JsonSchema => schema(ref.split('/').at(-1)!)
  const runs = {
    numRuns: cases(20, 60),
    interruptAfterTimeLimit: cases(25_000),
    markInterruptAsFailure: false,
  } as const

  /** Compares replies with the document through ajv instead of our own validator. */
  async function validator() {
    const { default: Ajv } = await importClient('ajv/dist/2020.js')
    const { default: formats } = await importClient('ajv-formats/dist/index.js')
    const ajv = new Ajv({ strict: false })
    formats(ajv)
    ajv.addSchema(document, 'openapi')
    return (name: string, body: unknown) => {
      const valid = ajv.validate({ $ref: `openapi#/components/schemas/${name}` }, body)
      expect(valid, `${ajv.errorsText()} ${JSON.stringify(body)}`).toBe(true)
    }
  }

  test('valid requests get the documented replies, and a dry run reserves nothing', async () => {
    const holds = await validator()
    const before = await remaining()
    await fc.assert(
      fc.asyncProperty(validValues(schema('CreatePayment'), resolve), async (body) => {
        const answer = await ask('POST', '/v1/payments/check', { token: own.apiKey, body })
        expect([200, 400, 403, 404], answer.text).toContain(answer.status)
        holds(answer.status === 200 ? 'PaymentCheck' : 'Problem', answer.body)
      }),
      runs,
    )
    expect(await remaining()).toEqual(before)
  })

  test('requests with one defect are refused without effect, and the refusal names a field', async () => {
    const holds = await validator()
    const before = await remaining()
    await fc.assert(
      fc.asyncProperty(invalidValues(schema('CreatePayment'), resolve), fc.boolean(), async ({ value, fault }, dry) => {
        const path = dry ? '/v1/payments/check' : '/v1/payments'
        const answer = await ask('POST', path, { token: own.apiKey, key: randomUUID(), body: value })
        expect(answer.status, `${fault}: ${JSON.stringify(value)} → ${answer.text}`).toBe(400)
        const named = answer.body.errors?.[0].pointer ?? answer.body.detail
        expect(named, `${fault}: ${answer.text}`).toMatch(
          new RegExp(`^/(to|amount|reason|${noteNames.join('|')})(/|$)|^Unknown field: |null characters`),
        )
        holds('Problem', answer.body)
      }),
      runs,
    )
    expect(await remaining()).toEqual(before)
  })

  test('token requests with unexpected fields get the documented replies', async () => {
    const holds = await validator()
    const strange = fc.oneof(
      fc.constantFrom('client_credentials', 'address_payments:write', `${url}/v1`, `${url}/mcp/`, '', ' '),
      fc.string({ unit: 'binary', maxLength: 40 }),
    )
    const names = fc.constantFrom('grant_type', 'scope', 'resource', 'token', 'client_assertion', 'redirect_uri', '')
    const fields = fc.array(fc.tuple(names, strange), { maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('token', 'revoke', 'introspect'), fields, async (path, extra) => {
        const form = [['client_id', own.clientId], ['client_secret', own.clientSecret], ...extra]
        const answer = await ask('POST', `/oauth/${path}`, {
          raw: new URLSearchParams(form).toString(),
          headers: [['content-type', 'application/x-www-form-urlencoded']],
        })
        const label = `${path} ${JSON.stringify(extra)} → ${answer.text}`
        expect([200, 400, 401, 429], label).toContain(answer.status)
        if (answer.status !== 200) holds('OAuthError', answer.body)
        else if (path !== 'revoke') holds(path === 'token' ? 'AccessToken' : 'Introspection', answer.body)
      }),
      runs,
    )
  })

  test('malformed headers are refused without a 5xx', async () => {
    const header = fc.string({ unit: fc.constantFrom(...' ,"\\;=aZ09~!\t'), maxLength: 300 })
    const before = await remaining()
    await fc.assert(
      fc.asyncProperty(header, header, async (key, credential) => {
        const headers: [string, string][] = [
          ['idempotency-key', `bad,${key}`],
          ['authorization', `Bearer ${credential}`],
        ]
        const answer = await ask('POST', '/v1/payments', { body: toAddress, headers })
        expect([400, 401, 429], answer.text).toContain(answer.status)
        const known = await ask('POST', '/v1/payments', {
          token: own.apiKey,
          body: toAddress,
          headers: headers.slice(0, 1),
        })
        expect(known.status, known.text).toBe(400)
      }),
      { ...runs, numRuns: cases(10, 25) },
    )
    const twice = await ask('POST', '/v1/payments', {
      token: own.apiKey,
      body: toAddress,
      headers: [
        ['idempotency-key', 'one'],
        ['idempotency-key', 'two'],
      ],
    })
    expect(twice.status).toBe(400)
    expect(await remaining()).toEqual(before)
  })
})
