import { beforeEach, expect, test, vi } from 'vitest'
import { minuteMs } from '#domain/time.ts'
import { keepPathAfterSignup } from '#web/lib/keepPathAfterSignup.ts'
import { forgetPathAfterSignup, pathAfterSignup } from '#web/lib/pathAfterSignup.ts'
import { storage } from './browser.ts'

const request = '/dashboard/connect/con_1?from=app'
const openWith = (redirect: string) => vi.stubGlobal('location', { search: `?${new URLSearchParams({ redirect })}` })

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('localStorage', storage())
})

test('the page that waits for a sign-up is kept for half an hour, or until it is opened @pending-signup-2', () => {
  openWith(request)
  keepPathAfterSignup()
  expect(pathAfterSignup()).toBe(request)
  vi.advanceTimersByTime(30 * minuteMs - 1)
  expect(pathAfterSignup()).toBe(request)
  vi.advanceTimersByTime(1)
  expect(pathAfterSignup()).toBeUndefined()
  keepPathAfterSignup()
  forgetPathAfterSignup()
  expect(pathAfterSignup()).toBeUndefined()
})

test('only pages of the dashboard are kept, and a broken record is ignored @pending-signup-3', () => {
  openWith('https://evil.example/dashboard')
  keepPathAfterSignup()
  expect(pathAfterSignup()).toBeUndefined()
  for (const broken of ['', '1', 'x /dashboard', `${Date.now()} //evil.example`]) {
    localStorage.setItem('after_signup', broken)
    expect(pathAfterSignup(), broken).toBeUndefined()
  }
})
