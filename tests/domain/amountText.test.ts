import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleanAmount, isAmountDraft, plainAmount } from '#domain/amountText.ts'
import { parseUsdc } from '#domain/money.ts'

const grouped = (digits: string, mark: string) => digits.replace(/\B(?=(\d{3})+$)/g, mark)
const whole = fc.bigInt({ min: 0n, max: 999_999_999_999n }).map(String)
const fraction = fc.bigInt({ min: 0n, max: 999_999n }).map((n) => String(n).padStart(6, '0'))

test.each([
  ['$1,234.50', '1234.50'],
  ['1.234,50', '1234.50'],
  ['1 234,50', '1234.50'],
  ['1\u00a0234,50\u202fUSDC', '1234.50'],
  ["1'234.50", '1234.50'],
  ['\u200e25 usd\u200f', '25'],
  ['12,5', '12.5'],
  ['12,', '12.'],
  ['0,123', '0.123'],
  ['1,234', '1234'],
  ['1.234', '1.234'],
  ['1,234,567', '1234567'],
  ['1.234.567', '1234567'],
])('%j is read as %s @amounts-1', (text, plain) => expect(cleanAmount(text)).toBe(plain))

test.each([
  '1,23,4',
  '1,234,56',
  '1.23.4',
  '12.345,678,9',
  '1,234.567,8',
  '-5',
  '1e3',
  '٣',
  '１２',
  '0x10',
  '1/2',
  'ten',
])('%j is rejected, not read as another amount @amounts-2', (text) =>
  expect(isAmountDraft(cleanAmount(text))).toBe(false),
)

test('every amount survives English and continental formatting @amounts-3', () => {
  fc.assert(
    fc.property(whole, fraction, (units, parts) => {
      const plain = `${units}.${parts}`
      for (const [mark, point] of [
        [',', '.'],
        ['.', ','],
        [' ', '.'],
        ['\u00a0', ','],
        ['’', '.'],
      ] as const)
        expect(parseUsdc(cleanAmount(`$ ${grouped(units, mark)}${point}${parts} USDC`))).toBe(parseUsdc(plain))
    }),
  )
})

test('cleaning is idempotent, and a cleaned draft has only digits and one point @amounts-4', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'0123456789.,$ eUSDC-') }), (text) => {
      const once = cleanAmount(text)
      if (!isAmountDraft(once)) return
      expect(once).toMatch(/^\d*\.?\d*$/)
      expect(cleanAmount(once).replace(/\./g, '')).toBe(once.replace(/\./g, ''))
    }),
  )
})

test('a field accepts no more decimals than its currency has @amounts-5', () => {
  for (const draft of ['', '1', '1.', '.5', '1.123456']) expect(isAmountDraft(draft), draft).toBe(true)
  for (const draft of ['1.1234567', '1.2.3', '1234567890123']) expect(isAmountDraft(draft), draft).toBe(false)
  expect([isAmountDraft('1.25', 2), isAmountDraft('1.255', 2)]).toEqual([true, false])
  expect([plainAmount('25.'), plainAmount('.5'), plainAmount(' 7 ')]).toEqual(['25', '0.5', '7'])
})
