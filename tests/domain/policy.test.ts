import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decideRecipient, type RecipientCheck } from '#domain/decideRecipient.ts'
import { type MicroUsdc, microUsdc, zeroUsdc } from '#domain/money.ts'
import { minPayout } from '#domain/payment.ts'
import {
  decideAmount,
  type GroupPolicy,
  mostAllowed,
  type PaymentKind,
  remainingOf,
  type WalletFunds,
} from '#domain/policy.ts'
import { periodAt, periods } from '#domain/policyPeriod.ts'
import type { Figures } from '#domain/refusal.ts'
import { normalDomain } from '#domain/rules/emailDomains.ts'
import { normalCallingCode } from '#domain/rules/phoneCodes.ts'
import { noRules, type RuleValues } from '#domain/rules/values.ts'
import { addTo, usedOf } from '#domain/rules/windows.ts'
import { allScopes, scopeFor, visibleScopes } from '#domain/scopes.ts'

const amount = fc.bigInt({ min: 0n, max: 10_000_000_000n }).map(microUsdc)
const budget = fc.record({ limit: fc.option(amount), spent: amount, held: amount })
const now = 1_000_000
const funds: fc.Arbitrary<WalletFunds> = fc.record({
  available: amount,
  status: fc.constant('active' as const),
  halted: fc.constant(false),
  paused: fc.constant(false),
  session: fc.record({
    limit: amount,
    spent: amount,
    held: amount,
    validUntil: fc.integer({ min: now, max: now * 2 }),
  }),
})
const period = fc.record({ period: fc.constantFrom(...periods), limit: amount })
const base = { name: 'G', scopes: [...allScopes], paused: false, agentPaused: false, accountPaused: false }
const group: fc.Arbitrary<GroupPolicy> = fc
  .record({
    budget,
    unclaimed: amount,
    maxPayment: fc.option(amount),
    periodBudget: fc.option(period),
    maxUnclaimed: fc.option(amount),
  })
  .map(({ budget, unclaimed, ...rules }) => ({ ...base, budget, unclaimed, rules: { ...noRules, ...rules } }))
const open: GroupPolicy = {
  ...base,
  budget: { limit: null, spent: zeroUsdc, held: zeroUsdc },
  unclaimed: zeroUsdc,
  rules: noRules,
}
const withRules = (rules: Partial<RuleValues>): GroupPolicy => ({ ...open, rules: { ...noRules, ...rules } })
/** An active wallet whose session may spend all of it. */
const walletWith = (available: MicroUsdc, validUntil: number): WalletFunds => ({
  available,
  status: 'active',
  halted: false,
  paused: false,
  session: { limit: available, spent: zeroUsdc, held: zeroUsdc, validUntil },
})
const kind: fc.Arbitrary<PaymentKind> = fc.record({
  isPayout: fc.boolean(),
  amount: fc.constant(null),
  at: fc.constant(now),
  recipient: fc.constant(null),
  used: amount.map((used) => ({ periodBudget: { used, startsAt: 0, resetsAt: now * 2 } })),
})
const usd = 1_000_000n
const usdc = (dollars: number) => microUsdc(BigInt(dollars) * usd)
const send: PaymentKind = { isPayout: false, amount: null, at: now, recipient: null, used: {} }
const maxAllowedNow = (...args: Parameters<typeof mostAllowed>) => mostAllowed(...args).now
const more = (value: bigint) => microUsdc(value + 1n)

