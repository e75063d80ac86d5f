import { expect, test } from 'vitest'
import { maySendSms, smsCountries } from '../../worker/notifications/smsCountries.ts'

const us = '+14155550123'
const jamaica = '+18765551234'
const premium = '+19005551234'

test('text messages go only to the configured countries, even if others share their calling code @sms-1', () => {
  const countries = smsCountries('US, DE')
  expect([us, '+4915112345678'].map((phone) => maySendSms(countries, phone))).toEqual([true, true])
  expect([jamaica, '+33612345678', '+8821234567890'].map((phone) => maySendSms(countries, phone))).toEqual([
    false,
    false,
    false,
  ])
})

test('a number of a range that is new is allowed if a country with its calling code is @sms-5', () => {
  for (const recent of ['+18612345678', '+19275551234', '+19355551234']) {
    expect(maySendSms(smsCountries('US'), recent)).toBe(true)
    expect(maySendSms(smsCountries('DE, GB'), recent)).toBe(false)
    expect(maySendSms(smsCountries(''), recent)).toBe(false)
  }
  // Known to be Jamaican, or of no country at all.
  expect(['+18765551234', '+8831234567890'].map((phone) => maySendSms(smsCountries('US'), phone))).toEqual([
    false,
    false,
  ])
})

test('no text messages are sent without the setting, and none ever go to premium numbers @sms-2', () => {
  for (const setting of [undefined, '', '  ']) expect(maySendSms(smsCountries(setting), us)).toBe(false)
  expect(maySendSms(smsCountries('*'), jamaica)).toBe(true)
  for (const setting of ['*', 'US']) expect(maySendSms(smsCountries(setting), premium)).toBe(false)
})

test.each(['us', 'USA', 'US;DE', 'US,', '1'])('"%s" is not a list of countries @sms-3', (setting) => {
  expect(() => smsCountries(setting)).toThrow(/is not an ISO 3166 code/)
})
