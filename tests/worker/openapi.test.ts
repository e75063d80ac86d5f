import { beforeAll, expect, test } from 'vitest'
import { createApp } from '../../worker/app.ts'
import { errorDescriptions } from '../../worker/openapi/descriptions.ts'
import { createApi, env, seed } from './apiClient.ts'

beforeAll(seed)

const api = createApi()
const document = async () => (await api.call('GET', '/openapi.json')).json

test('/openapi.json describes every agent route and nothing else @openapi-1', async () => {
  const { openapi, paths, servers } = await document()
  expect([openapi, servers]).toEqual(['3.1.0', [{ url: env.API_ORIGIN }]])
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const routes = createApp()
    .routes.filter(({ method, path }) => method !== 'ALL' && /^\/(v1|oauth)\//.test(path) && !path.endsWith('*'))
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
  // For apps that a person connects: docs/agents/connect.md.
  const undescribed = ['GET /oauth/authorize', 'POST /oauth/register', 'POST /oauth/device']
  expect(new Set(routes)).toEqual(new Set([...described, ...undescribed]))
})

test('/openapi.json is readable from any origin, and every reference resolves @openapi-2', async () => {
  const { headers, json, text } = await api.call('GET', '/openapi.json')
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(headers.get('cache-control')).toContain('max-age')
  const refs = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, ref]) => ref!)
  expect(refs.length).toBeGreaterThan(50)
  for (const ref of refs)
    expect(
      ref.split('/').reduce((part, name) => part?.[name], json),
      ref,
    ).toBeDefined()
})

test('/openapi.json matches validation: amounts are strings, unknown fields are rejected @openapi-3', async () => {
  const { components } = await document()
  const { CreatePayment, PaymentRecipient } = components.schemas
  expect(CreatePayment).toMatchObject({ additionalProperties: false, required: ['to', 'amount'] })
  expect(CreatePayment.properties.amount).toMatchObject({ type: 'string', pattern: expect.any(String) })
  expect(PaymentRecipient.oneOf.map((each: { properties: { type: unknown } }) => each.properties.type)).toEqual(
    ['contact', 'address', 'email', 'phone'].map((type) => ({ type: 'string', const: type })),
  )
  const { email } = PaymentRecipient.oneOf[2].properties
  expect(email).toMatchObject({ type: 'string', maxLength: 254 })
  const pattern = new RegExp(email.pattern, 'u')
  expect(['a.b+c@example.com', 'a@xn--bcher-kva.example'].filter((text) => !pattern.test(text))).toEqual([])
  const wrong = [
    'a@b',
    'a@127.0.0.1',
    'a@bücher.example',
    'jörg@example.com',
    'x<a@example.com>',
    'a,b@example.com',
    '"a"@example.com',
    'a b@example.com',
  ]
  expect(wrong.filter((text) => pattern.test(text))).toEqual([])
})

test('/docs shows every operation and error, without script @openapi-4', async () => {
  const { status, text, headers } = await api.call('GET', '/docs')
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8'])
  const nonce = /style-src 'nonce-([^']+)'/.exec(headers.get('content-security-policy')!)![1]
  expect(text).toContain(`<style nonce="${nonce}">`)
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';/)
  expect(text).not.toMatch(/<script|<link|<img|style="|\son\w+="|https?:\/\/(?!localhost)/)
  const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  expect(new Set(ids).size, 'ids are unique').toBe(ids.length)
  for (const code of Object.keys(errorDescriptions)) expect(ids).toContain(`error-${code}`)
  for (const [, target] of text.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target)
  for (const methods of Object.values((await document()).paths as object))
    for (const { operationId } of Object.values(methods) as { operationId: string }[])
      expect(ids).toContain(operationId)
})
