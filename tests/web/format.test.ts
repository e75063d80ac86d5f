import { expect, test } from 'vitest'
import {
  addressGroups,
  ago,
  cutAmount,
  formatAmount,
  formatDayAndTime,
  formatMoment,
  lastActivityText,
} from '#web/lib/format.ts'
import { permissionsInWords } from '#web/lib/scopes.ts'

test('amounts show two to six decimals, exactly', () => {
  expect(formatAmount('25')).toBe('25.00')
  expect(formatAmount('1234.5')).toBe('1,234.50')
  expect(formatAmount('0.000001')).toBe('0.000001')
  expect(formatAmount('900719925474.993123')).toBe('900,719,925,474.993123')
  expect(formatAmount('n/a')).toBe('n/a')
})

test('balances are truncated to two decimals, never rounded up', () => {
  expect(cutAmount('12480.509999')).toBe('12,480.50')
  expect(cutAmount('0.009')).toBe('0.00')
})

test('an address is shown in ten groups of four', () => {
  const groups = addressGroups('0x52908400098527886E0F7030069857D2E4169EE7')
  expect(groups).toHaveLength(10)
  expect(groups.join('')).toBe('52908400098527886E0F7030069857D2E4169EE7')
})

test('recent times are relative to now', () => {
  const now = Date.parse('2026-11-20T12:00:00Z')
  expect(ago('2026-11-20T11:59:30Z', now)).toBe('just now')
  expect(ago('2026-11-20T11:58:00Z', now)).toBe('2 min ago')
  expect(ago('2026-11-20T09:00:00Z', now)).toBe('3 h ago')
  expect(ago('2026-11-18T11:00:00Z', now)).toBe('2 days ago')
})

test('a list of money has day and time, and the year if it is another @screens-102', () => {
  const now = new Date(2026, 10, 29, 3).getTime()
  expect(formatDayAndTime(new Date(2026, 10, 27, 16).toISOString(), now)).toBe('Nov 27, 16:00')
  expect(formatDayAndTime(new Date(2026, 0, 1, 0, 5).toISOString(), now)).toBe('Jan 1, 00:05')
  expect(formatDayAndTime(new Date(2025, 11, 31, 9, 30).toISOString(), now)).toBe('Dec 31, 2025, 09:30')
})

test('a full time includes the weekday and time zone', () => {
  expect(formatMoment('2026-11-21T11:59:00Z')).toMatch(/^[A-Z][a-z]{2}, [A-Z][a-z]{2} \d+, 2026, \d+:\d\d\s[AP]M\s\S+$/)
})

test('last activity is shown in days and weeks @format-1', () => {
  const at = (day: number) => new Date(2026, 10, day, 12).toISOString()
  const now = new Date(2026, 10, 28, 9).getTime()
  expect(lastActivityText(null, now)).toBe('Never')
  expect(lastActivityText(at(28), now)).toBe('Today')
  expect(lastActivityText(at(27), now)).toBe('Yesterday')
  expect(lastActivityText(at(22), now)).toBe('6 days ago')
  expect(lastActivityText(at(21), now)).toBe('1 week ago')
  expect(lastActivityText(at(2), now)).toBe('3 weeks ago')
  expect(lastActivityText(new Date(2026, 9, 29, 12).toISOString(), now)).toBe('Oct 29, 2026')
})

test('permissions are listed in a sentence', () => {
  expect(permissionsInWords(['payment_context:read'])).toMatch(/can’t pay anyone/)
  expect(permissionsInWords(['address_payments:write'])).toBe('Agents may pay any address.')
  expect(permissionsInWords(['sms_payments:write', 'address_payments:write', 'contact_payments:write'])).toBe(
    'Agents may pay the contacts listed below, any address, and any phone number (by payout).',
  )
})
