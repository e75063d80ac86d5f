import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type MicroUsdc, microUsdc } from '#domain/money.ts'
import { type HostLimit, isLooserForHosts, limitOfHost, normalHostPattern } from '#domain/rules/hostPatterns.ts'
import { hosts } from '#domain/rules/hosts.ts'
import { maxHosts } from '#domain/rules/inputs.ts'
import type { PaymentFacts } from '#domain/rules/rule.ts'
import { noRules, recipientVerdict, verdictsOf } from '#domain/rules/values.ts'
import { ruleFields } from '#schemas/rules.ts'

const names = fc.constantFrom('a', 'b', 'api')
/** Few names, so that patterns often meet: a.example.com, example.com, a.b.example.com, other.org. */
const host = fc
  .tuple(fc.array(names, { maxLength: 3 }), fc.constantFrom('example.com', 'other.org'), fc.constantFrom('', ':8443'))
  .map(([below, domain, port]) => [...below, domain].join('.') + port)
const limit = fc.record({
  pattern: fc.oneof(
    host,
    host.map((name) => `*.${name}`),
  ),
  maxAmount: fc.option(fc.bigInt({ min: 1n, max: 5n }).map(microUsdc)),
})
const limits = fc.uniqueArray(limit, { selector: ({ pattern }) => pattern, minLength: 1, maxLength: 6 })

/** The most that the host may be paid, as the rule's description says it, written otherwise; -1 for nothing. */
function mostFor(of: HostLimit[], name: string): bigint {
  const amount = (found: HostLimit) => found.maxAmount ?? 1_000_000n
  const exact = of.find(({ pattern }) => pattern === name)
  if (exact) return amount(exact)
  const [labels = '', port] = name.split(':')
  for (let domain = labels; domain.includes('.'); ) {
    domain = domain.slice(domain.indexOf('.') + 1)
    const found = of.find(({ pattern }) => pattern === `*.${domain}${port ? `:${port}` : ''}`)
    if (found) return amount(found)
  }
  return -1n
}

const factsFor = (name: string | null): PaymentFacts => ({
  at: 0,
  isPayout: false,
  amount: null,
  unclaimed: microUsdc(0n),
  recipient: {
    type: name === null ? 'address' : 'x402',
    address: null,
    email: null,
    phone: null,
    seller: name === null ? null : { host: name, isConfirmed: () => true },
    isNew: () => true,
    isDuplicate: () => false,
  },
})

