import fc from 'fast-check'
import { expect, test } from 'vitest'
import { microUsdc } from '#domain/money.ts'
import { type KnownRecipients, paidKey, type ResolvedRow, runVerdicts, samePaidMs } from '#domain/runs/warnings.ts'
import { looksLike } from '#domain/sendRules.ts'

const now = Date.parse('2026-11-24T12:00:00Z')
const paid = '0x8ba1f109551bd432803012645ac136ddd64dba72'
const twin = `0x8ba${'0'.repeat(34)}a72`
const other = `0x111${'0'.repeat(34)}111`
const one = microUsdc(1_000_000n)
const two = microUsdc(2_000_000n)

const row = (line: number, recipient: string, amount = one, reference: string | null = null): ResolvedRow => ({
  ...{ line, recipient, amount, reference },
})
const knownOf = (more: Partial<KnownRecipients> = {}): KnownRecipients => ({
  paid: new Set([paid, other, 'ada@example.com']),
  ...{ lookAlikes: new Map(), samePaid: new Map(), changedBy: new Map(), ...more },
})
const texts = (rows: ResolvedRow[], known = knownOf()) =>
  runVerdicts(rows, known, now).map((verdicts) => verdicts.map(({ level, text }) => `${level}: ${text}`))

test('a repeated reference is an error that names the rows @runs-18', () => {
  const rows = [row(12, paid, one, 'A'), row(13, other, one, 'B'), row(80, 'ada@example.com', one, 'A')]
  const error = 'error: Rows 12 and 80 have the same reference.'
  expect(texts(rows)).toEqual([[error], [], [error]])
  const many = Array.from({ length: 5 }, (_, at) => row(at + 2, paid, microUsdc(BigInt(at + 1)), 'A'))
  expect(texts(many)[4]![0]).toBe('error: Rows 2, 3, 4 and 2 more have the same reference.')
})

test('a recipient twice, also with the same amount, is a warning that names the other row', () => {
  expect(texts([row(2, paid), row(3, paid, two), row(4, other), row(5, paid)])).toEqual([
    ['warning: Row 5 pays the same recipient the same amount.'],
    ['warning: Row 2 also pays this recipient.'],
    [],
    ['warning: Row 2 pays the same recipient the same amount.'],
  ])
})

test('what the account knows of a recipient is a warning @runs-19', () => {
  const known = knownOf({
    lookAlikes: new Map([[twin, paid]]),
    samePaid: new Map([
      [paidKey('ada@example.com', one), Date.parse('2026-11-20T23:00:00Z')],
      [paidKey(other, one), now - samePaidMs],
    ]),
    changedBy: new Map([[paid, 'Grace']]),
  })
  expect(
    texts([row(2, twin), row(3, 'ada@example.com'), row(4, other), row(5, 'ada@example.com', two)], known),
  ).toEqual([
    [
      'warning: This address looks like 0x8ba1f109…d64DBA72, which you paid before, but is a different one.',
      'warning: This is your first payment to this recipient.',
    ],
    ['warning: Row 5 also pays this recipient.', 'warning: You paid this recipient the same amount on November 20.'],
    [],
    ['warning: Row 3 also pays this recipient.'],
  ])
  expect(texts([row(2, paid)], known)).toEqual([
    [
      'warning: Grace changed this contact, which has not been paid since. Check with the recipient that this is theirs.',
    ],
  ])
})

test('two addresses of a file that look alike name each other', () => {
  expect(texts([row(2, paid), row(3, paid, two), row(4, twin)]).map((each) => each[0])).toEqual([
    'warning: This address looks like that of row 4, but is a different one.',
    'warning: This address looks like that of row 4, but is a different one.',
    'warning: This address looks like that of row 2, but is a different one.',
  ])
  const address = fc
    .tuple(fc.constantFrom('0xabc', '0xABD'), fc.constantFrom('0', '1', 'f'), fc.constantFrom('abc', 'abd'))
    .map(([start, digit, end]) => `${start}${digit.repeat(34)}${end}`.toLowerCase())
  fc.assert(
    fc.property(fc.array(address, { maxLength: 8 }), (addresses) => {
      const rows = addresses.map((recipient, at) => row(at + 2, recipient, microUsdc(BigInt(at))))
      const warned = texts(rows).map((each) => each.some((text) => text.includes('looks like')))
      expect(warned).toEqual(addresses.map((one) => addresses.some((another) => looksLike(one, another))))
    }),
  )
})

test('each row is told about exactly the rows that a comparison of all pairs finds', () => {
  const aRow = fc.record({
    recipient: fc.constantFrom(paid, other, 'ada@example.com'),
    amount: fc.constantFrom(one, two),
    reference: fc.constantFrom(null, 'A', 'B'),
  })
  fc.assert(
    fc.property(fc.array(aRow, { maxLength: 10 }), (list) => {
      const rows = list.map((each, at) => ({ ...each, line: at + 2 }))
      const found = texts(rows)
      for (const [at, each] of rows.entries()) {
        const others = rows.filter((_, index) => index !== at)
        const sameReference = others.some(({ reference }) => reference !== null && reference === each.reference)
        const same = others.filter(({ recipient }) => recipient === each.recipient)
        const equal = same.filter(({ amount }) => amount === each.amount)
        expect(found[at]!.some((text) => text.startsWith('error: '))).toBe(sameReference)
        expect(found[at]!.filter((text) => /Row \d/.test(text))).toEqual(
          equal[0]
            ? [`warning: Row ${equal[0].line} pays the same recipient the same amount.`]
            : same[0]
              ? [`warning: Row ${same[0].line} also pays this recipient.`]
              : [],
        )
      }
    }),
  )
})
