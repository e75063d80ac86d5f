import fc from 'fast-check'
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max'
import metadata from 'libphonenumber-js/metadata.max.json' with { type: 'json' }
import examples from 'libphonenumber-js/mobile/examples' with { type: 'json' }
import { expect, test } from 'vitest'
import { asciiDigits } from '#domain/readers/digits.ts'
import { phoneText, readPhone } from '#domain/readers/phone.ts'
import { problemIn, valueIn } from '#domain/readers/read.ts'

const read = (text: string) => valueIn(readPhone(text))

test.each([
  '+44 7400 123456',
  '+44 (0)7400 123456',
  '+44(0) 7400-123456',
  '+44 07400 123456',
  '+44 (07400) 123456',
  '0044 7400 123456',
  '0044 (0)7400 123456',
  '(0044) 7400 123456',
  '(+44) 7400 123456',
  '+(44) 7400 123456',
  '＋４４ ７４００ １２３４５６',
  '+44\u20117400\u2011123456',
  '+44\u00a07400\u202f123456',
  '\u202a+44 7400 123456\u202c',
  'tel:+44-7400-123456',
  '+44.7400.123456',
  '+٤٤ ٧٤٠٠ ١٢٣٤٥٦',
])('%j is the same number @phones-1', (text) => expect(read(text)).toBe('+447400123456'))

test.each([
  ['+1 (415) 555-0123', '+14155550123'],
  ['+61 (2) 9374 4000', '+61293744000'],
  ['+7 (8) 495 123-45-67', '+74951234567'],
  ['+7 (495) 123-45-67', '+74951234567'],
  ['+7 800 123-45-67', '+78001234567'],
  ['+7 8 912 345-67-89', '+79123456789'],
  ['+36 (06) 30 123 4567', '+36301234567'],
  ['+36 06 30 123 4567', '+36301234567'],
  ['+39 06 1234 5678', '+390612345678'],
  ['+225 01 23 45 67 89', '+2250123456789'],
])('%j is %s @phones-2', (text, phone) => expect(read(text)).toBe(phone))

test.each([
  ...['', '+', '00', '415 555 0123', '0151 23', '+0044 7400 123456', '+44 00 7400 123456', '++447400123456'],
  ...[
    '0664 1234567',
    '+4(4) 7400 123456',
    '49 151 23456789',
    '+1 415 555 012',
    '+1 415 555 01234',
    '+1 015 555 0123',
    '+12345',
    '+1234567890123456',
    '+44 7400 12345x',
  ],
  ...['+44 7400 123456 ext. 12', '+49 89 1234-56/57', '+44 7400 123456, +44 7400 123457', '+1 800 FLOWERS'],
  `+44 7400 123456${' '.repeat(100)}7`,
])('%j is no phone number @phones-3', (text) => expect(problemIn(readPhone(text))).toBe(phoneText))

test.each(['+39 (0)6 1234 5678', '+34 (0)612 345 678', '+36 (0)30 123 4567', '+225 (0)1 23 45 67 89'])(
  'where a 0 is not simply left out from abroad, %j is refused @phones-4',
  (text) => expect(problemIn(readPhone(text))).toMatch(/^Leave out “\(0\)”, or enter its 0 without brackets/),
)

const countries = getCountries().filter((country) => country in examples)
/** How people of a country write one of their mobile numbers for somebody abroad. Each must name that number, or none. */
function notations(country: CountryCode): string[] {
  const number = parsePhoneNumberFromString(examples[country as keyof typeof examples]!, country)!
  const [e164, shown, code] = [number.number, number.formatInternational(), number.countryCallingCode]
  const rest = shown.slice(code.length + 2)
  const raw = metadata.countries[country] as unknown as unknown[]
  const trunk = typeof raw[5] === 'string' ? raw[5] : '0'
  return [
    ...[e164, shown, number.getURI(), `00${e164.slice(1)}`, `00 ${code} ${rest}`, `(+${code}) ${rest}`],
    ...[`+${code} (${trunk})${rest}`, `+${code} (${trunk}) ${rest}`, `00${code} (${trunk}) ${rest}`],
    ...[`+${code} ${trunk}${rest}`, `+${code} (${trunk}${rest})`, `+${code} (0)${rest}`],
    shown.replaceAll(' ', '-'),
    shown.replaceAll(' ', '\u00a0'),
    shown.replaceAll(' ', '.'),
    shown.replaceAll(/\d/g, (digit) => '٠١٢٣٤٥٦٧٨٩'[Number(digit)]!),
    shown.replaceAll(/\d/g, (digit) => '०१२३४५६७८९'[Number(digit)]!),
    `\u2066${shown}\u2069`,
  ]
}

