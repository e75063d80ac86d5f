/** Screens show at once what the user has just done. */
import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { audit } from './audit.ts'
import { expect, testAsPayer as test } from './fixtures.ts'

const soon = { timeout: 8_000 }
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })

test.describe('lists that cannot be read', () => {
  test.use({ tolerated: /Failed to load resource/ })
  test('an accepted payout is in its list before its dialog has closed, from the reply @screens-40', async ({
    page,
  }) => {
    const to = `now-${randomUUID().slice(0, 8)}@bursar.test`
    await page.goto('/dashboard/payouts')
    await expect(page.getByText('Syncing...')).toHaveCount(0)
    await button(page, 'Create Payout').click()
    await page.getByLabel('Recipient email').fill(to)
    await page.getByLabel('Amount', { exact: true }).fill('0.25')
    await button(page, 'Review').click()
    await page.route('**/api/escrow/list?*', (route) => route.abort())
    await button(page, 'Send 0.25 USDC').click()
    await expect(page.getByTestId('payout-created')).toBeVisible()
    await button(page, 'Done').click()
    await expect(page.getByRole('table', { name: 'Payouts' }).getByRole('row', { name: new RegExp(to) })).toBeVisible({
      timeout: 1_000,
    })
    await page.unroute('**/api/escrow/list?*')
    await expect(page.getByRole('table', { name: 'Payouts' }).getByRole('row', { name: new RegExp(to) })).toContainText(
      /created/i,
      { timeout: 20_000 },
    )
  })
})

test('a payment whose dialog was closed becomes completed in the list within seconds, and the balance with it @screens-41', async ({
  page,
  own,
}) => {
  const to = privateKeyToAddress(generatePrivateKey())
  await page.goto('/dashboard/transactions')
  await expect(page.getByRole('table', { name: 'Transactions' })).toBeVisible()
  await page.goto(`/dashboard/wallets?send=${own.wallet.id}`)
  await page.getByLabel('Recipient address', { exact: true }).fill(to)
  await page.getByLabel('Amount', { exact: true }).fill('0.5')
  await button(page, 'Review').click()
  await button(page, 'Send 0.50 USDC').click()
  await page.getByTestId('send-status').waitFor()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Close|Done/ })
    .first()
    .click()
  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.getByRole('link', { name: 'Transactions' }).click()
  const row = page.getByRole('row', { name: new RegExp(`${to.slice(0, 6)}…${to.slice(-4)}`) })
  await expect(row).toBeVisible({ timeout: 1_500 })
  await expect(row).toContainText('Completed', soon)
})

test('test money from the faucet is in the balance within seconds, also behind the open dialog @screens-42', async ({
  page,
  own,
}) => {
  await page.goto(`/dashboard/wallets?receive=${own.wallet.id}`)
  const balance = page.getByTestId('wallet-balance').first()
  const before = await balance.textContent({ timeout: 5_000 }).catch(() => null)
  await button(page, 'Get 100.00 test USDC').click()
  await expect(balance).not.toHaveText(before ?? '', soon)
})

test('deposits and withdrawals are rows of the list, with details and a filter @screens-43', async ({ page }) => {
  await page.goto('/dashboard/transactions?type=deposit')
  const row = page.getByRole('table', { name: 'Transactions' }).getByRole('row').nth(1)
  await expect(row).toContainText('Deposit')
  await expect(row).toContainText('Received')
  await page.goto('/dashboard/transactions?type=deposit&min=2')
  const details = row.getByRole('link', { name: /^View details of Deposit/ })
  await expect(details, 'a number in a link is not quoted').toHaveAttribute('href', /[?&]min=2&/)
  await audit(page, 'deposits')
  await details.click()
  await expect(page.getByRole('dialog')).toContainText('Outside Bursar')
  await audit(page, 'deposit-details')
})

test('an address that becomes a contact shows its name on older payments, and is not offered again @screens-45', async ({
  page,
  own,
}) => {
  const to = privateKeyToAddress(generatePrivateKey())
  const { id } = await own.api<{ id: string }>('/transactions/send', {
    walletId: own.wallet.id,
    toAddress: to,
    amount: '0.1',
  })
  await page.goto(`/dashboard/transactions?detail=${id}`)
  const dialog = page.getByRole('dialog', { name: 'Transaction details' })
  await dialog.getByRole('button', { name: 'Add as Contact' }).click()
  const name = `GPU vendor ${to.slice(2, 6)}`
  await page.getByLabel('Name', { exact: true }).fill(name)
  await button(page, 'Add Contact').click()
  await expect(dialog).toContainText(name)
  await expect(dialog.getByRole('button', { name: 'Add as Contact' })).toHaveCount(0)
  await dialog.getByRole('button', { name: 'Close' }).first().click()
  await expect(page.getByRole('row', { name: new RegExp(name) })).toBeVisible()
  await page.goto('/dashboard/overview')
  await expect(page.getByRole('link', { name }).first()).toBeVisible()
})
