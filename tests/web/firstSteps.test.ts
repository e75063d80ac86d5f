import { expect, test } from 'vitest'
import type { Overview } from '#schemas/overview.ts'
import { stepsOf } from '#web/routes/dashboard/-overview/steps.ts'

const after = (over: Partial<Overview>) =>
  stepsOf({ activeAgents: [], transactionCount: 0, failed: 0, totalBalance: '0', ...over } as Overview)

test('without an active wallet, funding and paying say so and have no link that would open nothing @overview-28', () => {
  const ofWallet = ['Add funds', 'Make your first payment']
  for (const step of after({ walletCount: 1, payingWalletId: null }).filter(({ label }) => ofWallet.includes(label))) {
    expect(step.hint).toBe('You can do this once your wallet is active.')
    expect(step.link, step.label).toBeNull()
  }
  const links = after({ walletCount: 1, payingWalletId: 'w1' }).map(({ label, link }) => [label, link?.search])
  expect(Object.fromEntries(links)).toMatchObject({
    'Add funds': { addFunds: 'w1' },
    'Make your first payment': { send: 'w1' },
  })
})
