import type { Page } from '@playwright/test'

/** Completes the filled-in deploy dialog, with a new phrase, and presses Deploy. */
export async function deployWithNewPhrase(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Generate Recovery Phrase' }).click()
  await page.getByLabel('I have securely saved my recovery phrase').check()
  await page.getByLabel(/^Type/).fill('I have saved my private key')
  await page.getByRole('button', { name: 'Deploy Wallet' }).click()
}