test(`a mobile number of each of ${countries.length} countries is itself in every notation, or refused @phones-5`, () => {
  for (const country of countries) {
    const [e164, ...others] = notations(country)
    expect(read(e164!), country).toBe(e164)
    for (const text of others) {
      const phone = read(text)
      // Where libphonenumber finds the same number in the text, it is that or refused; elsewhere the text may be another one.
      const theirs = parsePhoneNumberFromString(text.replaceAll(/\p{Cf}/gu, ''))?.number
      if (phone !== e164)
        expect([phone, phone === null || theirs !== e164], `${country}: ${text}`).toEqual([phone, true])
    }
  }
})

test('the usual notations of twenty countries are all read @phones-6', () => {
  const twenty = 'GB DE FR IT ES PL NL SE TR RU UA IN JP CN BR MX EG NG ID AU'.split(' ') as CountryCode[]
  for (const country of twenty) {
    const [e164, ...others] = notations(country)
    const usual = others.filter((text) => !/^(?:\+|00)\d+ \(?[08]/.test(text)) // trunk prefixes: above
    for (const text of usual) expect([text, read(text)]).toEqual([text, e164])
  }
})

test('the digits that are left out from abroad are those of libphonenumber @phones-7', () => {
  const mobiles = Object.groupBy(countries, (country) => getCountryCallingCode(country))
  for (const [code, [country]] of Object.entries(mobiles) as [string, CountryCode[]][]) {
    const prefix = (metadata.countries[country!] as unknown as unknown[])[5]
    const example = examples[country as keyof typeof examples]!
    const e164 = `+${code}${example}`
    const trunk = typeof prefix === 'string' ? prefix : null
    if (trunk === null) expect(problemIn(readPhone(`+${code} (0)${example}`)), code).not.toBeNull()
    else expect(read(`+${code} (${trunk})${example}`), `${code}: ${country}`).toBe(e164)
    if (trunk?.startsWith('0')) expect(read(`+${code}${trunk}${example}`), `${code}: ${country}`).toBe(e164)
  }
})

test('a number has the digits of its text, but for a trunk prefix, and is read as itself again @phones-8', () => {
  const unit = fc.constantFrom(...'+0123456789()-. ٣７／x')
  const start = fc.constantFrom('+', '00', '(+', '+(', '', '+44', '+7 (8)', '+39 (0)', '+1')
  const codes = getCountries().map((country) => String(getCountryCallingCode(country)))
  fc.assert(
    fc.property(start, fc.string({ unit, maxLength: 24 }), (first, rest) => {
      const text = first + rest
      const phone = read(text)
      if (phone === null) return
      expect([text, /^[\s().-]*(?:\+|0[-. ]*0)/.test(text)]).toEqual([text, true])
      const typed = asciiDigits(text).replaceAll(/\D/g, '').replace(/^00/, '')
      const code = codes.find((each) => phone.startsWith(`+${each}`)) ?? ''
      const number = phone.slice(1 + code.length)
      expect(['', '0', '06', '8', '1'].map((trunk) => `${code}${trunk}${number}`)).toContain(typed)
      expect([phone, read(phone)]).toEqual([expect.stringMatching(/^\+[1-9]\d{6,14}$/), phone])
    }),
    { numRuns: 3_000 },
  )
})
