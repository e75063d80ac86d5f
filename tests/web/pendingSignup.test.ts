import { beforeEach, expect, test, vi } from 'vitest'
import { dayMs } from '#domain/time.ts'
import { forgetSignup, keepSignup, pendingSignupToken } from '#web/lib/pendingSignup.ts'
import { storage } from './browser.ts'

beforeEach(() => {
  vi.useRealTimers()
  vi.stubGlobal('localStorage', storage())
})

test('the sign-up token is sent with a link, or with a code for the address that this browser signed up @pending-signup-1', () => {
  keepSignup(' Ada@Example.com ', 'bu_1')
  expect(pendingSignupToken('ada@example.com')).toEqual({ signupToken: 'bu_1' })
  expect(pendingSignupToken()).toEqual({ signupToken: 'bu_1' })
  expect(pendingSignupToken('eve@example.com')).toEqual({})
  forgetSignup()
  expect(pendingSignupToken()).toEqual({})
})

test('the sign-up token expires after seven days, and a broken record is ignored', () => {
  vi.useFakeTimers()
  keepSignup('ada@example.com', 'bu_1')
  vi.advanceTimersByTime(7 * dayMs - 1)
  expect(pendingSignupToken()).toEqual({ signupToken: 'bu_1' })
  vi.advanceTimersByTime(1)
  expect(pendingSignupToken()).toEqual({})
  for (const broken of ['{', '1', '{"signupToken":5,"at":1e15}', '{"signupToken":"bu_1"}']) {
    localStorage.setItem('pending_signup', broken)
    expect(pendingSignupToken(), broken).toEqual({})
  }
})
