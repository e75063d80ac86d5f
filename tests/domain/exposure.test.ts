import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { budgetLeft } from '#domain/budgetLeft.ts'
import {
  accountExposure,
  canLeaveAfterRotation,
  exposureOf,
  providerDaily,
  type WalletPower,
} from '#domain/exposure.ts'
import { type MicroUsdc, microUsdc } from '#domain/money.ts'
import type { Budget } from '#domain/policy.ts'
import { noRules } from '#domain/rules/values.ts'
import type { Used } from '#domain/rules/windows.ts'

const amount = fc.bigInt({ min: 0n, max: 10n ** 15n }).map(microUsdc)
const group = fc.record({ active: fc.boolean(), left: fc.option(amount) })
const power: fc.Arbitrary<WalletPower> = fc.record({
  balance: amount,
  held: amount,
  sendsLeft: fc.option(amount),
  purchasesLeft: amount,
  inPayouts: amount,
  canRenew: fc.boolean(),
  groups: fc.array(group, { maxLength: 5 }),
})
const usdc = (whole: number): MicroUsdc => microUsdc(BigInt(whole) * 1_000_000n)
const createWallet = (over: Partial<WalletPower> = {}): WalletPower => ({
  balance: usdc(100),
  held: usdc(0),
  sendsLeft: usdc(40),
  purchasesLeft: usdc(0),
  inPayouts: usdc(0),
  canRenew: true,
  groups: [],
  ...over,
})

describe('the exposure of one wallet @exposure-1', () => {
  test('is the minimum of balance and what the session’s two parts have left, to one micro-USDC', () => {
    fc.assert(
      fc.property(power, (wallet) => {
        const { canLeave } = exposureOf(wallet)
        const { balance, sendsLeft, purchasesLeft } = wallet
        const bounds = [balance, ...(sendsLeft === null ? [] : [sendsLeft + purchasesLeft])]
        expect(bounds.every((bound) => canLeave <= bound)).toBe(true)
        expect(bounds.some((bound) => canLeave === bound)).toBe(true)
      }),
    )
  })

  test('the agents’ part never exceeds what can leave, what is free, or the sum of their budgets', () => {
    fc.assert(
      fc.property(power, (wallet) => {
        const { canSend, agents } = exposureOf(wallet)
        // Their payments are sends: what is set aside for purchases is not theirs.
        expect(canSend).toBe(exposureOf({ ...wallet, purchasesLeft: usdc(0) }).canLeave)
        expect(agents + wallet.held <= canSend || agents === 0n).toBe(true)
        const active = wallet.groups.filter((one) => one.active)
        const limits = active.map(({ left }) => left)
        if (limits.every((left) => left !== null)) {
          const sum = limits.reduce<bigint>((total, left) => total + left!, 0n)
          expect(agents <= sum).toBe(true)
          // It is not too low either: it equals one of the two bounds.
          const free = canSend > wallet.held ? canSend - wallet.held : 0n
          expect(agents === sum || agents === free).toBe(true)
        }
        if (active.length === 0) expect(agents).toBe(0n)
      }),
    )
  })

  test('a larger balance, session or budget never lowers the exposure', () => {
    fc.assert(
      fc.property(power, amount, (wallet, more) => {
        const now = exposureOf(wallet)
        const richer = exposureOf({ ...wallet, balance: microUsdc(wallet.balance + more) })
        expect(richer.canLeave >= now.canLeave && richer.agents >= now.agents).toBe(true)
        const sendsLeft = wallet.sendsLeft === null ? null : microUsdc(wallet.sendsLeft + more)
        const purchasesLeft = microUsdc(wallet.purchasesLeft + more)
        for (const larger of [{ sendsLeft }, { purchasesLeft }])
          expect(exposureOf({ ...wallet, ...larger }).canLeave >= now.canLeave).toBe(true)
        const unlimited = wallet.groups.map((one) => ({ ...one, left: null }))
        expect(exposureOf({ ...wallet, groups: unlimited }).agents >= now.agents).toBe(true)
      }),
    )
  })

  test.each([
    ['a session smaller than the balance', createWallet(), '40', '0'],
    ['a balance smaller than the session', createWallet({ balance: usdc(7) }), '7', '0'],
    ['no valid session', createWallet({ sendsLeft: usdc(0) }), '0', '0'],
    ['an imported wallet', createWallet({ sendsLeft: null }), '100', '0'],
    ['a budget inside the session', createWallet({ groups: [{ active: true, left: usdc(12) }] }), '40', '12'],
    ['a paused group', createWallet({ groups: [{ active: false, left: null }] }), '40', '0'],
    [
      'a group without a limit and pending payments',
      createWallet({ held: usdc(15), groups: [{ active: true, left: null }] }),
      '40',
      '25',
    ],
    [
      'a part set aside for purchases',
      createWallet({ purchasesLeft: usdc(16), groups: [{ active: true, left: null }] }),
      '56',
      '40',
    ],
    [
      'more set aside than the balance has',
      createWallet({ purchasesLeft: usdc(90), groups: [{ active: true, left: null }] }),
      '100',
      '40',
    ],
  ])('exposure with %s', (_, wallet, canLeave, agents) => {
    expect(exposureOf(wallet)).toMatchObject({ canLeave: usdc(Number(canLeave)), agents: usdc(Number(agents)) })
  })
})

