import { expect, test } from 'vitest'
import { keyWarning, nextKeyWarningAt } from '#domain/sessionKey.ts'
import { dayMs, hourMs } from '#domain/time.ts'

test('a session key is announced 7 days and 1 day before its end, if it lives longer than that @screens-38', () => {
  const at = (days: number) => days * dayMs
  const month = { startedAt: 0, endsAt: at(30) }
  expect([22, 23, 28, 29, 29.9, 30, 31].map((day) => keyWarning(month, at(day)))).toEqual([
    null,
    7,
    7,
    1,
    1,
    null,
    null,
  ])
  expect([0, 23, 29].map((day) => nextKeyWarningAt(month, at(day)))).toEqual([at(23), at(29), null])
  const week = { startedAt: 0, endsAt: at(7) }
  expect([0, 3, 6].map((day) => keyWarning(week, at(day)))).toEqual([null, null, 1])
  expect(nextKeyWarningAt(week, 0)).toBe(at(6))
  const short = { startedAt: 0, endsAt: 20 * hourMs }
  expect([keyWarning(short, hourMs), nextKeyWarningAt(short, 0)]).toEqual([null, null])
})
