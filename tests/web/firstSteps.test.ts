import { expect, test } from 'vitest'
import type { Overview } from '#schemas/overview.ts'
import { stepsOf } from '#web/routes/dashboard/-overview/steps.ts'

const after = (over: Partial<Overview>) =>
  stepsOf({ activeAgents: [], transactionCount: 0, failed: 0, totalBalance: '0', ...over } as Overview)

test('without an active wallet, funding and paying say so and have no link that would open nothing @overview-28', () => {
  const waits = { hint: 'You can do this once your wallet is active.', link: null }
  expect(after({ walletCount: 1, payingWalletId: null })).toMatchObject([
    { label: 'Create a wallet' },
    { label: 'Add funds', ...waits },
    { label: 'Create a policy group' },
    { label: 'Create an agent' },
    { label: 'Make your first payment', ...waits },
  ])
  const links = after({ walletCount: 1, payingWalletId: 'w1' }).map(({ label, link }) => [label, link?.search])
  expect(Object.fromEntries(links)).toMatchObject({
    'Add funds': { addFunds: 'w1' },
    'Make your first payment': { send: 'w1' },
  })
  expect(after({ walletCount: 0, payingWalletId: null })[1]).toMatchObject({ hint: 'Buy USDC with a card.' })
})
