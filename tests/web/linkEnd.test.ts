import { expect, test } from 'vitest'
import { withoutEnd } from '#web/lib/linkEnd.ts'

const origin = 'https://bursar.example'

test.each([
  '/claim/AbC-_09',
  '/dashboard/approvals/apr_1',
  '/confirm#token=AbC-_09',
  '/dashboard/wallets?session=wal_1',
  '/dashboard/transactions?from=2026-11-01&to=2026-11-30',
  '/',
])('%s with the end of a sentence behind it is the same address @links-1', (path) => {
  const link = `${origin}${path}`
  expect(withoutEnd(link)).toBe(link)
  for (const end of ['.', ',', ')', '>', ']', '"', '**', '…', '。', ' ', '/', '%20', '%3E', ').', '>,', '!?', '”'])
    expect(withoutEnd(new URL(`${link}${end}`).href), end).toBe(link)
})

test.each(['/dashboard/transactions?memo=Lunch.', '/dashboard/payouts?recipient=a)', '/login?next=%2Fdashboard%2F'])(
  '%s stays as it is: a filter may end like that @links-2',
  (path) => expect(withoutEnd(`${origin}${path}`)).toBe(`${origin}${path}`),
)