describe('hosts', () => {
  test('of the patterns that match a host, the closest one decides @rules-36', () => {
    fc.assert(
      fc.property(limits, host, (of, name) => {
        const found = limitOfHost(of, name)
        expect(found === null ? -1n : (found.maxAmount ?? 1_000_000n)).toBe(mostFor(of, name))
      }),
    )
    const example = [
      { pattern: '*.example.com', maxAmount: null },
      { pattern: 'example.com:8443', maxAmount: null },
    ]
    const isAllowed = (name: string) => limitOfHost(example, name) !== null
    expect(['a.example.com', 'a.b.example.com', 'example.com:8443'].map(isAllowed)).toEqual([true, true, true])
    expect(
      ['example.com', 'badexample.com', '.example.com', 'a.example.com:8443', 'example.com.'].map(isAllowed),
    ).toEqual([false, false, false, false, false])
  })

  test('a change that lets any host be paid more is seen as looser, and no other change @rules-37', () => {
    fc.assert(
      fc.property(limits, limits, fc.array(host, { maxLength: 20 }), (before, after, more) => {
        // Every host that a pattern names, and one below each domain: between them nothing can differ.
        const named = [...before, ...after].map(({ pattern }) => pattern.replace('*', 'unlisted'))
        const isLooser = [...named, ...more].some((name) => mostFor(after, name) > mostFor(before, name))
        expect(isLooserForHosts(before, after)).toBe(isLooser)
        expect(isLooserForHosts(before, before)).toBe(false)
      }),
    )
  })

  test('refuse other hosts before the wallet is looked at, and amounts above that of the host after it @rules-38', () => {
    const one = microUsdc(1_000_000n)
    const rules = { ...noRules, hosts: [{ pattern: 'api.example.com', maxAmount: one }] }
    const check = (host: string | null) =>
      recipientVerdict(rules, { type: 'x402', address: null, email: null, phone: null, host })
    expect(check('other.org')).toMatchObject({
      above: null,
      outcome: 'refuse',
      rule: 'group.hosts',
      code: 'recipient_not_allowed',
      message: 'The policy group does not allow purchases from other.org.',
      next: { agent: 'Buy from api.example.com, or ask the owner to allow the host.' },
    })
    expect(check('api.example.com')).toBe(null)
    const judged = (host: string | null) => verdictsOf(rules, factsFor(host), {})
    expect(judged('api.example.com')).toMatchObject([
      {
        above: one,
        outcome: 'refuse',
        rule: 'group.hosts',
        code: 'payment_limit_exceeded',
        message: 'One purchase from api.example.com may cost at most 1.00 USDC.',
      },
    ])
    expect(judged('other.org'), 'reported once').toEqual([])
    // Other payments have no host.
    expect(check(null)).toBe(null)
    expect(judged(null)).toEqual([])
  })

  test('are stored in one form, whatever is typed @rules-39', () => {
    for (const [typed, stored] of [
      [' API.Example.com ', 'api.example.com'],
      ['*.Example.com', '*.example.com'],
      ['bücher.example', 'xn--bcher-kva.example'],
      ['*.bücher.example', '*.xn--bcher-kva.example'],
      ['api.example.com:443', 'api.example.com'],
      ['api.example.com:08443', 'api.example.com:8443'],
      ['localhost:4021', 'localhost:4021'],
      ['127.0.0.1:80', '127.0.0.1'],
    ])
      expect(normalHostPattern(typed!), typed).toBe(stored)
    for (const typed of [
      ...['', '*', '*.', '*.com', 'com', 'https://api.example.com', 'api.example.com/path', 'a..example.com'],
      ...['api.*.com', '**.example.com', 'api.example.com:', 'api.example.com:65536', 'api.example.com.', '10.0.0.1'],
      ...['user@example.com', '*.localhost', 'a b.com', '*.*.example.com'],
    ])
      expect(normalHostPattern(typed), typed).toBe(null)
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webAuthority(), host), (text) => {
        const stored = normalHostPattern(text)
        if (stored !== null) expect(normalHostPattern(stored)).toBe(stored)
      }),
    )
  })

  test('a request names the entry at fault @rules-40', () => {
    const problem = (value: unknown) => {
      const { error } = ruleFields.hosts.safeParse(value)
      return error ? ['hosts', ...error.issues[0]!.path].join('.') : null
    }
    const entry = (pattern: string, maxAmount?: string | null) => ({
      pattern,
      ...(maxAmount !== undefined && { maxAmount }),
    })
    expect(problem([entry('a.com'), entry('*.a.com', '1.5'), entry('b.com', null)])).toBe(null)
    expect(problem(null)).toBe(null)
    expect(problem([])).toBe('hosts')
    expect(problem(Array.from({ length: maxHosts + 1 }, (_, i) => entry(`a${i}.com`)))).toBe('hosts')
    expect(problem([entry('not a host')])).toBe('hosts.0.pattern')
    expect(problem([entry('a.com'), entry('b.com', '0')])).toBe('hosts.1.maxAmount')
    expect(problem([entry('a.com', '1.1234567')])).toBe('hosts.0.maxAmount')
    expect(problem([entry('a.com'), entry('b.com'), entry('A.com')]), 'listed twice').toBe('hosts.2.pattern')
    expect(problem([{ pattern: 'a.com', max: '1' }])).toBe('hosts.0')
    expect(ruleFields.hosts.parse([entry('A.com', '1.5'), entry('b.com')])).toEqual([
      { pattern: 'a.com', maxAmount: 1_500_000n },
      { pattern: 'b.com', maxAmount: null },
    ])
  })

  test('say in a sentence what may be bought @rules-41', () => {
    const say = { money: (amount: MicroUsdc) => `${amount / 1_000_000n} USDC`, moment: String }
    const words = (of: HostLimit[]) => hosts.words(of, say)
    const two = microUsdc(2_000_000n)
    expect(words([{ pattern: '*.example.com', maxAmount: null }])).toBe('Purchases only from *.example.com.')
    expect(
      words([
        { pattern: 'a.com', maxAmount: two },
        { pattern: 'b.com', maxAmount: null },
        { pattern: 'c.com', maxAmount: null },
      ]),
    ).toBe('Purchases only from a.com (at most 2 USDC each), b.com and c.com.')
  })
})