describe('the remaining budget of a group @exposure-2', () => {
  const budget = fc.record({ limit: fc.option(amount), spent: amount, held: amount })
  const daily = fc.option(fc.record({ limit: amount, used: amount }))
  const left = (total: Budget, day: { limit: MicroUsdc; used: bigint } | null) => {
    const rules = { ...noRules, periodBudget: day && { period: 'day' as const, limit: day.limit } }
    const used: Record<string, Used> = day ? { periodBudget: { used: day.used, startsAt: 0, resetsAt: 1 } } : {}
    return budgetLeft({ budget: total, rules, unclaimed: usdc(0) }, 0, used)
  }

  test('is the minimum of the total and the period budget', () => {
    fc.assert(
      fc.property(budget, daily, (total, day) => {
        const bounds = [left(total, null), left({ ...total, limit: null }, day)].filter((bound) => bound !== null)
        for (const bound of bounds) expect(left(total, day)! <= bound).toBe(true)
        expect(bounds.length === 0 ? [null] : bounds).toContain(left(total, day))
      }),
    )
  })

  test('is not limited by what limits a single payment', () => {
    const none = { limit: null, spent: usdc(0), held: usdc(0) }
    const rules = { ...noRules, maxPayment: usdc(1), approveAbove: usdc(1) }
    expect(budgetLeft({ budget: none, rules, unclaimed: usdc(0) }, 0, {})).toBe(null)
  })
})

describe('the exposure of an account @exposure-3', () => {
  test('is the sum of its wallets, in any order', () => {
    fc.assert(
      fc.property(fc.array(power, { maxLength: 6 }), (wallets) => {
        const all = wallets.map(exposureOf)
        const sum = accountExposure(all)!
        expect(sum.canLeave).toBe(all.reduce((total, one) => total + one.canLeave, 0n))
        expect(sum.canSend).toBe(all.reduce((total, one) => total + one.canSend, 0n))
        expect(sum.inPayouts).toBe(all.reduce((total, one) => total + one.inPayouts, 0n))
        expect(sum.agents <= sum.canLeave).toBe(true)
        expect(sum.canRenew).toBe(all.some((one) => one.canRenew))
        expect(accountExposure([...all].reverse())).toEqual(sum)
      }),
    )
  })

  test('is unknown if the exposure of one wallet is unknown', () => {
    expect(accountExposure([exposureOf(createWallet()), null])).toBeNull()
    expect(accountExposure([])).toMatchObject({ canLeave: 0n, canRenew: false })
  })
})

test('after a rotation the exposure is the lower of new limit and balance, and the Provider’s daily cap is 10,000 USDC @exposure-4', () => {
  expect(canLeaveAfterRotation(usdc(100), usdc(1000))).toBe(usdc(100))
  expect(canLeaveAfterRotation(usdc(100), usdc(1))).toBe(usdc(1))
  expect(providerDaily).toBe(usdc(10_000))
})
