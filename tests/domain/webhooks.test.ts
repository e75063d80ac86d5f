import fc from 'fast-check'
import { expect, test } from 'vitest'
import { retryAt, retryForMs, spacingMs } from '../../worker/domain/webhookRules.ts'
import { webhookUrlProblem } from '../../worker/domain/webhookUrl.ts'
import { attempt } from '../../worker/webhooks/attempt.ts'

const own = ['https://bursar.example', 'https://app.bursar.example:443']
const production = { isLocal: false, own }
const local = { isLocal: true, own: ['http://localhost:3001', 'http://127.0.0.1:5173'] }

/** URLs that name, in various spellings, something else than another organization's public host over HTTPS. */
const refused = [
  'http://example.com/hook',
  'https://example.com:8443/hook',
  'https://user:secret@example.com/hook',
  'https://user@example.com/hook',
  'ftp://example.com/hook',
  'javascript:alert(1)',
  'example.com/hook',
  '',
  'https://',
  'https://localhost/hook',
  'https://LOCALHOST/hook',
  'https://localhost./hook',
  'https://localhost../',
  'https://foo.internal../',
  'https://bursar.example../',
  'https://example.com../',
  'https://example..com/',
  'https://.example.com/',
  'https://example.com。./',
  'https://127.0.0.1../',
  'https://hook.localhost/',
  'https://127.0.0.1/',
  'https://127.1/',
  'https://127.0.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0x7f.0x0.0x0.0x1/',
  'https://0177.0.0.1/',
  'https://017700000001/',
  'https://0/',
  'https://0.0.0.0/',
  'https://10.0.0.1/',
  'https://172.16.0.1/',
  'https://192.168.1.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://100.64.0.1/',
  'https://224.0.0.1/',
  'https://255.255.255.255/',
  'https://１２７.０.０.１/',
  'https://①②⑦.0.0.1/',
  'https://127。0。0。1/',
  'https://%31%32%37.0.0.1/',
  'https://[::1]/',
  'https://[::]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[0:0:0:0:0:ffff:a9fe:a9fe]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[2002:7f00:1::]/',
  'https://[fe80::1]/',
  'https://[fc00::1]/',
  'https://8.8.8.8/',
  'https://[2606:4700:4700::1111]/',
  'https://intranet/',
  'https://db.internal/',
  'https://printer.local/',
  'https://router.home.arpa/',
  'https://127.0.0.1.nip.io/',
  'https://a.7f000001.sslip.io/',
  'https://localtest.me/',
  'https://bursar.example/api/webhooks',
  'https://BURSAR.example/',
  'https://bursar.example./',
  'https://anything.bursar.example/',
  'https://app.bursar.example/hook',
]

test('a URL that does not name someone else’s public host is refused on save, in any spelling @webhooks-1', () => {
  expect(refused.length).toBeGreaterThanOrEqual(40)
  expect(refused.filter((url) => webhookUrlProblem(url, production) === null)).toEqual([])
})

test('a URL that does not name someone else’s public host is refused on delivery, before anything is sent @webhooks-2', async () => {
  let sent = 0
  const fetcher = async () => {
    sent += 1
    return new Response()
  }
  for (const url of refused) {
    const target = { id: 'whk_1', url, version: 1, isOn: true, secrets: ['whsec_MDEyMw=='] }
    const event = { id: 'evt_1', body: '{}' }
    const outcome = await attempt(fetcher, { event, target, now: () => 0, rules: production })
    expect(outcome, url).toMatchObject({
      isDelivered: false,
      status: null,
      error: expect.stringMatching(/^Not sent: /),
    })
  }
  expect(sent).toBe(0)
})

test('public hosts are accepted, loopback only in local builds, and never our own port @webhooks-3', () => {
  for (const url of ['https://example.com/hook?x=1', 'https://example.com:443/', 'https://hooks.example.co.uk/a/b'])
    expect(webhookUrlProblem(url, production), url).toBeNull()
  for (const url of [
    'http://127.0.0.1:9000/',
    'http://localhost:9000/hook',
    'http://[::1]:9000/',
    'https://example.com/',
  ])
    expect(webhookUrlProblem(url, local), url).toBeNull()
  for (const url of [
    'http://localhost:3001/api',
    'http://127.0.0.1:3001/',
    'http://[::1]:5173/',
    'http://10.0.0.1:9000/',
    'http://example.com/',
  ])
    expect(webhookUrlProblem(url, local), url).not.toBeNull()
})

test('retries continue for exactly three days, with jitter in each wait @webhooks-4', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 0.999999, noNaN: true }), { minLength: 40, maxLength: 40 }),
      (randoms) => {
        const since = 1_000_000
        const times = [since]
        for (const random of randoms) {
          const next = retryAt({ attempts: times.length, since, now: times.at(-1)!, random })
          if (next === null) break
          expect(next).toBeGreaterThan(times.at(-1)!)
          times.push(next)
        }
        expect(times.at(-1)).toBe(since + retryForMs)
        expect(times.length).toBeGreaterThanOrEqual(9)
        expect(times.length).toBeLessThanOrEqual(13)
        // The first retry is soon, because a receiver restarts within seconds.
        expect(times[1]! - since).toBeLessThanOrEqual(6_000)
      },
    ),
  )
})

test('an endpoint that keeps failing is tried less often, but at least once a minute @webhooks-5', () => {
  expect([1, 4, 5, 6, 8, 11, 100].map(spacingMs)).toEqual([0, 0, 1_000, 2_000, 8_000, 60_000, 60_000])
})
