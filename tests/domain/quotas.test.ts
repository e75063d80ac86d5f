import { expect, test } from 'vitest'
import { consumeQuota, Quota, quotaExceeded, quotaFor, requireQuota } from '../../worker/services/quotas.ts'

const refused = (call: () => void): { code: string; retryAfter: number } | null => {
  try {
    call()
    return null
  } catch (error) {
    return error as { code: string; retryAfter: number }
  }
}

test('a key may use its whole quota at once, then as fast as it refills @quotas-1', () => {
  const quota = new Quota('test', 100, 10_000)
  const use = (now: number) => refused(() => consumeQuota(quota, 'key', now))
  for (let i = 0; i < 100; i++) expect(use(0), `call ${i + 1}`).toBeNull()
  expect(use(0)).toMatchObject({ code: 'rate_limited', retryAfter: 1 })
  expect(refused(() => requireQuota(quota, 'key', 99))).toMatchObject({ code: 'rate_limited' })
  expect(
    refused(() => requireQuota(quota, 'key', 100)),
    'looking takes nothing',
  ).toBeNull()
  expect(use(100)).toBeNull()
  expect(use(150)).toMatchObject({ code: 'rate_limited' })
  expect(use(50), 'a clock that goes back').toMatchObject({ code: 'rate_limited' })
  for (let i = 0; i < 100; i++) expect(use(10_100)).toBeNull()
  expect(use(10_100)).not.toBeNull()
  expect(
    refused(() => consumeQuota(quota, 'other', 10_100)),
    'others are not affected',
  ).toBeNull()
})

test('a call may count as several, and is refused unless all of them are left @quotas-2', () => {
  const quota = new Quota('test', 10, 10_000)
  expect([quota.take('key', 0, 5), quota.take('key', 0, 4)]).toEqual([5, 1])
  expect(quota.take('key', 0, 5)).toBe(-1)
  expect(quotaExceeded(quota, 'key', 0, 5)).toMatchObject({ code: 'rate_limited', retryAfter: 4 })
  expect(quota.take('key', 0)).toBe(0)
})

test('keys of strangers do not make a quota forget the one in use @quotas-3', () => {
  const quota = new Quota('test', 5, 60_000)
  for (let i = 0; i < 5; i++) quota.take('guesser', 0)
  for (let i = 0; i < 60_000; i++) {
    quota.take(`address ${i}`, 1)
    if (i % 10_000 === 0) expect(quota.take('guesser', 1), `after ${i} others`).toBe(-1)
  }
  expect(quota.size).toBeLessThanOrEqual(50_000)
  quota.take('later', 60_001)
  expect(quota.size, 'quotas that are full again are forgotten').toBe(1)
})

test('a quota whose setting changes starts over, and one that stays keeps its counts', () => {
  const quota = quotaFor('named', 2, 10_000)
  quota.take('key', 0)
  expect(quotaFor('named', 2, 10_000).take('key', 0)).toBe(0)
  expect(quotaFor('named', 3, 10_000).take('key', 0)).toBe(2)
})
