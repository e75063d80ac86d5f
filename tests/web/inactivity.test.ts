import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { hourMs, minuteMs } from '#domain/time.ts'
import { watchInactivity } from '#web/lib/inactivity.ts'
import { storage, windowEvents } from './browser.ts'

const startAt = Date.parse('2026-11-20T08:00:00Z')

let events: ReturnType<typeof windowEvents>
const handlers = { onWarning: vi.fn(), onActiveElsewhere: vi.fn(), onLimit: vi.fn() }
let stop: () => void

beforeEach(() => {
  vi.useFakeTimers({ now: startAt })
  vi.clearAllMocks()
  vi.stubGlobal('localStorage', storage())
  events = windowEvents()
  stop = watchInactivity(handlers)
})
afterEach(() => {
  stop()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('twelve hours without activity end the session, with a warning two minutes before @inactivity-1', () => {
  vi.advanceTimersByTime(12 * hourMs - 2 * minuteMs - 1)
  expect(handlers.onWarning).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1_000)
  expect(handlers.onWarning).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(2 * minuteMs - 1_000)
  expect(handlers.onLimit).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1_000)
  expect(handlers.onLimit).toHaveBeenCalled()
})

test.each(['mousemove', 'keydown', 'scroll', 'touchstart'])('%s restarts the 12-hour limit @inactivity-2', (name) => {
  vi.advanceTimersByTime(11 * hourMs)
  events.fire(name)
  vi.advanceTimersByTime(11 * hourMs)
  expect(handlers.onWarning).not.toHaveBeenCalled()
  vi.advanceTimersByTime(hourMs)
  expect(handlers.onLimit).toHaveBeenCalled()
})

test('activity in another tab counts in this tab and closes its warning', () => {
  vi.advanceTimersByTime(12 * hourMs - minuteMs)
  expect(handlers.onWarning).toHaveBeenCalledTimes(1)
  localStorage.setItem('last_activity', String(Date.now()))
  vi.advanceTimersByTime(2 * minuteMs)
  expect(handlers.onActiveElsewhere).toHaveBeenCalledTimes(1)
  expect(handlers.onLimit).not.toHaveBeenCalled()
})

test('activity in this tab during the warning extends the session but leaves the warning open', () => {
  vi.advanceTimersByTime(12 * hourMs - minuteMs)
  events.fire('mousemove')
  vi.advanceTimersByTime(hourMs)
  expect(handlers.onActiveElsewhere).not.toHaveBeenCalled()
  expect(handlers.onLimit).not.toHaveBeenCalled()
})

test('warns again even if no check ran since the activity that followed the first warning', () => {
  vi.advanceTimersByTime(12 * hourMs - minuteMs)
  events.fire('mousemove')
  vi.setSystemTime(Date.now() + 12 * hourMs - minuteMs) // the machine slept
  vi.advanceTimersByTime(1_000)
  expect(handlers.onWarning).toHaveBeenCalledTimes(2)
})

test('a key press after the laptop slept past the limit does not extend the session', () => {
  vi.setSystemTime(startAt + 13 * hourMs) // the machine slept
  events.fire('keydown')
  expect(handlers.onLimit).toHaveBeenCalledTimes(1)
  expect(localStorage.getItem('last_activity')).toBe(String(startAt))
})

test('activity is stored at most every fifteen seconds', () => {
  const write = vi.spyOn(localStorage, 'setItem')
  for (let i = 0; i < 60; i++) {
    events.fire('mousemove')
    vi.advanceTimersByTime(500)
  }
  expect(write).toHaveBeenCalledTimes(2)
})
