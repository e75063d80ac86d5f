import fc from 'fast-check'
import { find } from 'linkifyjs'
import { expect, test } from 'vitest'
import { defused } from '../../worker/notifications/defuse.ts'

/** Texts that some mail or message program turns into a link. */
const links = [
  ...['https://claim-usdc.com', 'http://claim-usdc.com/verify?id=1', 'HTTPS://CLAIM-USDC.COM', 'https:claim-usdc.com'],
  ...['ftp://files.example', 'https://127.0.0.1/x', 'http://1.2.3.4:8080', 'https://[::1]/x', 'http:\\\\evil.example'],
  ...['www.claim-usdc.example/verify', 'WWW.Example.COM', 'www.1.example', 'www。例え。テスト', 'www.9'],
  ...[
    'claim-usdc.com',
    'bursar-help.example',
    'sub.domain.co.uk/path',
    'x.io',
    'a-b.c',
    '1password.com',
    'xn--80ak6aa92e.com',
  ],
  ...[
    'аррӏе.com',
    'пример.рф',
    '例え.テスト',
    '例え。テスト',
    'ｅｘａｍｐｌｅ．ｃｏｍ',
    'उदाहरण.भारत',
    'مثال.إختبار',
    '💩.la',
    'i❤.ws',
  ],
  ...[
    'under_score.com',
    'a.b.c.d.e',
    'node.js',
    'readme.md',
    'example.com.',
    'e\u0301.com',
    '10.0.0.1',
    '192.168.1.10/admin',
  ],
  ...['ada@example.com', 'ada+x@sub.example.org', 'support@bursar.example', 'ＡＤＡ＠example.com', 'ada﹫example.com'],
  ...[
    'mailto:ada@example.com',
    'tel:+18005550199',
    'sms:12345',
    'javascript:alert(1)',
    'data:text/html,x',
    'bitcoin:1A1zP1',
  ],
  ...[
    'ethereum:0x1234',
    'whatsapp://send?text=x',
    'tg://resolve?domain=x',
    'intent://x#Intent',
    'file:///etc',
    '\\\\server\\share',
  ],
]
const sentences = [
  (link: string) => link,
  (link: string) => `Verify first at ${link} today`,
  (link: string) => `(${link})`,
  (link: string) => `"${link}".`,
  (link: string) => `→${link},${link}`,
]
const cases = links.flatMap((link) => sentences.map((sentence) => sentence(link)))

/** As the rule is written down: a scheme, www., a dot between a label and a letter, an @ between letters. */
const forms = [
  /[a-z][a-z0-9+.-]+[:：](?=[\p{L}\p{N}/\\])/iu,
  /[:：][/\\]{2}/,
  /www[.．。｡]/i,
  /[\p{L}\p{N}\p{M}_-][.．。｡]\p{L}/u,
  /[\p{L}\p{N}][@＠﹫][\p{L}\p{N}]/u,
  /\d+\.\d+\.\d+\.\d+/,
  /\\\\/,
]

test(`at least 200 texts with links have none afterwards, visibly @messages-18`, () => {
  expect(cases.length).toBeGreaterThanOrEqual(200)
  for (const text of cases) {
    const safe = defused(text)
    expect([safe, find(safe)]).toEqual([safe, []])
    for (const form of forms) expect([safe, form.test(safe)]).toEqual([safe, false])
    expect(safe, text).toMatch(/\[[^\]]+\]/)
    expect(defused(safe), 'nothing is broken twice').toBe(safe)
    expect(safe.replaceAll(/\[([.．。｡:：@＠﹫\\])\]/g, '$1'), 'nothing else changed').toBe(text)
  }
})

test.each([
  'Dinner on Friday, 12.50 USDC',
  'Invoice No. 1142 (Nov. 2026): paid',
  'Meet at 10:30 or 22:15',
  'Note: see the contract. Thanks!',
  'v1.5, 3.14 and 1,000.50',
  'Ada & Co, c/o Grace @ home',
  '50% @ 2 each...',
  'Ends on November 20, 2026 at 12:00 PM UTC. After that it returns.',
  '0x8ba1f109551bD432803012645Ac136ddd64DBA72',
  'Zoë 🦉 ❤️',
])('%j stays as it is @messages-19', (text) => expect(defused(text)).toBe(text))

test('no text has a link afterwards @messages-20', () => {
  const unit = fc.constantFrom(...'aZ9é例.。．:：/\\@＠ -_[]wW?\n', 'www', 'com', 'http', '://')
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 40 }), (text) => {
      const safe = defused(text)
      for (const form of forms) expect([safe, form.test(safe)]).toEqual([safe, false])
      expect(defused(safe)).toBe(safe)
    }),
    { numRuns: 2_000 },
  )
})
