import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { kindNames, kinds } from '#domain/kinds/kinds.ts'
import { transactionCategories } from '#domain/lists.ts'
import * as kindSql from '../../worker/treasury/core/storage/kindSql.ts'

const root = join(import.meta.dirname, '../..')

test('only domain/kinds knows the kinds of payment by name: other code asks what a kind does @kinds-1', () => {
  const names = kindNames.join('|')
  // Comparisons in code and in SQL, also of recipients and categories. A `switch` over all of them is checked by the compiler.
  const comparison = new RegExp(
    `(?:===|!==|(?:\\b|_)(?:kind|type|category)\\)?['"]? ?(?:==?|<>|!=|IN \\()) ?'(?:${names})'`,
  )
  const places = globSync('{worker,web/src,sdk/src,local,launch,scripts}/**/*.{ts,tsx}', { cwd: root })
    .filter((path) => !path.startsWith('worker/domain/kinds/') && !path.endsWith('.gen.ts'))
    .flatMap((path) =>
      readFileSync(join(root, path), 'utf8')
        .split('\n')
        .flatMap((line, i) => (comparison.test(line) ? [`${path}:${i + 1} ${line.trim()}`] : [])),
    )
  expect(places).toEqual([])
  expect("if (payment.kind === 'payout')").toMatch(comparison)
  expect("to.type !== 'x402'").toMatch(comparison)
  expect("WHERE kind <> 'x402'").toMatch(comparison)
  expect("to_type IN ('x402')").toMatch(comparison)
})

test('each condition in SQL names exactly the kinds of payment that it describes @kinds-2', () => {
  const { isRelayed, isSellerSubmitted, isToAddress, isToSeller, hasOwnAddress, isFunding } = kindSql
  const described = { isRelayed, isSellerSubmitted, isToAddress, isToSeller, hasOwnAddress, isFunding }
  expect(Object.fromEntries(Object.entries(described).map(([name, sql]) => [name, sql('kind')]))).toEqual({
    isRelayed: "kind <> 'x402'",
    isSellerSubmitted: "kind = 'x402'",
    isToAddress: "kind = 'send'",
    isToSeller: "kind = 'x402'",
    hasOwnAddress: "kind <> 'payout'",
    isFunding: "kind = 'payout'",
  })
  const spent = { confirmed: 'a', withdrawn: 'b' }
  expect(kindSql.byKind('NEW.kind', ({ spentWhen }) => spent[spentWhen])).toBe(
    "CASE NEW.kind WHEN 'send' THEN a WHEN 'payout' THEN b WHEN 'x402' THEN a END",
  )
})

test('money that is spent when a recipient withdraws it has funded a payout, and each kind has a category @kinds-3', () => {
  for (const kind of Object.values(kinds)) {
    expect(kind.spentWhen === 'withdrawn').toBe(kind.transfer === 'funded')
    expect(kind.gasSteps.length > 0).toBe(kind.submittedBy === 'relayer')
    for (const to of ['contact', 'address', 'email', 'phone', 'x402'] as const)
      expect(transactionCategories).toContain(kind.category(to))
  }
})
