/** From the page for new users to a funded payout, by what the screens say and nothing else. */
import { randomUUID } from 'node:crypto'
import { patient } from '../support/patience.ts'
import { createInputs, fundFirstWallet } from './firstHour.ts'
import { expect, onChain, test } from './fixtures.ts'
import { allTests } from './thorough.ts'

const mostInputs = 36

if (allTests)
  test('a new user sends a payout after at most 36 presses and fields @screens-123', async ({
    page,
    context,
    bursar,
  }) => {
    test.setTimeout(patient(120_000))
    const inputs = createInputs(page)
    const { press, type, button } = inputs
    const email = `eve-${randomUUID().slice(0, 8)}@bursar.test`

    await page.goto('/signup')
    await press(page.getByText('Own password', { exact: true }))
    await type('Email', email)
    await type('Your Name', 'Eve')
    await type('Password', 'analytical-engine')
    await press(button('Create Account'))
    await expect(page.getByRole('heading', { name: 'Confirm your email' })).toBeVisible()
    const [, code] = await bursar.message(email, /^(\d{6})$/m, 'the confirmation code')
    await type('6-digit code', code!)
    await press(button('Confirm Email'))
    await press(page.getByRole('link', { name: 'Go to sign in' }))
    await expect(page.getByLabel('Email'), 'carried over').toHaveValue(email)
    await type('Password', 'analytical-engine')
    await press(button('Sign In'))

    await fundFirstWallet(page, context, inputs)

    await press(button('Open menu'))
    await press(
      page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'Payouts', exact: true }),
    )
    await press(button('Create Payout'))
    await type('Recipient email', `grace-${randomUUID().slice(0, 8)}@bursar.test`)
    await type('Amount', '5')
    await press(button('Review'))
    await press(button('Send 5.00 USDC'))
    await expect(page.getByTestId('payout-created')).toHaveAttribute('data-status', 'CREATED', onChain)
    console.log(`a funded payout after ${inputs.count()} presses and fields`)
    expect(inputs.count()).toBeLessThanOrEqual(mostInputs)
  })
