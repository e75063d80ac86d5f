import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { microUsdc } from '../../worker/domain/money.ts'
import {
  decideAmount,
  decideRecipient,
  type GroupPolicy,
  mostAllowedNow,
  remainingOf,
  type WalletFunds,
} from '../../worker/domain/policy.ts'
import { allScopes, scopeFor, visibleScopes } from '../../worker/domain/scopes.ts'

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
const group = budget.map(
  (own): GroupPolicy => ({
    name: 'G',
    budget: own,
    scopes: [...allScopes],
    paused: false,
    agentPaused: false,
    accountPaused: false,
  }),
)

describe('decideAmount', () => {
  test('allows exactly what mostAllowedNow says, and one micro-USDC more is refused', () => {
    fc.assert(
      fc.property(fc.option(group), funds, (policy, wallet) => {
        const most = mostAllowedNow(policy, wallet)
        expect(decideAmount(policy, wallet, most, now).ok).toBe(true)
        expect(decideAmount(policy, wallet, microUsdc(most + 1n), now).ok).toBe(false)
      }),
    )
  })

  test('I3: what is allowed never takes spent + held above the limit', () => {
    fc.assert(
      fc.property(group, funds, amount, (policy, wallet, wanted) => {
        if (!decideAmount(policy, wallet, wanted, now).ok || policy.budget.limit === null) return
        expect(policy.budget.spent + policy.budget.held + wanted <= policy.budget.limit || wanted === 0n).toBe(true)
        expect(wanted).toBeLessThanOrEqual(wallet.available)
      }),
    )
  })

  test('a refusal carries what is left, and no more than that may be tried next', () => {
    fc.assert(
      fc.property(group, funds, amount, (policy, wallet, wanted) => {
        const decision = decideAmount(policy, wallet, wanted, now)
        if (decision.ok) return
        expect(decision.refusal.maxAllowedNow).toBeLessThan(wanted)
        expect(decideAmount(policy, wallet, decision.refusal.maxAllowedNow, now).ok).toBe(true)
        if (decision.refusal.code === 'budget_exceeded')
          expect(decision.refusal.figures?.remaining).toBe(remainingOf(policy.budget))
      }),
    )
  })

  test('the last millisecond of a session counts, the next does not', () => {
    const wallet: WalletFunds = {
      available: microUsdc(10n),
      status: 'active',
      halted: false,
      paused: false,
      session: { limit: microUsdc(10n), spent: microUsdc(0n), held: microUsdc(0n), validUntil: now },
    }
    expect(decideAmount(null, wallet, microUsdc(1n), now).ok).toBe(true)
    expect(decideAmount(null, wallet, microUsdc(1n), now + 1)).toMatchObject({
      refusal: { code: 'session_key_expired' },
    })
  })

  test.each([{ status: 'deploying' }, { status: 'failed' }, { halted: true }, { paused: true }] as const)(
    'nothing leaves a wallet that is %o',
    (state) => {
      fc.assert(
        fc.property(funds, (wallet) => {
          const decision = decideAmount(null, { ...wallet, ...state } as WalletFunds, microUsdc(1n), now)
          expect(decision).toMatchObject({ refusal: { code: 'wallet_not_ready' } })
        }),
      )
    },
  )
})

describe('decideRecipient', () => {
  const open: GroupPolicy = {
    name: 'G',
    budget: { limit: null, spent: microUsdc(0n), held: microUsdc(0n) },
    scopes: [...allScopes],
    paused: false,
    agentPaused: false,
    accountPaused: false,
  }

  test('default deny: without its scope every type is refused, whatever else is allowed', () => {
    fc.assert(
      fc.property(
        fc.subarray([...visibleScopes]),
        fc.constantFrom('address', 'email', 'phone', 'contact' as const),
        (scopes, type) => {
          const recipient = type === 'contact' ? { type, whitelisted: true, stale: false, hasMethod: true } : { type }
          const decision = decideRecipient({ ...open, scopes }, recipient as never)
          expect(decision.ok).toBe(scopes.includes(scopeFor[type]))
        },
      ),
    )
  })

  test('A13: a contact that changed since it was whitelisted is not paid', () => {
    const contact = { type: 'contact' as const, whitelisted: true, stale: true, hasMethod: true }
    expect(decideRecipient(open, contact)).toMatchObject({ refusal: { code: 'contact_changed' } })
    expect(decideRecipient(open, { ...contact, stale: false })).toMatchObject({ ok: true })
    expect(decideRecipient(open, { ...contact, stale: false, whitelisted: false })).toMatchObject({
      refusal: { code: 'recipient_not_allowed' },
    })
  })

  test.each(['paused', 'agentPaused', 'accountPaused'] as const)('%s stops every type', (pause) => {
    for (const type of ['address', 'email', 'phone'] as const)
      expect(decideRecipient({ ...open, [pause]: true }, { type })).toMatchObject({
        refusal: { code: 'agent_disabled' },
      })
  })
})
