/** The Worker serves its own origin only: old deployments of the pages keep their addresses and reach it, too. */
import { beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../../worker/app.ts'
import { createApi, env, seed } from './apiClient.ts'

beforeAll(seed)

const origin = 'https://bursar.example'
const deployed = createApi({ API_ORIGIN: origin, APP_ORIGIN: origin, ENVIRONMENT: 'production' })
const others = [
  'https://f00dbabe.bursar-web.pages.dev',
  'https://bursar-web.pages.dev',
  'https://bursar.example:8443',
  'https://bursar.example.',
  'https://www.bursar.example',
  'https://localhost',
  'https://127.0.0.1',
]

describe.each(others)('at %s', (at) => {
  test('each API refuses with 421 in its own form, whatever the method @hosts-1', async () => {
    const message = `Bursar is not at this address. It is at ${origin}.`
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS'])
      for (const path of [
        '/api/health',
        '/api/ready',
        '/ops/api/ready',
        '/delivery-reports/resend',
        '/.well-known/jwks.json',
        '/openapi.json',
        '/unknown',
      ])
        expect(await deployed.call(method, path, { at }), `${method} ${path}`).toMatchObject({
          status: 421,
          json: { success: false, error: message, code: 'misdirected_request' },
        })
    expect((await deployed.call('POST', '/v1/payments', { at, body: {} })).json).toMatchObject({
      status: 421,
      code: 'misdirected_request',
      detail: message,
    })
    expect(await deployed.call('POST', '/oauth/token', { at })).toMatchObject({
      status: 421,
      json: { error: 'invalid_request', error_description: message },
    })
    expect(await deployed.call('POST', '/mcp', { at, body: {} })).toMatchObject({
      status: 421,
      json: { error: { code: -32000, message } },
    })
  })

  test('a page redirects to the same path of the configured origin; a form is refused @hosts-2', async () => {
    for (const path of ['/docs', '/oauth/authorize?response_type=code'])
      for (const method of ['GET', 'HEAD']) {
        const { status, headers } = await deployed.call(method, path, { at })
        expect([status, headers.get('location'), headers.get('cache-control')], `${method} ${path}`).toEqual([
          308,
          `${origin}${path}`,
          'no-store',
        ])
      }
    expect((await deployed.call('POST', '/oauth/authorize', { at })).status).toBe(421)
  })
})

test('the configured origin is served, with or without its default port @hosts-3', async () => {
  for (const at of [origin, 'https://bursar.example:443', 'https://BURSAR.example'])
    expect((await deployed.call('GET', '/api/config', { at })).status, at).toBe(200)
})

test('a local stack answers to localhost and 127.0.0.1 on its own port, and a deployment on localhost only by its name @hosts-4', async () => {
  const statuses = async (ENVIRONMENT: 'local' | 'production') => {
    const ats = ['http://localhost:3001', 'http://127.0.0.1:3001', 'http://127.0.0.1:3002', 'http://bursar.test:3001']
    const calls = ats.map((at) => createApi({ ENVIRONMENT }).call('GET', '/api/config', { at }))
    return (await Promise.all(calls)).map(({ status }) => status)
  }
  expect(env.API_ORIGIN).toBe('http://localhost:3001')
  expect(await statuses('local')).toEqual([200, 200, 421, 421])
  expect(await statuses('production')).toEqual([200, 421, 421, 421])
})

test('every route of the Worker is behind this check @hosts-5', async () => {
  const routes = createApp().routes.filter(({ method }) => method !== 'ALL')
  expect(routes.length).toBeGreaterThan(100)
  for (const { method, path } of routes) {
    const { status } = await deployed.call(method, path.replaceAll(/:\w+/g, 'x'), { at: others[0]! })
    expect([308, 421], `${method} ${path}`).toContain(status)
  }
})
