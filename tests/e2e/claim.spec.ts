import { randomUUID } from 'node:crypto'
import type { Locator, Page } from '@playwright/test'
import { until } from '../../scripts/demoClient.ts'
import { aPayout } from '../stack/aStack.ts'
import { audit } from './audit.ts'
import { expect, test } from './fixtures.ts'
import { recipient } from './household.ts'

/** A wrong code and an unknown link are answered with 4xx, which the browser reports by itself. */
test.use({ tolerated: /status of (404|422)/, viewport: { width: 390, height: 844 } })

test('a recipient loads, proves who they are and withdraws, by keyboard alone', async ({ page, bursar, household }) => {
  const { path, passcode } = await aPayout(bursar, household.token, household.wallet.id)
  const press = (key: string) => page.keyboard.press(key)

  const answer = Promise.withResolvers<void>()
  await page.route('**/api/escrow/claim/*', async (route) => {
    await answer.promise
    await route.continue()
  })
  await page.goto(path)
  await expect(page.getByRole('status', { name: 'Loading' })).toBeVisible()
  answer.resolve()

  await expect(page.getByRole('heading', { name: 'Verify your identity' })).toBeVisible()
  await expect(page.getByTestId('claim-amount')).toHaveText('5.00 USDC')
  await expect(page.getByText('The code was sent by email to')).toBeVisible()
  await expect(page.getByText(/Claim before \w{3}, \w{3} \d+, \d{4}/)).toBeVisible()
  await audit(page, 'claim-verify')

  const code = page.getByLabel('6-digit code')
  const go = page.getByRole('button', { name: 'Continue' })
  await press('Tab')
  await expect(code).toBeFocused()
  await page.keyboard.type('12a 34')
  await expect(code).toHaveValue('1234')
  await expect(go).toBeDisabled()
  await press('Enter')
  await expect(page.getByRole('alert')).toHaveText('Passcode must be 6 digits')
  await page.keyboard.type(passcode.endsWith('56') ? '57' : '56')
  await expect(page.getByRole('alert')).toBeHidden()
  await press('ControlOrMeta+a')
  await page.keyboard.type(passcode === '000000' ? '000001' : '000000')
  await press('Enter')
  await expect(page.getByRole('alert')).toHaveText('Invalid passcode. 4 tries left.')
  await audit(page, 'claim-wrong-code')
  await expect(code).toBeFocused()
  await page.keyboard.type(passcode) // the wrong one is selected
  await expect(go).toBeEnabled()
  await press('Tab')
  await expect(go).toBeFocused()
  await press('Enter')

  await expect(page.getByRole('heading', { name: 'Withdraw funds' })).toBeVisible()
  await expect(page.getByText('Network fees covered')).toBeVisible()
  await audit(page, 'claim-withdraw')
  const address = page.getByLabel('Destination address')
  await tabTo(page, address)
  await press('Enter')
  await expect(page.getByRole('alert')).toHaveText('Please enter a destination address')
  await page.keyboard.type('0x123')
  await press('Enter')
  await expect(page.getByRole('alert')).toHaveText('Invalid Ethereum address format')
  await press('ControlOrMeta+a')
  await page.keyboard.type(recipient.toLowerCase())
  await press('Enter')

  await expect(page.getByRole('heading', { name: 'Check the address' })).toBeVisible()
  await expect(page.getByTestId('full-address')).toContainText(recipient.slice(-4))
  await audit(page, 'claim-review')
  await tabTo(page, page.getByRole('button', { name: 'Yes, withdraw 5.00 USDC' }))
  await press('Enter')
  await expect(page.getByRole('heading', { name: 'Transfer complete' })).toBeVisible({ timeout: 30_000 })
  await expect(page.getByText('Network fees covered by sender')).toBeVisible()
  await expect(page.getByRole('link', { name: 'View transaction in explorer' })).toHaveAttribute(
    'href',
    /\/dev\/tx\/0x/,
  )
  await audit(page, 'claim-complete')

  await page.reload()
  await expect(page.getByRole('heading', { name: 'Already Claimed' })).toBeVisible()
  await audit(page, 'claim-claimed')
})

test('an unknown link says so and leads home', async ({ page }) => {
  await page.goto('/claim/nothing-here')
  await expect(page.getByRole('heading', { name: 'Payout Not Found' })).toBeVisible()
  await expect(page.getByText('This payout link is invalid or has expired.')).toBeVisible()
  await audit(page, 'claim-unknown')
  await page.getByRole('link', { name: 'Return Home' }).click()
  await expect(page).toHaveURL(/\/login$/)
})

test('a payout past its date is gone', async ({ page, household }) => {
  const eightDays = 8 * 86_400_000 // one day more than the payout lasts
  await page.clock.setFixedTime(Date.now() + eightDays)
  await page.goto(household.payout.path)
  await expect(page.getByRole('heading', { name: 'Payout Not Found' })).toBeVisible()
  await expect(page.getByText('This payout link is invalid or has expired.')).toBeVisible()
})

test('a reclaimed payout says who took it back', async ({ page, bursar, household }) => {
  const { token, wallet } = household
  const { path, accessToken } = await aPayout(bursar, token, wallet.id)
  const { escrowId } = await bursar.api<{ escrowId: string }>(`/escrow/claim/${accessToken}`)
  await bursar.api(`/escrow/${escrowId}/reclaim`, { token, key: randomUUID(), body: {} })
  await until('the reclaim', async () => {
    const { status } = await bursar.api<{ status: string }>(`/escrow/claim/${accessToken}`)
    return status === 'CANCELLED'
  })
  await page.goto(path)
  await expect(page.getByRole('heading', { name: 'Payout Reclaimed' })).toBeVisible()
  await expect(page.getByText('The sender took these funds back')).toBeVisible()
  await audit(page, 'claim-reclaimed')
  await page.getByRole('link', { name: 'Close' }).click()
  await expect(page).toHaveURL(/\/login$/)
})

/** Presses Tab until `target` has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible()
  for (let i = 0; i < 12; i++) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  await expect(target).toBeFocused()
}
