import { expect, test } from 'vitest'
import { appName } from '#domain/appName.ts'
import { isRegisteredRedirect, redirectTarget, withParameters } from '#domain/redirectUri.ts'
import { normalUri } from '#domain/sameUri.ts'
import { newUserCode, parseUserCode, shownUserCode } from '#domain/userCode.ts'

const own = ['https://bursar.example', 'http://localhost:3001']

test.each([
  ['https://claude.ai/api/mcp/auth_callback', { type: 'website', host: 'claude.ai' }],
  ['https://app.example:8443/cb?x=1', { type: 'website', host: 'app.example:8443' }],
  ['https://xn--clude-3ve.ai/cb', { type: 'website', host: 'xn--clude-3ve.ai' }],
  ['http://127.0.0.1:33418/', { type: 'loopback' }],
  ['http://[::1]:5000/cb', { type: 'loopback' }],
  ['http://localhost/cb', { type: 'loopback' }],
  ['cursor://anysphere.cursor-mcp/oauth/callback', { type: 'private_scheme', scheme: 'cursor' }],
])('a code may go to %s @connecting-1', (uri, target) => {
  expect(redirectTarget(uri, own)).toEqual(target)
})

test.each([
  ...[
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'blob:https://a.example/1',
    'JaVaScRiPt://x/%0aalert(1)',
  ],
  ...['http://app.example/cb', 'http://127.0.0.1.evil.example/cb', 'ftp://a.example/', 'unknown-app://callback'],
  ...[
    'https://user@claude.ai/cb',
    'https://claude.ai:pw@evil.example/',
    'https://a.example/cb#x',
    'https://a.example/cb#',
  ],
  ...[
    'https:\\\\evil.example',
    'https://good.example\\@evil.example',
    'https://exämple.com/',
    ' https://a.example/',
    '',
  ],
  ...[
    'https://bursar.example/dashboard',
    'http://localhost:3001/x',
    'http://127.0.0.1:3001/x',
    '/cb',
    'https:a.example',
  ],
  ...[
    'https://bursar.example./cb',
    'https://app.bursar.example/cb',
    'https://BURSAR.example/cb',
    'https://localhost.:3001/cb',
    'https://127.0.0.2:3001/cb',
    'https://a.example./cb',
  ],
  `https://a.example/${'x'.repeat(1_000)}`,
])('no code may go to “%s” @connecting-2', (uri) => {
  expect(redirectTarget(uri, own)).toBeNull()
})

test('redirects are compared exactly, except for the port of a program on this computer @connecting-3', () => {
  const registered = ['https://a.example/cb', 'http://127.0.0.1/cb', 'http://localhost:5000/cb']
  for (const uri of ['https://a.example/cb', 'http://127.0.0.1:49152/cb', 'http://localhost/cb'])
    expect(isRegisteredRedirect(registered, uri), uri).toBe(true)
  for (const uri of [
    ...[
      'https://a.example/cb/',
      'https://a.example/CB',
      'https://a.example:443/cb',
      'https://a.example/cb?x',
      'https://b.example/cb',
    ],
    ...['http://127.0.0.1:1/other', 'http://[::1]/cb', 'https://a.example:444/cb'],
  ])
    expect(isRegisteredRedirect(registered, uri), uri).toBe(false)
})

test('parameters are added to the query that an address has @connecting-4', () => {
  expect(withParameters('https://a.example/cb', { code: 'x', state: null })).toBe('https://a.example/cb?code=x')
  expect(withParameters('cursor://mcp/cb?a=1', { error: 'e f', state: '&' })).toBe(
    'cursor://mcp/cb?a=1&error=e+f&state=%26',
  )
})

test.each([
  ['Claude', 'Claude'],
  ['  ChatGPT   (web) ', 'ChatGPT (web)'],
  ['<b>Claude</b>', 'b Claude b'],
  ['mcporter (bursar)', 'mcporter'],
  ['Claude Code (app.Bursar.example) 2', 'Claude Code 2'],
  ['Clau\u200bde\u202e', 'Clau de'],
  ['Ｃlaude', 'Claude'],
  ['Café Zürich', 'Café Zürich'],
  ['明日のアシスタント AI', '明日のアシスタント AI'],
  ['Яндекс', 'Яндекс'],
  ['x'.repeat(500), `${'x'.repeat(39)}…`],
])('the name “%s” is shown as “%s” @connecting-5', (text, shown) => {
  expect(appName(text)).toBe(shown)
})

test.each([
  ...[
    'Сlaude',
    'Claudе',
    'Вursаr',
    'Αpple',
    'сосо',
    'Bursar',
    'bursar support',
    '(Bursar)',
    'Bur(bursar)sar',
    'Claude\u0131',
    'Cl\u01c0aude',
    '',
    '   ',
    '123',
    '🙂',
  ],
  ...[
    'B.u.r.s.a.r',
    'Bursár',
    'B u r s a r',
    'Bur-sar',
    'Bur\u00adsar',
    'BÜRSAR app',
    'My (B-u-r-s-a-r) app',
    'ƀurʂar',
  ],
  ...['Ƀursar', 'BɄRSAR', 'Bur5ar', '8ursar', 'Burſar', 'ᴮᵁᴿˢᴬᴿ', 'B&u&r&s&a&r'],
  ...[null, 7, { toString: 'x' }],
])('the name “%s” is not shown @connecting-6', (text) => {
  expect(appName(text)).toBeNull()
})

test.each([
  ['HTTP://HOST.example/mcp', 'http://host.example/mcp'],
  ['https://host.example:443/mcp/', 'https://host.example/mcp'],
  ['https://host.example/./x/../mcp', 'https://host.example/mcp'],
  ['https://host.example/%6d%63p', 'https://host.example/mcp'],
  ['https://host.example/a%2fb', 'https://host.example/a%2Fb'],
  ['https://host.example/', 'https://host.example'],
  ['https://host.example/MCP', 'https://host.example/MCP'],
  ['https://host.example:444/mcp', 'https://host.example:444/mcp'],
])('%s is the address %s @connecting-8', (text, normal) => {
  expect(normalUri(text)).toBe(normal)
})

test.each([
  '',
  'mcp',
  '/mcp',
  'https://host.example/mcp?x',
  'https://host.example/mcp#x',
  'https://user@host.example/mcp',
])('“%s” is not an address that others are compared with @connecting-9', (text) => {
  expect(normalUri(text)).toBeNull()
})

test('a device’s code is found as people type it, and nothing else is @connecting-7', () => {
  let next = 0
  const code = newUserCode((below) => next++ % below)
  expect(shownUserCode(code)).toBe('BCDF-GHJK')
  for (const text of ['BCDF-GHJK', 'bcdfghjk', ' bcdf ghjk ', 'BCDF–GHJK']) expect(parseUserCode(text), text).toBe(code)
  for (const text of ['BCDF-GHJ', 'BCDF-GHJKL', 'ACDF-GHJK', '', '1234-5678'])
    expect(parseUserCode(text), text).toBeNull()
})
