/** From an empty account to the first payment of an agent, by what the screens say and nothing else. */
import { execFileSync } from 'node:child_process'
import { createInputs, fundFirstWallet } from './firstHour.ts'
import { expect, testAsNewUser as test } from './fixtures.ts'
import { thorough } from './thorough.ts'

const most = { inputs: 25, ms: 60_000 }

if (thorough)
  test('a new user’s agent pays within a minute and 25 inputs @screens-61', async ({ page, context }) => {
    const startedAt = Date.now()
    const inputs = createInputs(page)
    const { press, type, button, nextStep: next } = inputs
    await page.goto('/dashboard/overview')
    await fundFirstWallet(page, context, inputs)
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
    const copies = 2 // of the key and the command
    execFileSync('sh', ['-c', command], { env: { ...process.env, BURSAR_API_KEY: apiKey } })
    await expect(page.getByTestId('activity').getByRole('listitem')).toContainText('$1.00 USDC')
    const ms = Date.now() - startedAt
    console.log(`first payment after ${ms} ms and ${inputs.count() + copies} inputs`)
    expect(inputs.count() + copies).toBeLessThanOrEqual(most.inputs)
    expect(ms).toBeLessThan(most.ms)
  })