describe('decideAmount', () => {
  test('allows exactly maxAllowedNow and refuses one micro-USDC more', () => {
    fc.assert(
      fc.property(fc.option(group), funds, kind, (policy, wallet, how) => {
        const most = maxAllowedNow(policy, wallet, now, how)
        expect(decideAmount(policy, wallet, most, now, how).ok).toBe(true)
        // An amount below the smallest payout counts as zero.
        if (!how.isPayout || most > 0n) expect(decideAmount(policy, wallet, more(most), now, how).ok).toBe(false)
        else expect(decideAmount(policy, wallet, minPayout, now, how).ok).toBe(false)
      }),
    )
  })

  test('a refusal names every limit in the way, so that lifting one does not lead to the next @policy-30', () => {
    const policy = { ...withRules({ maxPayment: usdc(5) }), budget: { limit: usdc(9), spent: usdc(0), held: usdc(0) } }
    const decision = decideAmount(policy, walletWith(usdc(8), now), usdc(10), now, send)
    expect(decision).toMatchObject({
      refusal: {
        rule: 'group.max_payment',
        message:
          "One payment may be at most 5.00 USDC. The group's budget has 9.00 USDC left. The wallet's session key has 8.00 USDC left. Insufficient balance: the wallet has 8.00 USDC available.",
        next: { owner: 'Send less, or change every limit that is named.' },
      },
    })
    expect(decideAmount(policy, walletWith(usdc(8), now), usdc(6), now, send)).toMatchObject({
      refusal: { message: 'One payment may be at most 5.00 USDC.' },
    })
  })

  test('I3: an allowed payment never exceeds any limit @policy-23', () => {
    fc.assert(
      fc.property(group, funds, amount, kind, (policy, wallet, wanted, how) => {
        if (wanted === 0n || !decideAmount(policy, wallet, wanted, now, how).ok) return
        const { budget: total, unclaimed } = policy
        const { maxPayment, periodBudget: per, maxUnclaimed } = policy.rules
        if (total.limit !== null) expect(total.spent + total.held + wanted).toBeLessThanOrEqual(total.limit)
        if (maxPayment !== null) expect(wanted).toBeLessThanOrEqual(maxPayment)
        if (per) expect(how.used.periodBudget!.used + wanted).toBeLessThanOrEqual(per.limit)
        if (how.isPayout && maxUnclaimed !== null) expect(unclaimed + wanted).toBeLessThanOrEqual(maxUnclaimed)
        expect(wanted).toBeLessThanOrEqual(wallet.available)
      }),
    )
  })

  test('a refusal says how much is left, and a payment of that amount is allowed', () => {
    fc.assert(
      fc.property(group, funds, amount, kind, (policy, wallet, wanted, how) => {
        const decision = decideAmount(policy, wallet, wanted, now, how)
        if (decision.ok) return
        const { maxAllowedNow, resetsAt, rule } = decision.refusal
        const figures = decision.refusal.figures as Exclude<Figures, { count: unknown }> | null
        expect(maxAllowedNow).toBeLessThan(wanted)
        expect(decideAmount(policy, wallet, maxAllowedNow, now, how).ok).toBe(true)
        if (figures?.limit != null && figures.limit >= figures.spent + figures.held)
          expect(figures.spent + figures.held + figures.remaining!, 'figures add up').toBe(figures.limit)
        if (rule === 'group.budget') expect(figures?.remaining).toBe(remainingOf(policy.budget))
        expect(resetsAt !== null, 'only a period resets').toBe(rule.startsWith('group.budget_per_'))
      }),
    )
  })

  test('a period’s budget is full again when the period ends, not a millisecond earlier @policy-24', () => {
    const at = Date.UTC(2026, 10, 20, 12)
    const wallet = walletWith(microUsdc(100n), at * 2)
    for (const each of periods) {
      const { startAt, endAt } = periodAt(each, at)
      const policy = withRules({ periodBudget: { period: each, limit: microUsdc(10n) } })
      const ring = addTo(each, null, at, 10n)
      const decide = (when: number) =>
        decideAmount(policy, wallet, microUsdc(1n), at, {
          ...send,
          at: when,
          used: { periodBudget: usedOf(each, ring, when) },
        })
      expect(decide(endAt - 1)).toMatchObject({ refusal: { rule: `group.budget_per_${each}`, resetsAt: endAt } })
      expect(decide(endAt)).toEqual({ ok: true })
      expect(decide(startAt - 1), 'a clock that went back').toMatchObject({ refusal: { resetsAt: endAt } })
    }
  })

  test('a limit for unclaimed payouts does not apply to a send', () => {
    const policy = { ...withRules({ maxUnclaimed: microUsdc(5n) }), unclaimed: microUsdc(5n) }
    fc.assert(
      fc.property(funds, amount, (wallet, wanted) => {
        expect(decideAmount(policy, wallet, wanted, now, send)).toEqual(decideAmount(null, wallet, wanted, now, send))
        if (wanted > 0n) expect(decideAmount(policy, wallet, wanted, now, { ...send, isPayout: true }).ok).toBe(false)
      }),
    )
  })

  test('a session is valid up to and including its last millisecond', () => {
    const wallet = walletWith(microUsdc(10n), now)
    expect(decideAmount(null, wallet, microUsdc(1n), now, send).ok).toBe(true)
    expect(decideAmount(null, wallet, microUsdc(1n), now + 1, send)).toMatchObject({
      refusal: { code: 'session_key_expired' },
    })
  })

  test.each([{ status: 'deploying' }, { status: 'failed' }, { halted: true }, { paused: true }] as const)(
    'refuses any payment from a wallet with %o',
    (state) => {
      fc.assert(
        fc.property(funds, (wallet) => {
          const stopped = { ...wallet, ...state } as WalletFunds
          expect(decideAmount(null, stopped, microUsdc(1n), now, send)).toMatchObject({
            refusal: { code: 'wallet_not_ready' },
          })
          expect(maxAllowedNow(null, stopped, now, send)).toBe(0n)
        }),
      )
    },
  )
})

const nowhere = { address: null, email: null, phone: null }
function to(type: 'address' | 'email' | 'phone' | 'contact'): RecipientCheck {
  if (type === 'contact') return { ...nowhere, type, whitelisted: true, stale: false, hasMethod: true }
  return {
    ...nowhere,
    type,
    email: type === 'email' ? 'a@example.com' : null,
    phone: type === 'phone' ? '+4915112345678' : null,
  }
}

