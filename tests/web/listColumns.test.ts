/** The columns of the two lists, so that one that is added, lost or renamed by mistake is noticed. */
import { expect, test, vi } from 'vitest'

vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => undefined }))
const { rowsWith: payoutRows } = await import('#web/routes/dashboard/-payouts/list.tsx')
const { rowsWith: transactionRows } = await import('#web/routes/dashboard/-transactions/rows.tsx')

const headersOf = ({ columns }: { columns: { header: string }[] }) => columns.map(({ header }) => header)

test('the lists of transactions and payouts have these columns', () => {
  expect(headersOf(transactionRows(() => ''))).toEqual([
    'Date',
    'Type',
    'Sender',
    'Recipient',
    'Amount',
    'Status',
    'Actions',
  ])
  expect(headersOf(payoutRows({ hrefOf: () => '', onReclaim: () => undefined }))).toEqual([
    'Date',
    'Recipient',
    'Expires',
    'Amount',
    'Status',
    'Actions',
  ])
})
