import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codeInField, readCode } from '#domain/readers/code.ts'
import { asciiDigits } from '#domain/readers/digits.ts'
import { valueIn } from '#domain/readers/read.ts'

test.each([
  '717171',
  '717 171',
  ' 717171 ',
  '717-171',
  '٧١٧١٧١',
  '۷۱۷۱۷۱',
  '７１７１７１',
  '७१७१७१',
  '៧១៧ ១៧១',
  '\u200e717171',
])('the code %j is 717171 @codes-1', (text) => {
  expect(valueIn(readCode(text, 'Code'))).toBe('717171')
  expect(codeInField(text, '')).toBe('717171')
})

test.each(['', '71717', '7171717', 'abcdef', '71717a', '７１７１７', '²1717171'])('%j is no code @codes-2', (text) => {
  expect(readCode(text, 'Passcode')).toEqual({ problem: 'Passcode must be 6 digits' })
})

test.each([
  ['7', '', '7'],
  ['٧١', '7', '71'],
  ['71a', '71', '71'],
  ['Your code is 717 171.', '', '717171'],
  ['You were sent 25.00 USDC. Your code: 717171', '', '717171'],
  ['717171717171', '', '717171'], // iOS fills in twice
  ['7171711', '717171', '717171'],
  ['123456 or 654321', '12', '12'],
])('a code field that gets %j after %j shows %j @codes-3', (text, before, shown) =>
  expect(codeInField(text, before)).toBe(shown),
)

test('a code field never shows a code that is not in the text or was not there before @codes-4', () => {
  const unit = fc.constantFrom(...'0123456789 -.a٣７')
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 30 }), (text) => {
      const shown = codeInField(text, '')
      if (shown.length < 6) return
      const digits = asciiDigits(text).replace(/\D/g, '')
      expect([text, digits.includes(shown) && shown.length === 6]).toEqual([text, true])
    }),
    { numRuns: 1_000 },
  )
})

test('the digits of every script are read, in order @codes-5', () => {
  const all = Array.from({ length: 0x110000 }, (_, code) =>
    code >= 0xd800 && code < 0xe000 ? '' : String.fromCodePoint(code),
  )
  const digits = all.join('').match(/\p{Nd}/gu)!
  expect(digits.length).toBeGreaterThan(600)
  expect(digits.length % 10).toBe(0)
  expect(asciiDigits(digits.join(''))).toBe('0123456789'.repeat(digits.length / 10))
})