describe('decideRecipient', () => {
  test('default deny: every recipient type is refused without its scope, whatever else is allowed @policy-25', () => {
    fc.assert(
      fc.property(
        fc.subarray([...visibleScopes]),
        fc.constantFrom('address', 'email', 'phone', 'contact' as const),
        (scopes, type) => {
          const decision = decideRecipient({ ...open, scopes }, to(type))
          expect(decision.ok).toBe(scopes.includes(scopeFor[type]))
        },
      ),
    )
  })

  test('A13: a contact that changed after it was whitelisted is not paid', () => {
    const contact = { ...nowhere, type: 'contact' as const, whitelisted: true, stale: true, hasMethod: true }
    expect(decideRecipient(open, contact)).toMatchObject({ refusal: { code: 'contact_changed' } })
    expect(decideRecipient(open, { ...contact, stale: false })).toMatchObject({ ok: true })
    expect(decideRecipient(open, { ...contact, stale: false, whitelisted: false })).toMatchObject({
      refusal: { code: 'recipient_not_allowed' },
    })
  })

  test.each(['paused', 'agentPaused', 'accountPaused'] as const)('%s stops payments of every type', (pause) => {
    for (const type of ['address', 'email', 'phone'] as const)
      expect(decideRecipient({ ...open, [pause]: true }, to(type))).toMatchObject({
        refusal: { code: 'agent_disabled' },
      })
  })

  const ada = { ...nowhere, email: 'Ada@Example.com' }
  const grace = { ...nowhere, phone: '+4915112345678' }
  test('email domains apply to every payout by email, including whitelisted contacts @policy-26', () => {
    const policy = withRules({ emailDomains: ['example.com'] })
    const refused = { refusal: { code: 'recipient_not_allowed', rule: 'group.email_domains' } }
    const contact = { type: 'contact' as const, whitelisted: true, stale: false, hasMethod: true }
    expect(decideRecipient(policy, { type: 'email', ...ada })).toEqual({ ok: true })
    for (const email of ['a@sub.example.com', 'a@example.com.evil.org', 'a@notexample.com', 'a@example.com.', 'x', ''])
      expect(decideRecipient(policy, { ...nowhere, type: 'email', email }), email).toMatchObject(refused)
    expect(decideRecipient(policy, { ...nowhere, type: 'email' }), 'unknown').toMatchObject(refused)
    expect(decideRecipient(policy, { ...contact, ...ada })).toEqual({ ok: true })
    expect(decideRecipient(policy, { ...contact, ...ada, email: 'a@other.org' })).toMatchObject(refused)
    expect(decideRecipient(policy, { ...contact, ...nowhere }), 'paid at its address').toEqual({ ok: true })
    expect(decideRecipient(policy, { type: 'phone', ...grace }), 'another way').toEqual({ ok: true })
  })

  test('country codes apply to every payout by SMS, and each code matches only its own numbers @policy-27', () => {
    const policy = withRules({ phoneCodes: ['+49', '+1'] })
    expect(decideRecipient(policy, { type: 'phone', ...grace })).toEqual({ ok: true })
    expect(decideRecipient(policy, { ...nowhere, type: 'phone', phone: '+14155550123' })).toEqual({ ok: true })
    for (const phone of ['+4315112345678', '+35812345678', '+79123456789', null])
      expect(decideRecipient(policy, { ...nowhere, type: 'phone', phone }), `${phone}`).toMatchObject({
        refusal: { code: 'recipient_not_allowed', rule: 'group.phone_codes' },
      })
  })
})

describe('normalizing domains and codes', () => {
  test.each([
    ['@Example.COM ', 'example.com'],
    ['München.de', 'xn--mnchen-3ya.de'],
    ['mail.a-b.co.uk', 'mail.a-b.co.uk'],
    ['example', null],
    ['a@example.com', null],
    ['*.example.com', null],
    ['-a.com', null],
    ['a..com', null],
    ['', null],
  ])('domain %j is normalized to %j', (text, domain) => expect(normalDomain(text)).toBe(domain))

  test.each([
    ['+49', '+49'],
    ['0049', '+49'],
    ['1', '+1'],
    ['+358', '+358'],
    ['+4', null],
    ['+491', null],
    ['+0', null],
    ['', null],
    ['+12', null],
  ])('country code %j is normalized to %j', (text, code) => expect(normalCallingCode(text)).toBe(code))
})

describe('periods', () => {
  test('every instant is in exactly one window of each kind, and windows are contiguous @policy-28', () => {
    fc.assert(
      fc.property(fc.constantFrom(...periods), fc.integer({ min: 0, max: 4_102_444_800_000 }), (each, at) => {
        const { startAt, endAt } = periodAt(each, at)
        expect(startAt <= at && at < endAt).toBe(true)
        expect(periodAt(each, startAt)).toEqual({ startAt, endAt })
        expect(periodAt(each, endAt - 1)).toEqual({ startAt, endAt })
        expect(periodAt(each, endAt).startAt).toBe(endAt)
        const begin = new Date(startAt)
        expect([begin.getUTCHours(), begin.getUTCMinutes(), begin.getUTCMilliseconds()]).toEqual([0, 0, 0])
        if (each === 'week') expect(begin.getUTCDay(), 'Monday').toBe(1)
        if (each === 'month') expect(begin.getUTCDate()).toBe(1)
      }),
    )
  })
})
