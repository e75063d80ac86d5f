/** A figure, the list behind it, the list's sum, and its CSV file. */
import { expect } from 'vitest'
import { formatUsdc } from '#domain/money.ts'
import type { ChainName } from '#domain/networks.ts'
import { sumOf } from './memoryAccount.ts'
import type { Month } from './randomMonth.ts'

export type Search = Record<string, string>
type Figure = { name: string; count?: number; sum?: string; of?: 'amount' | 'spent'; search: Search }

/** The figure, its list, the list's sum, the lines of its CSV and their sum say the same. */
export async function expectEqual(
  { lists }: Month,
  { name, count, sum, of = 'spent', search }: Figure,
  chain: ChainName = 'base',
) {
  const network = chain === 'base' ? {} : { network: chain }
  const { rows, page } = await lists.transactions({ ...search, ...network })
  const lines = await lists.transactionsCsv({ ...search, ...network })
  const said = {
    figure: [count ?? page.total, sum ?? page[of]![chain]],
    list: [page.total, page[of]![chain]],
    rows: rows.length,
    csv: [lines.length, formatUsdc(sumOf(lines, of === 'spent' ? 'Spent (USDC)' : 'Amount (USDC)'))],
  }
  const right = [count ?? lines.length, sum ?? said.csv[1]]
  expect(said, `${name} ${JSON.stringify(search)}`).toEqual({ figure: right, list: right, rows: right[0], csv: right })
}
