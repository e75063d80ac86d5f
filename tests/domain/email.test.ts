import { expect, test } from 'vitest'
import { contactProblems } from '#domain/contactRules.ts'
import { emailProblem } from '#domain/email.ts'
import { normalDomain } from '#domain/rules/emailDomains.ts'
import { email } from '#schemas/common.ts'

const stored = (text: string) => email.safeParse(text).data

test.each([
  ['  Ada.Lovelace+tag@Example.COM ', 'ada.lovelace+tag@example.com'],
  ["o'brien!#$%&*+/=?^_`{|}~-@example.com", "o'brien!#$%&*+/=?^_`{|}~-@example.com"],
  [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
  [`a@${'b'.repeat(63)}.example`, `a@${'b'.repeat(63)}.example`],
  ['a@sub.domain.co.uk', 'a@sub.domain.co.uk'],
  ['a@1.example', 'a@1.example'],
  ['a@ＥＸＡＭＰＬＥ.com', 'a@example.com'],
  ['a@XN--BCHER-KVA.example', 'a@xn--bcher-kva.example'],
])('the address %j is stored as %s', (text, address) => {
  expect(stored(text)).toBe(address)
  expect(emailProblem(text)).toBeNull()
  expect(stored(address)).toBe(address)
})

test.each([
  ['Latin', 'post@bücher.example', 'post@xn--bcher-kva.example'],
  ['Greek', 'post@παράδειγμα.δοκιμή', 'post@xn--hxajbheg2az3al.xn--jxalpdlp'],
  ['Cyrillic', 'billing@аcme.com', 'billing@xn--cme-5cd.com'],
  ['Arabic', 'post@مثال.إختبار', 'post@xn--mgbh0fb.xn--kgbechtv'],
  ['Hebrew', 'post@דוגמה.טעסט', 'post@xn--6dbbec0c.xn--deba0ad'],
  ['Devanagari', 'post@उदाहरण.परीक्षा', 'post@xn--p1b6ci4b4b3a.xn--11b5bs3a9aj6g'],
  ['Han', 'post@例子.测试', 'post@xn--fsqu00a.xn--0zwm56d'],
  ['Hangul', 'post@실례.테스트', 'post@xn--9n2bp8q.xn--9t4b11yi5a'],
  ['decomposed Latin', 'post@bu\u0308cher.example', 'post@xn--bcher-kva.example'],
])('a domain in %s is stored and shown in punycode @emails-2', (_, text, address) => {
  expect(stored(text)).toBe(address)
  expect(normalDomain(text.split('@')[1]!)).toBe(address.split('@')[1])
})

const beforeAt = /^Invalid email format: before the @/
const afterAt = /^Invalid email format: after the @/
const basic = /^Invalid email format$/
test.each([
  ['', /^Email is required$/],
  ['   ', /^Email is required$/],
  ['ada', basic],
  ['ada@', basic],
  ['@example.com', basic],
  ['a@b@example.com', basic],
  ['a@localhost', basic],
  ['jörg@example.com', beforeAt],
  ['аda@example.com', beforeAt], // Cyrillic а
  ['用户@例子.测试', beforeAt],
  ['a b@example.com', basic],
  ['a\u00a0b@example.com', basic],
  ['a\u200bb@example.com', beforeAt],
  ['\u202emoc.emca@gnillib.io', beforeAt],
  ['billing(acme.com)<x@evil.example>', beforeAt],
  ['n1<victim@gmail.com>', beforeAt],
  ['x1<victim@gmail.com', beforeAt],
  ['a,b@example.com', beforeAt],
  ['a;b@example.com', beforeAt],
  ['a:b@example.com', beforeAt],
  ['"a"@example.com', beforeAt],
  ['[a]@example.com', beforeAt],
  ['a\\b@example.com', beforeAt],
  ['.a@example.com', beforeAt],
  ['a.@example.com', beforeAt],
  ['a..b@example.com', beforeAt],
  [`${'a'.repeat(65)}@example.com`, beforeAt],
  ['billing@acme.com\u200b.evil.example', afterAt],
  ['billing@acme․com.evil.example', afterAt], // U+2024
  ['billing@acme\u202e.example', afterAt],
  ['a@exa\u00admple.com', afterAt],
  ['a@127.0.0.1', afterAt],
  ['a@0x7f.1', afterAt],
  ['a@[127.0.0.1]', afterAt],
  ['a@example.com.', afterAt],
  ['a@example..com', afterAt],
  ['a@.example.com', afterAt],
  ['a@-example.com', afterAt],
  ['a@example-.com', afterAt],
  ['a@exa_mple.com', afterAt],
  ['a@example.com/x', afterAt],
  ['a@example.com:25', afterAt],
  ['a@example.com?x', afterAt],
  ['a@example.com#x', afterAt],
  ['a@ex%61mple.com', afterAt],
  ['a@<example.com>', afterAt],
  ['a@xn--80ak6aa92e-.com', afterAt],
  [`a@${'b'.repeat(64)}.example`, afterAt],
  [`a@${`${'b'.repeat(60)}.`.repeat(5)}example`, basic],
  [`a@${`${'ü'.repeat(20)}.`.repeat(11)}example`, afterAt], // too long in punycode only
])('the address %j is refused with the rule @emails-1', (text, problem) => {
  expect(emailProblem(text)).toMatch(problem)
  const result = email.safeParse(text)
  expect(result.success).toBe(false)
  expect(result.error?.issues).toHaveLength(1)
  expect(result.error?.issues[0]?.message).toMatch(text.trim() ? problem : /./)
  const values = { name: 'Ann', address: '', email: text, phone: '+14155550123', description: '' }
  if (text.trim()) expect(contactProblems(values).email).toMatch(problem)
})
