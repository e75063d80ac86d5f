/** From an empty account to the first payment of an agent, by what the screens say and nothing else. */
import { execFileSync } from 'node:child_process'
import type { Locator } from '@playwright/test'
import { expect, testAsNewUser as test } from './fixtures.ts'
import { thorough } from './thorough.ts'

/** Long enough for a wallet to be deployed. */
const onChain = { timeout: 45_000 }
const most = { inputs: 25, ms: 60_000 }

if (thorough)
  test('whoever follows only the screens makes the first payment within a minute and 25 inputs @screens-61', async ({
    page,
    context,
  }) => {
    const startedAt = Date.now()
    let inputs = 0
    const press = async (target: Locator) => {
      inputs++
      await target.click()
    }
    const type = async (label: string | RegExp, text: string) => {
      inputs++
      await page.getByLabel(label, { exact: true }).fill(text)
    }
    const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
    const next = (name: string) => page.getByRole('region', { name: 'Next step' }).getByRole('link', { name })
    await page.goto('/dashboard/overview')
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
    await press(next('Add funds'))
    const seller = context.waitForEvent('page')
    await press(button('Continue with $100.00'))
    await press((await seller).getByRole('button').first())
    await press(page.getByRole('dialog', { name: 'Funds added' }).getByRole('button', { name: 'Done' }))
    await press(next('Create a policy group'))
    await type('Policy name', 'Research')
    await type('Budget limit', '20')
    await press(page.getByRole('checkbox', { name: 'Email payouts' }))
    await press(button('Create Policy Group'))
    await press(next('Create an agent'))
    await type('Name', 'Scout')
    await press(button('Create Agent'))
    const apiKey = (await page.getByTestId('api-key').textContent())!
    const command = (await page.getByRole('tabpanel', { name: 'curl', exact: true }).locator('pre').textContent())!
    inputs += 2 // copying the key and the command
    execFileSync('sh', ['-c', command], { env: { ...process.env, BURSAR_API_KEY: apiKey } })
    await expect(page.getByTestId('activity').getByRole('listitem')).toContainText('$1.00 USDC', { timeout: 4_000 })
    const ms = Date.now() - startedAt
    console.log(`first payment after ${ms} ms and ${inputs} inputs`)
    expect(inputs).toBeLessThanOrEqual(most.inputs)
    expect(ms).toBeLessThan(most.ms)
  })
