import fc from 'fast-check'
import { expect, test } from 'vitest'
import { confirmsSeller, parseResource } from '../../../worker/domain/x402/seller.ts'
import { anOffer, token } from './offers.ts'

const production = { isLocal: false, own: ['https://bursar.example'] }
const local = { isLocal: true, own: ['http://localhost:3001'] }
const payTo = anOffer().payTo as string

test('a resource is its method, origin and path; query and fragment are no part of it @x402-28', () => {
  const parse = (url: string) => parseResource(url, 'GET', production)
  const expected = { method: 'GET', origin: 'https://shop.example', path: '/a/b', host: 'shop.example' }
  expect(parse('https://shop.example/a/b')).toEqual({ ok: true, resource: expected })
  expect(parse('https://SHOP.example:443/a/../a/b?key=1#top')).toEqual({ ok: true, resource: expected })
})

test('a resource that Bursar may not request itself is refused with its field @x402-29', () => {
  const fieldOf = (url: string, method = 'GET', rules = production) => {
    const parsed = parseResource(url, method, rules)
    return parsed.ok ? null : parsed.problem.field
  }
  for (const url of [
    'http://shop.example/a',
    'https://10.0.0.1/a',
    'https://user:secret@shop.example/',
    'https://bursar.example/v1/payments',
    'https://localhost/a',
    'ftp://shop.example/a',
    'shop.example',
    '',
  ])
    expect(fieldOf(url), url).toBe('resource')
  expect(fieldOf('http://127.0.0.1:4021/a', 'GET', local), 'a seller on loopback, in local builds').toBeNull()
  for (const method of ['get', 'CONNECT', 'TRACE', '', 'GET /a'])
    expect(fieldOf('https://shop.example/a', method), method).toBe('method')
})

test('a seller is confirmed only by its own payTo, token and network @x402-30', () => {
  const confirms = (...accepts: Record<string, unknown>[]) => confirmsSeller({ accepts }, token, payTo)
  expect(confirms(anOffer())).toBe(true)
  expect(confirms(anOffer({ network: 'eip155:1' }), anOffer({ payTo: payTo.toLowerCase(), amount: '7' }))).toBe(true)
  expect(confirms()).toBe(false)
  for (const over of [
    { payTo: `0x${'12'.repeat(20)}` },
    { payTo: undefined },
    { payTo: [payTo] },
    { asset: `0x${'12'.repeat(20)}` },
    { asset: null },
    { network: 'eip155:84532' },
  ])
    expect(confirms(anOffer(over)), JSON.stringify(over)).toBe(false)
  // One offer must name all three.
  expect(confirms(anOffer({ network: 'eip155:1' }), anOffer({ payTo: `0x${'12'.repeat(20)}` }))).toBe(false)
})

test('no resource makes it throw @x402-31', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (text, method) => {
      for (const url of [text, `https://${text}`, `https://shop.example/${text}`])
        expect(parseResource(url, method, production)).toHaveProperty('ok')
    }),
  )
})
