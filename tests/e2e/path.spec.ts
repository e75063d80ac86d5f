import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { Bursar } from '#sdk'
import { patient, within } from '../support/patience.ts'
import { signUpByPasscode } from './accounts.ts'
import { audit } from './audit.ts'
import { expect, onChain, test } from './fixtures.ts'
import { usdcOf } from './people.ts'
import { recipient } from './seededAccount.ts'

const stranger = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
/** Long enough for a payment to be on chain. */

/** The wrong code of the claim gets 422, which the browser logs. */
test.use({ tolerated: /status of 422/ })

test('from the first sign-in to paid agents and claimed payouts @path-1', { tag: '@core' }, async ({
  page,
  bursar,
  browser,
  watch,
}) => {
  test.setTimeout(patient(200_000))
  const { email, password } = await signUpByPasscode(bursar)
  const dialog = page.getByRole('dialog')
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })

  await test.step('sign in with the temporary password and choose a new one', async () => {
    await page.goto('/')
    await expect(page.getByRole('heading', { name: 'Welcome Back' })).toBeVisible()
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await button('Sign In').click()
    await expect(dialog.getByRole('heading', { name: "Welcome to Bursar! Let's set up your account" })).toBeVisible()
    await audit(page, 'onboarding')
    await page.getByLabel('Your Name').fill('Ada Lovelace')
    await page.getByLabel('New Password').fill('analytical-engine')
    await page.getByLabel('Confirm Password').fill('analytical')
    await button('Complete Setup').click()
    await expect(page.getByRole('alert')).toHaveText('Passwords do not match')
    await page.getByLabel('Confirm Password').fill('analytical-engine')
    await button('Complete Setup').click()
    await expect(dialog).toBeHidden()
    await expect(page.getByRole('main')).toBeFocused()
    await expect(page).toHaveURL('/dashboard/overview')
    await expect(page.getByTestId('total-balance')).toHaveText('$0.00 USDC')
    await audit(page, 'overview-empty')
  })

  await test.step('the empty screens say what to do first', async () => {
    for (const [entry, text, title = entry] of [
      ['Transactions', 'No transactions yet'],
      ['Payouts', 'No payouts found', 'Payout Management'],
      ['Contacts', 'No contacts yet'],
      ['Agents', 'No policy groups yet'],
      ['Wallets', 'No wallets yet'],
    ] as const) {
      await goTo(page, entry)
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(title)
      await expect(page.getByText(text)).toBeVisible()
      await audit(page, `${entry.toLowerCase()}-empty`)
    }
  })

  const walletAddress = await test.step('deploy a wallet with an owner key made in the browser', async () => {
    await button('New Wallet').click()
    await page.getByLabel('Wallet name').fill('Operations')
    await button('Continue').click()
    await expect(button('Generate Recovery Phrase')).toBeDisabled()
    await page.getByRole('checkbox').check()
    await audit(page, 'deploy-disclaimer')
    await button('Generate Recovery Phrase').click()
    const words = page.getByTestId('recovery-phrase').locator('li span:last-child')
    await expect(words).toHaveText(Array(12).fill('••••••'))
    await button('Reveal phrase').click()
    await expect(words).toHaveText(Array(12).fill(/^[a-z]{3,8}$/))
    await audit(page, 'deploy-phrase')
    await page.getByLabel('I have securely saved my recovery phrase').check()
    await expect(button('Deploy Wallet')).toBeDisabled()
    await page.getByLabel(/^Type/).fill('i have saved my private key ')
    await button('Deploy Wallet').click()
    await expect(page.getByRole('heading', { name: 'Smart Wallet Created' })).toBeVisible(onChain)
    await expect(page.getByTestId('address-matches')).toBeVisible()
    await audit(page, 'deploy-done')
    const address = /0x[0-9a-fA-F]{40}/.exec((await dialog.getByTestId('full-address').textContent())!)![0]
    await button('Done').click()
    await expect(page.getByTestId('wallet-card')).toContainText('Operations')
    return address
  })

  await test.step('fund the wallet', async () => {
    await button('Receive').click()
    await expect(dialog.getByRole('img', { name: /QR code/ })).toBeVisible()
    await button('Get 100.00 test USDC').click()
    await page.getByRole('button', { name: 'Close' }).last().click()
    await expect(async () => {
      await page.reload()
      await expect(page.getByTestId('wallet-balance')).toHaveText('$100.00 USDC', within(5_000))
    }).toPass(onChain)
  })

  await test.step('send to an address and wait for confirmation', async () => {
    await button('Send').click()
    await button('Review').click()
    await expect(page.getByRole('alert').first()).toHaveText('Please enter a recipient address')
    await page.getByLabel('Recipient address').fill(recipient)
    await page.getByLabel('Amount').fill('100.000001')
    await button('Review').click()
    await expect(page.getByRole('alert')).toHaveText('Insufficient balance')
    await audit(page, 'send-errors')
    await button('Use max balance').click()
    await expect(page.getByLabel('Amount')).toHaveValue('100')
    await page.getByLabel('Amount').fill('12,5')
    await page.getByLabel('Memo').fill('November')
    await button('Review').click()
    await expect(page.getByRole('heading', { name: 'Review payment' })).toBeVisible()
    await expect(button('Send 12.50 USDC')).toBeEnabled()
    await audit(page, 'send-review')
    await button('Send 12.50 USDC').click()
    await expect(page.getByRole('heading', { name: 'Sent 12.50 USDC' })).toBeVisible(onChain)
    await expect(page.getByTestId('send-status')).toHaveAttribute('data-status', 'CONFIRMED')
    await button('Done').click()
    await expect(page.getByTestId('wallet-balance')).toHaveText('$87.50 USDC')
  })

  const credentials =
    await test.step('create a policy group and an agent, whose credentials are shown once', async () => {
      await goTo(page, 'Agents')
      await button('New Policy Group').click()
      await page.getByLabel('Wallet', { exact: true }).selectOption('') // the only wallet is preselected
      await button('Create Policy Group').click()
      await expect(page.getByRole('alert')).toHaveText([
        'Policy name is required',
        'Budget limit is required',
        'Please select a wallet',
      ])
      await audit(page, 'group-errors')
      await page.getByLabel('Policy name').fill('Research')
      await page.getByLabel('Budget limit').fill('20')
      await page.getByLabel('Wallet', { exact: true }).selectOption({ label: 'Operations' })
      await page.getByRole('checkbox', { name: 'Address payments' }).check()
      await button('Create Policy Group').click()
      await expect(page.getByTestId('group-detail')).toContainText('Agents may pay any address.')

      await button('Add Agent').click()
      await page.getByLabel('Name', { exact: true }).fill('Scout')
      await button('Create Agent').click()
      await expect(page.getByRole('heading', { name: 'Scout’s credentials' })).toBeVisible()
      await audit(page, 'credentials')
      const clientId = (await page.getByTestId('client-id').textContent())!
      const clientSecret = (await page.getByTestId('client-secret').textContent())!
      const download = page.waitForEvent('download')
      await button('Download as JSON').click()
      expect((await download).suggestedFilename()).toBe('bursar-scout.json')
      await page.keyboard.press('Escape')
      await expect(page.getByTestId('client-secret')).toBeVisible()
      await button('I have stored them').click()
      await expect(page.getByTestId('agent-row')).toContainText('Scout')
      await expect(page.getByText(clientSecret)).toBeHidden()
      return { clientId, clientSecret }
    })

  await test.step('the agent pays, and is refused over its budget', async () => {
    const agent = new Bursar({ url: bursar.url, ...credentials })
    const paid = await agent.pay({ to: stranger, amount: '5', memo: 'data set' })
    const refused = await agent.pay({ to: stranger, amount: '15.000001', memo: 'data set' }).catch((error) => error)
    expect(refused).toMatchObject({ code: 'budget_exceeded', status: 403, problem: { remaining: '15' } })
    await agent.payments.wait(paid.id)
  })

  await test.step('the dashboard shows both', async () => {
    await page.reload()
    await expect(page.getByTestId('group-detail')).toContainText('$15.00')
    await goTo(page, 'Transactions')
    const rows = page.getByRole('table', { name: 'Transactions' }).getByRole('row')
    await expect(rows.filter({ hasText: '15.000001' })).toContainText('Failed')
    await expect(
      rows.filter({ hasText: '5.00' }).filter({ hasText: 'Scout' }).filter({ hasText: 'Completed' }),
    ).toBeVisible()
    await rows.filter({ hasText: '15.000001' }).getByRole('link').click()
    await expect(dialog.getByRole('alert')).toContainText('budget')
    const refusal = dialog.getByRole('listitem').filter({ hasText: 'Refused' })
    await expect(refusal.getByRole('time')).toBeVisible()
    await audit(page, 'transaction-refused')
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
  })

  const claimable = await test.step('create a payout', async () => {
    await goTo(page, 'Payouts')
    const to = `grace-${randomUUID().slice(0, 8)}@bursar.test`
    await createPayout(page, to, '10', 'Thank you')
    await audit(page, 'payout-created')
    const shown = {
      url: (await page.getByTestId('claim-url').textContent())!,
      code: (await page.getByTestId('passcode').textContent())!,
    }
    await button('Done').click()
    const [, url, code] = await bursar.message(to, /(http\S+\/claim\/\S+)[\s\S]*?^(\d{6})$/m, 'link and code')
    expect({ url, code }).toEqual(shown)
    return shown
  })

  await test.step('the recipient claims the payout on a phone', async () => {
    const phone = await browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true })
    await watch.over(phone)
    const claim = await phone.newPage()
    await claim.goto(claimable.url)
    await expect(claim.getByText('Ada Lovelace sent you')).toBeVisible()
    await expect(claim.getByText('“Thank you”')).toBeVisible()
    await claim.getByLabel('6-digit code').fill(claimable.code === '111111' ? '222222' : '111111')
    await expect(claim.getByRole('alert')).toHaveText('Invalid passcode. 4 tries left.')
    await claim.getByRole('button', { name: 'Continue' }).tap() // the same wrong code does not count again
    await expect(claim.getByRole('alert')).toHaveText('Invalid passcode. 4 tries left.')
    await claim.getByLabel('6-digit code').fill(claimable.code)
    await claim.getByLabel('Destination address').fill(stranger)
    await claim.getByRole('button', { name: 'Withdraw 10.00 USDC', exact: true }).tap()
    await claim.getByRole('button', { name: 'Yes, withdraw 10.00 USDC' }).tap()
    await expect(claim.getByRole('heading', { name: 'Transfer complete' })).toBeVisible(onChain)
    await expect(claim.getByTestId('claim-amount')).toHaveText('10.00 USDC')
    await phone.close()
  })

  await test.step('reclaim another payout', async () => {
    await createPayout(page, `nobody-${randomUUID().slice(0, 8)}@bursar.test`, '7.25')
    await button('Done').click()
    const row = page.getByRole('row').filter({ hasText: '7.25' })
    await row.getByRole('link', { name: /^View details of 7\.25 USDC to nobody-/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reclaim funds' }).click() // the row has one as well
    await expect(button('Reclaim 7.25 USDC')).toBeVisible()
    await audit(page, 'payout-reclaim')
    await button('Reclaim 7.25 USDC').click()
    await expect(page.getByRole('heading', { name: 'Reclaimed 7.25 USDC' })).toBeVisible(onChain)
    await button('Done').click()
    await page.keyboard.press('Escape') // the details, where the reclaim began
    await expect(row).toContainText('Reclaimed')
    await expect(page.getByRole('row').filter({ hasText: '10.00' })).toContainText('Withdrawn')
  })

  await test.step('the overview adds it all up', async () => {
    await goTo(page, 'Overview')
    await expect(page.getByTestId('total-balance')).toHaveText('$72.50 USDC') // 100 − 12.50 − 5 − 10
    await expect(page.getByRole('main')).toContainText(/Total spent\$27\.50/)
    await expect(page.getByRole('main')).toContainText(/Unclaimed payouts\$0\.00/)
    await expect(page.getByRole('main')).toContainText(/Active Agents1of 1 agent/)
    expect(await bursar.usdcOnChain(await usdcOf(bursar), walletAddress as `0x${string}`)).toBe(72_500_000n)
  })

  await test.step('sign out', async () => {
    await button('Open menu').click()
    await button('Sign Out').click()
    await expect(page).toHaveURL(/\/login$/)
    expect(
      await page.evaluate(() => Object.keys(localStorage).filter((key) => /token|user|cognito/.test(key))),
    ).toEqual([])
    await page.goto('/dashboard/wallets')
    await expect(page).toHaveURL(/\/login\?/)
  })
})

async function goTo(page: Page, entry: string): Promise<void> {
  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: entry }).click()
  await expect(page.getByRole('navigation', { name: 'Main navigation' })).toBeHidden()
}

/** Creates a payout on the Payouts page. Leaves the dialog with link and code open. */
async function createPayout(page: Page, to: string, amount: string, memo?: string): Promise<void> {
  await page.getByRole('button', { name: 'Create Payout', exact: true }).click()
  await expect(page.getByLabel('Source wallet')).not.toHaveValue('') // the only one
  await page.getByLabel('Amount').fill(amount)
  await page.getByLabel('Recipient email').fill(to)
  await page.getByLabel('Expires').selectOption('7')
  if (memo) await page.getByLabel('Memo').fill(memo)
  await page.getByRole('button', { name: 'Review', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Review payout' })).toBeVisible()
  await page.getByRole('button', { name: /^Send [\d.]+ USDC$/ }).click()
  await expect(page.getByTestId('payout-created')).toHaveAttribute('data-status', 'CREATED', onChain)
}
