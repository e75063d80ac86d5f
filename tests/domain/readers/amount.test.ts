import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatUsdc, parseUsdc } from '#domain/money.ts'
import { amountForField, readAmount, strictAmountProblem } from '#domain/readers/amount.ts'
import { problemIn, valueIn } from '#domain/readers/read.ts'

const read = (text: string, decimals?: number) => {
  const amount = valueIn(readAmount(text, decimals))
  return amount === null ? null : formatUsdc(amount)
}
const micro = fc.bigInt({ min: 0n, max: 1_000_000_000_000_000n })

test.each([
  ['1234.5', '1234.5'],
  ['1,000.50', '1000.5'],
  ['1.000,50', '1000.5'],
  ['$1,234.50', '1234.5'],
  ['1 234,50', '1234.5'],
  ['1\u00a0234,50\u202fUSDC', '1234.5'],
  ["1'234.50", '1234.5'],
  ['\u200e25 usd\u200f', '25'],
  ['12.50 Test USDC', '12.5'],
  ['12,5', '12.5'],
  ['12,', '12'],
  ['.5', '0.5'],
  ['0,123', '0.123'],
  ['1.1230', '1.123'],
  ['1,000,000', '1000000'],
  ['1.234.567', '1234567'],
  ['12,34,567.8', '1234567.8'],
  ['١٢٫٥', '12.5'],
  ['۱٬۵۰۰', '1500'],
  ['１２．５', '12.5'],
  ['१,२३,४५६', '123456'],
  ['025.', '25'],
])('%j is read as %s @amounts-1', (text, plain) => expect(read(text)).toBe(plain))

test.each([
  ...['1,23,4', '1,234,56', '1.23.4', '1.23.456', '12.345,678,9', '1,234.567,8', '1 50', '1 2345', '1\t500', '5, 6'],
  ...['-5', '(5)', '+5', '1e3', '2e1', '0x10', '1/2', '½', 'ten', '5k', '5%', '12:30', '12.05.2026', '1.234567891'],
  ...['.', ',', '$', 'USDC', '5 5', `${'1'.repeat(61)}`, '五', 'EUR', '€', '€ five', '5 EUR EUR', 'R$ 1.2.3'],
])('%j is refused with the rule, not read as another amount @amounts-2', (text) => {
  expect(problemIn(readAmount(text))).toBe('Enter digits with at most 6 decimals, for example 1234.50')
})

test.each([
  ...[
    ['R$ 7.890,12', 'R$'],
    ['€5', '€'],
    ['5 EUR', 'EUR'],
    ['5 usdt', 'usdt'],
    ['C$5', 'C$'],
    ['5 USDC.e', 'USDC.e'],
  ],
  ...[
    ['1.234,50 zł', 'zł'],
    ['kr 5', 'kr'],
    ['₹1,23,456', '₹'],
    ['1,500 €', '€'],
  ],
])('%j is refused because %s is another currency @amounts-17', (text, sign) => {
  for (const unreadable of [undefined, 'Enter an amount'])
    expect(problemIn(readAmount(text!, 6, unreadable))).toBe(
      `“${sign}” is another currency. Enter digits with at most 6 decimals, for example 1234.50`,
    )
})

test.each([
  ['1,500', ['1500', '1.5']],
  ['1.500', ['1500', '1.5']],
  ['1.125', ['1125', '1.1250']],
  ['10,000', ['10000', '10']],
  ['$999.999', ['999999', '999.9990']],
  ['١,٥٠٠', ['1500', '1.5']],
  ['01,500', ['1500', '1.5']],
  ['5,0000', ['50000', '5']],
])('%j is refused with both of its readings, each of which is one amount @amounts-6', (text, readings) => {
  const problem = problemIn(readAmount(text))
  expect(problem, 'the larger one first, however it is written').toBe(
    `“${text}” could mean ${readings.join(' or ')}. Enter one of these.`,
  )
  for (const reading of readings) {
    expect(read(reading)).toBe(formatUsdc(parseUsdc(reading)!))
  }
  expect(problemIn(readAmount(text, 2)), 'also where fewer decimals are allowed').toBe(problem)
})

