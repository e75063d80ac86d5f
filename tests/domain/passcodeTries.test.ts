import { expect, test } from 'vitest'
import { attemptAllowed, maxTries, newCodeAt, waitText } from '#domain/attempts.ts'
import { dayMs, hourMs, minuteMs } from '#domain/time.ts'

const now = Date.UTC(2026, 10, 22)

test.each([
  // Codes sent so far, tries allowed per payout, time at which the next code is due.
  [{ count: 0, lastAt: 0 }, 60, now],
  [{ count: 1, lastAt: now - hourMs }, 60, now + 23 * hourMs],
  [{ count: 1, lastAt: now - 25 * hourMs }, 60, now],
  [{ count: 2, lastAt: 0 }, 60, null],
  [{ count: 0, lastAt: 0 }, 40, now],
  [{ count: 0, lastAt: 0 }, 39, null],
  [{ count: 0, lastAt: 0 }, 0, null],
])('after 20 wrong codes, %j sent and at most %i tries, the next code is due at %s', (sent, maxPerPayout, dueAt) => {
  expect(newCodeAt(sent, maxPerPayout, now)).toBe(dueAt)
})

test('the message for a used-up code says when a new one is sent, or who can renew it', () => {
  const usedUp = { total: maxTries, recent: 0, lockedUntil: 0 }
  const says = (dueAt: number | null) => attemptAllowed(usedUp, now, dueAt)
  expect(says(null)).toEqual({
    ok: false,
    message: 'Too many attempts. Ask the sender for a new code.',
    retryAfter: null,
  })
  expect(says(now)).toMatchObject({ message: 'Too many attempts: a code allows 20. A new one is on its way.' })
  expect(says(now + hourMs)).toEqual({
    ok: false,
    message: 'Too many attempts: a code allows 20. A new one will be sent in 60 minutes.',
    retryAfter: 3600,
  })
  expect(attemptAllowed({ ...usedUp, total: maxTries - 1 }, now, null)).toEqual({ ok: true })
})

test.each([
  [1, '1 minute'],
  [60_000, '1 minute'],
  [60_001, '2 minutes'],
  [2 * hourMs - minuteMs, '119 minutes'],
  [2 * hourMs, '2 hours'],
  [dayMs, '24 hours'],
])('waitText shows %i ms as %s', (ms, text) => {
  expect(waitText(ms)).toBe(text)
})
