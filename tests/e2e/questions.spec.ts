/** The nine questions of an owner with some payments: each is answered at most two presses from the overview. */
import type { Locator } from '@playwright/test'
import type { AgentRequests, PaidTo } from '#schemas/answers.ts'
import { expect, test } from './fixtures.ts'
import { menuEntry, openOverview, signedInOwner } from './listPages.ts'
import { newAddress } from './people.ts'

test('each question is answered at most two presses from the overview @answers-36', async ({
  page,
  context,
  bursar,
}) => {
  const owner = await signedInOwner(context, bursar)
  const group = await owner.group('Marketing')
  const { agent, apiKey } = await owner.agent(group, 'Scout')
  await owner.pay(apiKey!, '1.5')
  await owner.pay(apiKey!, '30', newAddress())
  const payout = { sourceWalletId: owner.wallet.id, amount: '2', recipientEmail: 'ada@bursar.test', expiresInDays: 1 }
  await owner.api('/escrow/create', payout)
  await expect
    .poll(async () => (await owner.api<AgentRequests>(`/usage/agents/${agent.id}`)).sums.map(({ count }) => count))
    .toEqual([1, 1])
  await expect.poll(async () => (await owner.api<PaidTo>('/usage/recipients')).spent).not.toBe('0')

  const region = (name: string) => page.getByRole('region', { name })
  const chips = page.getByRole('list', { name: 'Active filters' })
  const scout = region('Spending').getByRole('list', { name: 'Series' }).getByRole('link', { name: 'Scout' })
  const questions: [question: string, presses: Locator[], answer: () => Promise<void>][] = [
    [
      '1: which vendor gets most, this month against last',
      [menuEntry(page, 'Usage')],
      () =>
        expect(region('Who was paid').getByRole('listitem').first()).toContainText(/Grace Hopper.*nothing last month/),
    ],
    [
      '2: what did an agent do this week',
      [menuEntry(page, 'Usage'), scout],
      async () => {
        await expect(page.getByRole('heading', { level: 1 })).toHaveText('Scout')
        await expect(page.getByRole('button', { name: 'This week' })).toHaveAttribute('aria-pressed', 'true')
      },
    ],
    [
      '3: is there a trend',
      [menuEntry(page, 'Usage')],
      () => expect(region('Monthly Account Spend')).toContainText(/Spent in \w+ \d{4}\s*\$0\.00/),
    ],
    [
      '4: who changed what',
      [menuEntry(page, 'History of changes')],
      () => expect(region('Changes').getByRole('listitem').first()).toContainText(/Scout.*Signed in as you/),
    ],
    [
      '5: which payouts expire soon',
      [menuEntry(page, 'Payouts'), page.getByRole('link', { name: '1 expires within 7 days' })],
      () =>
        expect(page.getByRole('table', { name: 'Payouts' })).toContainText(/ada@bursar\.test.*Expires in 2\d hours/),
    ],
    [
      '6: why were payments refused, in sum',
      [menuEntry(page, 'Usage')],
      () => expect(region('Refusals').getByRole('listitem')).toContainText(/Scout.*\$30\.00.*1 request/),
    ],
    [
      '7: what was paid from a wallet',
      [menuEntry(page, 'Usage'), region('Unnamed Wallet').getByRole('link', { name: /^\$/ }).first()],
      () => expect(chips).toContainText('Wallet: '),
    ],
    [
      '7: what was paid by a policy group',
      [menuEntry(page, 'Agents'), region('Marketing').getByRole('link', { name: '1 payment', exact: true })],
      () => expect(chips).toContainText('Policy group: Marketing'),
    ],
    [
      '8: what was paid to one person',
      // Until the contacts are there, the overview is, with links of this name.
      [
        menuEntry(page, 'Contacts'),
        page.getByRole('table', { name: 'Contacts' }).getByRole('link', { name: 'Grace Hopper' }),
      ],
      () => expect(page.getByRole('status').filter({ hasText: 'Together' })).toContainText('$1.50 USDC'),
    ],
    [
      '9: what did an agent want, and what did it get',
      [menuEntry(page, 'Usage'), scout],
      () => expect(region('Requests')).toContainText('Got $1.50 USDC of $31.50 USDC that it asked for, 4%'),
    ],
  ]
  for (const [question, presses, answer] of questions)
    await test.step(question, async () => {
      expect(presses.length).toBeLessThanOrEqual(2)
      await openOverview(page)
      for (const press of presses) await press.click()
      await answer()
    })
})