/** Browsers and spreadsheets write amounts like this. The digits of some are those that people there use. */
const locales = [
  ...[
    'en-US',
    'en-IN',
    'en-ZA',
    'de-DE',
    'de-CH',
    'de-AT',
    'fr-FR',
    'fr-CA',
    'es-ES',
    'es-MX',
    'pt-BR',
    'pt-PT',
    'it-IT',
  ],
  ...['pl-PL', 'sv-SE', 'ru-RU', 'tr-TR', 'hu-HU', 'lt-LT', 'vi-VN', 'id-ID', 'ja-JP', 'ja-JP-u-nu-fullwide', 'zh-CN'],
  ...['ar-EG', 'ar-MA', 'fa-IR', 'ur-PK-u-nu-arabext', 'he-IL', 'hi-IN-u-nu-deva', 'bn-BD', 'mr-IN', 'ne-NP', 'my-MM'],
  ...['th-TH-u-nu-thai', 'gu-IN-u-nu-gujr', 'ckb-IQ', 'dz-BT', 'rm-CH', 'ro-RO'],
]
const styles: Intl.NumberFormatOptions[] = [
  {},
  { useGrouping: false },
  { useGrouping: 'always' },
  { style: 'currency', currency: 'USD' },
  { style: 'currency', currency: 'USD', currencyDisplay: 'code' },
]
/** Slow to create. */
const formats = new Map<string, Intl.NumberFormat>()
function formatted(
  amount: bigint,
  locale: string,
  style: Intl.NumberFormatOptions,
  decimals: [least: number, most: number],
) {
  const [minimumFractionDigits, maximumFractionDigits] = decimals
  const key = JSON.stringify([locale, style, decimals])
  const format =
    formats.get(key) ?? new Intl.NumberFormat(locale, { ...style, minimumFractionDigits, maximumFractionDigits })
  formats.set(key, format)
  return format.format(formatUsdc(amount) as `${number}`)
}
const written = { locale: fc.constantFrom(...locales), style: fc.constantFrom(...styles) }

test(`in the notation of ${locales.length} locales, an amount is read as it is meant, or refused with it among the readings @amounts-3`, () => {
  fc.assert(
    fc.property(micro, fc.record(written), fc.integer({ min: 0, max: 6 }), (amount, { locale, style }, least) => {
      const text = formatted(amount, locale, style, [least, 6])
      const result = readAmount(text)
      if ('value' in result) expect(result.value, `${locale}: ${text}`).toBe(amount)
      else expect(result.problem, `${locale}: ${text}`).toContain(` ${amountForField(amount)}`)
    }),
    { numRuns: 1_000 },
  )
})

test('with two decimals, as prices are written everywhere, an amount is never refused @amounts-4', () => {
  const cents = micro.map((amount) => (amount / 10_000n) * 10_000n)
  fc.assert(
    fc.property(cents, fc.record(written), (amount, { locale, style }) => {
      const text = formatted(amount, locale, style, [2, 2])
      expect(readAmount(text), `${locale}: ${text}`).toEqual({ value: amount })
    }),
    { numRuns: 1_000 },
  )
})

test('a field accepts no more decimals than its currency has, and no number that is too long @amounts-5', () => {
  expect([read('1.25', 2), read('1.2500', 2), read('1.2550', 2)]).toEqual(['1.25', '1.25', null])
  expect(problemIn(readAmount('1.2550', 2))).toBe('Enter digits with at most 2 decimals, for example 1234.50')
  expect(problemIn(readAmount('9'.repeat(13)))).toBe('Amount must be at most 1 billion USDC')
  expect(read('1,000,000,000')).toBe('1000000000')
})

test('an amount that a form fills in is read as itself @amounts-7', () => {
  fc.assert(
    fc.property(micro, (amount) => {
      expect(readAmount(amountForField(amount))).toEqual({ value: amount })
    }),
    { examples: [[1_125_000n], [999_999_000n], [125_000n], [0n]] },
  )
  expect([12_345_000n, 12_500_000n, 25_000_000n].map(amountForField)).toEqual(['12.3450', '12.5', '25'])
})

test('a program is told what its amount could have meant @amounts-8', () => {
  const rule = 'Amount must be plain digits with at most 6 decimals'
  expect(['1,500', '1.234,50', '１２', '1e3'].map(strictAmountProblem)).toEqual([
    `${rule}: “1,500” could mean 1500 or 1.5`,
    `${rule}: “1.234,50” could mean 1234.5`,
    `${rule}: “１２” could mean 12`,
    rule,
  ])
})
