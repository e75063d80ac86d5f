/** The first steps of a new account, by what the screens say and nothing else. Each press and each field counts as one input. */
import { type BrowserContext, expect, type Locator, type Page } from '@playwright/test'
import { onChain } from './fixtures.ts'

/** Long enough for a wallet to be deployed. */

export function createInputs(page: Page) {
  let count = 0
  return {
    count: () => count,
    async press(target: Locator): Promise<void> {
      count++
      await target.click()
    },
    async type(label: string | RegExp, text: string): Promise<void> {
      count++
      await page.getByLabel(label, { exact: true }).and(page.locator('input:not([type=radio])')).fill(text)
    },
    button: (name: string | RegExp) => page.getByRole('button', { name, exact: true }),
    nextStep: (name: string) => page.getByRole('region', { name: 'Next step' }).getByRole('link', { name }),
  }
}
export type Inputs = ReturnType<typeof createInputs>

/** From the overview of an empty account to a wallet with 100 USDC. */
export async function fundFirstWallet(page: Page, context: BrowserContext, inputs: Inputs): Promise<void> {
  const { press, type, button, nextStep } = inputs
  await press(page.getByRole('region', { name: 'First steps' }).getByRole('link', { name: 'Create a wallet' }))
  await press(button('Continue'))
  await press(page.getByRole('checkbox'))
  await press(button('Generate Recovery Phrase'))
  await press(button('Reveal phrase'))
  await press(page.getByLabel('I have securely saved my recovery phrase'))
  await type(/^Type/, 'I have saved my private key')
  await press(button('Deploy Wallet'))
  await expect(page.getByRole('heading', { name: 'Smart Wallet Created' })).toBeVisible(onChain)
  await press(button('Done'))
  await press(nextStep('Add funds'))
  const seller = context.waitForEvent('page')
  await press(button('Continue with $100.00'))
  await press((await seller).getByRole('button').first())
  await press(page.getByRole('dialog', { name: 'Funds added' }).getByRole('button', { name: 'Done' }))
}
