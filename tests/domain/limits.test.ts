import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dayEndsAt, gasLeft, levelAt, paymentGas, stepGas, utcDay } from '#domain/gasAllowance.ts'
import { type Bucket, defaultLimits, parseLimits, takeTokens, withLimits } from '#domain/limits.ts'
import { microUsdc, usdcSetting, zeroUsdc } from '#domain/money.ts'
import { dayMs } from '#domain/time.ts'

describe('a token bucket', () => {
  const rate = { perSecond: 5, burst: 200 }
  /** Takes a token for each of `calls` at `now`; returns how many passed. */
  const takeMany = (start: Bucket | null, calls: number, now: number) => {
    let bucket = start
    let passed = 0
    for (let i = 0; i < calls; i++) {
      const taken = takeTokens(bucket, rate, now)
      if (!taken.ok) continue
      bucket = taken.bucket
      passed += 1
    }
    return { bucket, passed }
  }

  test('admits the burst, then the rate, and returns the wait', () => {
    const { bucket, passed } = takeMany(null, 201, 0)
    expect(passed).toBe(200)
    expect(takeTokens(bucket, rate, 0)).toEqual({ ok: false, waitMs: 200 })
    expect(takeTokens(bucket, rate, 199)).toMatchObject({ ok: false })
    expect(takeTokens(bucket, rate, 200)).toMatchObject({ ok: true })
    expect(takeMany(bucket, 100, 10_000).passed).toBe(50)
  })

  test('admits in any window at most the burst plus its share of the rate', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 300 }), (gaps) => {
        let now = 0
        let bucket: Bucket | null = null
        let passed = 0
        for (const gap of gaps) {
          now += gap
          const taken = takeTokens(bucket, rate, now)
          if (!taken.ok) continue
          bucket = taken.bucket
          passed += 1
        }
        const elapsed = now - gaps[0]!
        expect(passed).toBeLessThanOrEqual(rate.burst + Math.floor((elapsed * rate.perSecond) / 1000) + 1)
      }),
    )
  })

  test('refills each second only once if the clock goes back and forth', () => {
    const empty = takeMany(null, 200, 100_000).bucket
    const back = takeTokens(empty, rate, 50_000)
    expect(back).toEqual({ ok: false, waitMs: 50_200 })
    expect(takeMany(empty, 100, 101_000).passed).toBe(5)
  })
})

describe('the gas allowance', () => {
  const limits = withLimits()
  const now = Date.UTC(2026, 10, 20, 12)

  test('starts at 20 M and doubles after a day with 1 USDC confirmed and no failure, up to 200 M', () => {
    let level = levelAt(null, limits, now)
    const allowances: number[] = []
    for (let day = 1; day <= 6; day++) {
      level = levelAt({ ...level, confirmed: usdcSetting(1) }, limits, now + day * dayMs)
      allowances.push(level.allowance / 1e6)
    }
    expect(allowances).toEqual([40, 80, 160, 200, 200, 200])
  })

  test('stays the same after a day without a payment or with a failure', () => {
    const level = { allowance: 40e6, day: utcDay(now), confirmed: zeroUsdc, failed: false }
    expect(levelAt(level, limits, now + dayMs).allowance).toBe(40e6)
    expect(levelAt({ ...level, confirmed: usdcSetting(1), failed: true }, limits, now + dayMs).allowance).toBe(40e6)
    expect(levelAt({ ...level, confirmed: microUsdc(999_999n) }, limits, now + dayMs).allowance, 'dust').toBe(40e6)
    expect(
      levelAt({ ...level, confirmed: usdcSetting(1) }, limits, now - dayMs),
      'a clock that went back',
    ).toMatchObject({
      day: level.day,
    })
  })

  test('lets one agent use 40%, all agents together 80%, and the owner all of it', () => {
    const level = levelAt(null, limits, now)
    const left = (owner: number, agents: Record<string, number>, agentId: string | null) =>
      gasLeft(level, { owner, agents }, limits, agentId) / 1e6
    expect(left(0, {}, 'a')).toBe(8)
    expect(left(0, { a: 8e6 }, 'a')).toBe(0)
    expect(left(0, { a: 8e6 }, 'b')).toBe(8)
    expect(left(0, { a: 8e6, b: 8e6 }, 'c'), 'the last 20% is the owner’s').toBe(0)
    expect(left(0, { a: 8e6, b: 8e6 }, null)).toBe(4)
    expect(left(4e6, { a: 8e6 }, 'b'), 'the owner’s use counts against the owner’s part first').toBe(8)
    expect(left(16e6, {}, 'a')).toBe(4)
  })

  test('no order of reservations exceeds the allowance, an agent’s share or the owner’s part', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ who: fc.constantFrom('a', 'b', 'c', null), gas: fc.integer({ min: 1, max: 300_000 }) }), {
          maxLength: 400,
        }),
        (requests) => {
          const level = levelAt(null, limits, now)
          const use = { owner: 0, agents: {} as Record<string, number> }
          for (const { who, gas } of requests) {
            if (gas > gasLeft(level, use, limits, who)) continue
            if (who === null) use.owner += gas
            else use.agents[who] = (use.agents[who] ?? 0) + gas
          }
          const byAgents = Object.values(use.agents).reduce((sum, gas) => sum + gas, 0)
          expect(use.owner + byAgents).toBeLessThanOrEqual(level.allowance)
          expect(byAgents).toBeLessThanOrEqual(level.allowance * 0.8)
          for (const gas of Object.values(use.agents)) expect(gas).toBeLessThanOrEqual(level.allowance * 0.4)
        },
      ),
    )
  })

  test('a payout’s estimate covers its funding, its announcement and the more expensive of claim and reclaim', () => {
    expect(paymentGas(true)).toBe(stepGas.send + stepGas.announce + stepGas.claim)
    expect(dayEndsAt(now)).toBe(Date.UTC(2026, 10, 21))
  })
})

describe('limit settings', () => {
  test('given fields replace the defaults', () => {
    expect(withLimits(parseLimits('{"emailsPerDay":3}'))).toEqual({ ...defaultLimits, emailsPerDay: 3 })
    expect(parseLimits('')).toEqual({})
  })

  test.each(['{"emailPerDay":3}', '{"emailsPerDay":"3"}', '{"emailsPerDay":-1}', '[1]', 'x', '{"toString":1}'])(
    'refuses %s',
    (text) => {
      expect(() => parseLimits(text)).toThrow()
    },
  )
})
