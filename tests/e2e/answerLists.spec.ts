/** Lists that answer a question: which payouts expire soon, what left a wallet or a group, and everything paid to one person. */
import { audit } from './audit.ts'
import { expect, soon, test } from './fixtures.ts'
import { auditWidths, exported, menuEntry, openOverview, signedInOwner, widen } from './listPages.ts'
import { newAddress } from './people.ts'

test('payouts that expire within 7 days: two presses from the overview, in the URL, sorted, in the file @answers-32', async ({
  page,
  context,
  bursar,
}) => {
  const owner = await signedInOwner(context, bursar)
  const create = (recipientEmail: string, amount: string, expiresInDays: number) =>
    owner.api('/escrow/create', { sourceWalletId: owner.wallet.id, amount, recipientEmail, expiresInDays })
  const long = `${'w'.repeat(48)}@bursar.test`
  await create('month@bursar.test', '3', 30)
  await create(long, '0.1', 7)
  await create('tomorrow@bursar.test', '2', 1)

  await openOverview(page)
  await menuEntry(page, 'Payouts').click()
  await page.getByRole('link', { name: '2 expire within 7 days' }).click(soon)
  const table = page.getByRole('table', { name: 'Payouts' })
  await expect(table.getByRole('row')).toHaveCount(3)
  const recipients = table.locator('tbody tr td:nth-child(2)')
  await expect(recipients).toHaveText(['tomorrow@bursar.test', long])
  await expect(table).toContainText(/Expires in 2\d hours.*Expires in 6 days/)
  await expect(page.getByRole('list', { name: 'Active filters' })).toContainText('Expires: Within 7 days')
  expect((await exported(page)).map((line) => line.split(',')[5])).toEqual(['tomorrow@bursar.test', long])
  await auditWidths(page, 'payouts-expiring')
  await page.reload()
  await expect(recipients).toHaveText(['tomorrow@bursar.test', long])
  const header = table.getByRole('columnheader', { name: 'Expires' })
  await expect(header).toHaveAttribute('aria-sort', 'ascending')
  await page.getByRole('button', { name: 'Clear all filters' }).click()
  await expect(recipients).toHaveText(['tomorrow@bursar.test', long, 'month@bursar.test'])
  await header.getByRole('button').click()
  await expect(recipients).toHaveText(['month@bursar.test', long, 'tomorrow@bursar.test'])
  await expect(page).toHaveURL(/sort=latest/)

  await page.getByRole('button', { name: 'Filters' }).click()
  await page.getByLabel('Expires').selectOption('Within 1 day')
  await audit(page, 'payouts-filter')
  await page.getByRole('button', { name: 'Apply Filters' }).click()
  await expect(recipients).toHaveText(['tomorrow@bursar.test'])
  await page.goto('/dashboard/payouts?expiresWithinDays=soon&sort=cheapest')
  await expect(recipients, 'what is not valid in a URL is ignored').toHaveCount(3)
})

test('everything paid to a person is one press from the contact; a wallet and a group filter the list @answers-33', async ({
  page,
  context,
  bursar,
}) => {
  const owner = await signedInOwner(context, bursar)
  const group = await owner.group(`Marketing ${'x'.repeat(40)}`, {
    scopes: ['address_payments:write', 'email_payments:write'],
  })
  const { apiKey } = await owner.agent(group, 'Scout')
  await owner.pay(apiKey!, '1.5')
  await owner.pay(apiKey!, '2.25')
  await owner.pay(apiKey!, '0.5', { type: 'email', email: 'grace@bursar.test' })
  await owner.api('/transactions/send', { walletId: owner.wallet.id, toAddress: owner.grace.address, amount: '4' })
  await owner.api('/transactions/send', { walletId: owner.wallet.id, toAddress: newAddress(), amount: '7' })
  await owner.contact({ name: 'ن'.repeat(40), email: 'noor@bursar.test' })

  await openOverview(page)
  await menuEntry(page, 'Contacts').click()
  await auditWidths(page, 'contacts-paid')
  await page.getByRole('link', { name: 'Grace Hopper' }).click()
  const total = page.getByRole('main').getByRole('status').filter({ hasText: 'Together' })
  await expect(total).toContainText('4 payments. Together: $8.25 USDC.', soon)
  await expect(page.getByRole('list', { name: 'Active filters' })).toContainText('Contact: Grace Hopper')
  const lines = await exported(page)
  expect(lines).toHaveLength(4)
  expect(lines.reduce((sum, line) => sum + Number(line.split(',')[4]), 0)).toBe(8.25)
  await auditWidths(page, 'transactions-of-person')

  await page.getByRole('button', { name: 'Clear all filters' }).click()
  await page.getByRole('button', { name: 'Filters' }).click()
  await page.getByLabel('Wallet').selectOption({ index: 1 })
  await page.getByLabel('Policy group').selectOption(group.name)
  await audit(page, 'transactions-filter')
  await widen(page)
  await page.getByRole('button', { name: 'Apply Filters' }).click()
  const chips = page.getByRole('list', { name: 'Active filters' })
  await expect(chips).toContainText(`Policy group: ${group.name}`)
  await expect(chips).toContainText('Wallet: ')
  await expect(page).toHaveURL(new RegExp(`wallet=${owner.wallet.id}`))
  await expect(page.getByRole('table', { name: 'Transactions' }).locator('tbody tr')).toHaveCount(3)
  expect(await exported(page)).toHaveLength(3)
  await page.getByRole('button', { name: `Remove filter: Policy group: ${group.name}` }).click()
  await expect(page.getByRole('table', { name: 'Transactions' }).locator('tbody tr')).not.toHaveCount(3)
})
