import { describe, expect, test } from 'vitest'
import { problemIn } from '#domain/readers/read.ts'
import { ApiError, messageOf } from '#web/lib/apiError.ts'
import { formatLongDate } from '#web/lib/format.ts'
import { messageOrThrown } from '#web/lib/messageOrThrown.ts'
import { connectionRequestOf, returnPathOf } from '#web/lib/search.ts'
import { destinationIn, formatHint } from '#web/routes/-claim/destination.ts'
import { passwordChangeProblem } from '#web/routes/dashboard/-settings/ChangePasswordDialog.tsx'

describe('change password', () => {
  test.each([
    [{ current: '', next: 'secret1', again: 'secret1' }, 'Please enter your current password'],
    [{ current: 'old', next: 'abc', again: 'abd' }, 'New passwords do not match'],
    [{ current: 'old', next: 'abc', again: 'abc' }, 'Password must be at least 6 characters long'],
    [{ current: 'old', next: 'abcdef', again: 'abcdef' }, undefined],
  ])('%j results in the message %j', (values, message) => {
    expect(passwordChangeProblem(values)?.message).toBe(message)
  })
})

test('shows the server’s message or, without one, a separate text for failures and for refusals', () => {
  const say = (error: unknown) => messageOf(error, 'Signup failed. Please try again.', 'Signup failed')
  expect(say(new ApiError(409, 'conflict', 'Taken'))).toBe('Taken')
  expect(say(new ApiError(200, 'internal', 'Something went wrong'))).toBe('Signup failed')
  expect(say(new ApiError(500, 'internal', 'Something went wrong'))).toBe('Signup failed. Please try again.')
  expect(say(new TypeError('x is not a function'))).toBe('Signup failed. Please try again.')
})

test('a failed withdrawal or password change shows the server’s message, else the exception’s, else a default @forms-5', () => {
  const say = (error: unknown) => messageOrThrown(error, 'Withdrawal failed')
  expect(say(new ApiError(409, 'conflict', 'Too late'))).toBe('Too late')
  expect(say(new TypeError('The network connection was lost.'))).toBe('The network connection was lost.')
  expect(say(new ApiError(500, 'internal', 'Something went wrong'))).toBe('Withdrawal failed')
  expect(say(new Error(''))).toBe('Withdrawal failed')
})

test('a failure without a message shows the default text @forms-6', () => {
  expect(messageOf(new ApiError(500, 'internal', 'Something went wrong'))).toBe(
    'An error occurred. Please try again or contact support if the issue persists.',
  )
})

test.each(['/dashboard', '/dashboard/payouts?page=2', '/dashboard?onramp=success', '/dashboard/agents#a'])(
  'a sign-in may return to %s @forms-1',
  (path) => expect(returnPathOf(path)).toBe(path),
)

test.each([
  'https://evil.example/dashboard',
  '//evil.example/dashboard',
  '/\\evil.example',
  '/dashboardx',
  '/claim/x',
  'javascript:alert(1)',
  ' /dashboard',
  `/dashboard/${'a'.repeat(2000)}`,
  7,
  undefined,
])('a sign-in does not return to %s @forms-2', (path) => expect(returnPathOf(path)).toBeUndefined())

test.each([
  ['/dashboard/connect?request=request_1', 'request_1'],
  ['/dashboard/connect?x=1&request=request_1', 'request_1'],
  ['/dashboard/connect', undefined],
  ['/dashboard/connected?request=request_1', undefined],
  ['/dashboard/payouts?request=request_1', undefined],
  [undefined, undefined],
])('a sign-in that returns to %s is for the request %s @forms-8', (path, request) => {
  expect(connectionRequestOf(path)).toBe(request)
})

test('formats a long date, or N/A if there is none @forms-3', () => {
  expect(formatLongDate('2026-11-20T12:00:00Z')).toBe('November 20, 2026')
  expect([formatLongDate(null), formatLongDate(undefined), formatLongDate('soon')]).toEqual(['N/A', 'N/A', 'N/A'])
})

test('a claim’s destination is checked in the specified order, with the specified messages @forms-4', () => {
  const payout = { payoutAddress: `0x${'Ab'.repeat(20)}`, chain: 'base' as const }
  const destinationProblem = (...input: Parameters<typeof destinationIn>) => problemIn(destinationIn(...input))
  const known = `0x${'12'.repeat(20)}`
  expect(destinationProblem('', undefined)).toBe('Payout details not loaded')
  expect(destinationProblem('', payout)).toBe('Please enter a destination address')
  for (const wrong of ['0x', known.slice(2), `${known}0`, known.slice(0, -1), `0x${'g'.repeat(40)}`, 'ada.eth', 'ü'])
    expect(destinationProblem(wrong, payout), wrong).toBe('Invalid Ethereum address format')
  expect(destinationProblem(`0x${'aB'.repeat(20)}`, payout)).toContain("the payout's own address")
  expect(destinationProblem(`0x${'0'.repeat(40)}`, payout)).toContain('No one controls this address')
  expect(destinationProblem(known, payout)).toBeNull()
})

test('a claim’s destination may be pasted as a wallet copies it, and a wrong one says what is wrong @forms-7', () => {
  const payout = { payoutAddress: `0x${'Ab'.repeat(20)}`, chain: 'base' as const }
  const known = `0x${'12'.repeat(20)}`
  const note = 'Invisible characters were removed from the address.'
  expect(destinationIn(` base:${known}\n`, payout)).toEqual({ value: { address: known, note: null } })
  expect(destinationIn(`\u200b${known}`, payout)).toEqual({ value: { address: known, note } })
  expect(problemIn(destinationIn(`eth:${known}`, payout))).toMatch(/another network/)
  expect(problemIn(destinationIn('0x000000000000000000000000000000000000dEaD', payout))).toMatch(/No one controls/)
  expect(destinationIn(`basesep:${known}`, { ...payout, chain: 'base-sepolia' })).toHaveProperty('value')
  expect(['ada@bursar.test', known.slice(2), known.slice(0, -1), `${known.slice(0, -1)}g`].map(formatHint)).toEqual([
    'This is an email address. A wallet’s or an exchange’s address starts with 0x.',
    'An address starts with 0x.',
    'An address has 42 characters; this text has 41.',
    'A character of it is wrong. Copy the address again.',
  ])
})
