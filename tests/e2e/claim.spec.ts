import { randomUUID } from 'node:crypto'
import type { Locator, Page } from '@playwright/test'
import { dayMs } from '#domain/time.ts'
import type { CreateEscrowReply } from '#schemas/escrow.ts'
import { until } from '../../local/client.ts'
import { within } from '../support/patience.ts'
import { createPayout } from '../support/testStack.ts'
import { audit, spokenAddress } from './audit.ts'
import { recordHeadings, withoutServedReply } from './claimPage.ts'
import { beSignedIn, expect, test } from './fixtures.ts'
import { tabTo } from './inputModes.ts'
import { recipient } from './seededAccount.ts'

/** A wrong code and an unknown link get a 4xx status, which the browser logs. */
test.use({ tolerated: /status of (404|410|422)/, viewport: { width: 390, height: 844 } })

test('a recipient opens the link, verifies their identity and withdraws, by keyboard alone @claim-1', {
  tag: '@core',
}, async ({ page, bursar, seeded, watch }) => {
  const { path, passcode } = await createPayout(bursar, seeded.token, seeded.wallet.id)
  const press = (key: string) => page.keyboard.press(key)

  const answer = Promise.withResolvers<void>()
  const headings = await recordHeadings(page)
  await withoutServedReply(page)
  await page.route('**/api/escrow/claim/*', async (route) => {
    await answer.promise
    await route.continue()
  })
  await page.goto(path)
  await expect(page.getByRole('status', { name: 'Loading' })).toBeVisible()
  answer.resolve()

  await expect(page.getByRole('heading', { name: 'Verify your identity' })).toBeVisible()
  await expect(page.getByTestId('claim-amount')).toHaveText('5.00 USDC')
  await expect(page.getByText('USDC is a digital dollar, worth about 1 US dollar.')).toBeVisible()
  await expect(page.getByText('The code was sent by email to')).toBeVisible()
  await expect(page.getByLabel('6-digit code')).toBeFocused()
  await page.getByText('What is Bursar?').press('Enter')
  await expect(page.getByText('Ask them if anything is unclear.')).toBeVisible()
  await expect(page.getByText(/Claim before \w{3}, \w{3} \d+, \d{4}/)).toBeVisible()
  await audit(page, 'claim-verify')

  const code = page.getByLabel('6-digit code')
  const go = page.getByRole('button', { name: 'Continue' })
  await code.focus()
  await expect(code).toHaveAttribute('autocomplete', 'one-time-code')
  await expect(code, 'not digits that look typed').toHaveAttribute('placeholder', '······')
  await page.keyboard.type('12a 34')
  await expect(code).toHaveValue('1234')
  await expect(go).toBeDisabled()
  await press('Enter')
  await expect(page.getByRole('alert')).toHaveText('Passcode must be 6 digits')
  await page.keyboard.type('5')
  await expect(page.getByRole('alert')).toBeHidden()
  await press('ControlOrMeta+a')
  await page.keyboard.type(passcode === '000000' ? '000001' : '000000') // the sixth digit submits
  await expect(page.getByRole('alert')).toHaveText('Invalid passcode. 4 tries left.')
  await audit(page, 'claim-wrong-code')
  await expect(code).toBeFocused()
  await page.keyboard.type(passcode) // replaces the wrong code, which is selected

  await expect(page.getByRole('heading', { name: 'Withdraw funds' })).toBeVisible()
  await expect(page.getByText('Network fees covered')).toBeVisible()
  // The code of the next steps is loaded before the money leaves, so that a lost network cannot leave the page empty.
  for (const part of ['ClaimPending', 'Receipt'])
    await expect.poll(() => watch.requests.some((url) => url.includes(`/assets/${part}-`))).toBe(true)
  await audit(page, 'claim-withdraw')
  const address = page.getByLabel('Destination address')
  await tabTo(page, page.getByRole('button', { name: 'Withdraw 5.00 USDC' }))
  await press('Enter')
  await expect(page.getByRole('alert')).toHaveText('Please enter a destination address')
  await expect(address).toBeFocused()
  await page.keyboard.type('0x123')
  await press('Enter')
  await expect(page.getByRole('alert')).toHaveText('Invalid Ethereum address format')
  await press('ControlOrMeta+a')
  await page.keyboard.type(recipient.toLowerCase())
  await press('Enter')

  await expect(page.getByRole('heading', { name: 'Check the address' })).toBeVisible()
  await expect(page.getByTestId('full-address')).toContainText(recipient.slice(-4))
  await expect(page.getByTestId('full-address')).toMatchAriaSnapshot(spokenAddress(recipient))
  await audit(page, 'claim-review')
  await tabTo(page, page.getByRole('button', { name: 'Yes, withdraw 5.00 USDC' }))
  await press('Enter')
  await expect(page.getByRole('heading', { name: 'Transfer complete' })).toBeFocused(within(30_000))
  const steps = ['Verify your identity', 'Withdraw funds', 'Check the address']
  expect(await headings(), 'nothing else is shown or announced').toEqual([
    ...steps,
    'Transferring 5.00 USDC',
    'Transfer complete',
  ])
  await expect(page.getByText('Network fees covered by sender')).toBeVisible()
  await expect(page.getByText('A wallet shows it under USDC on Base')).toBeVisible()
  await expect(page.getByRole('link', { name: 'View transaction in explorer' })).toHaveAttribute(
    'href',
    /\/dev\/tx\/0x/,
  )
  await audit(page, 'claim-complete')

  const receipt = await page.getByRole('main').textContent()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Transfer complete' })).toBeFocused()
  expect(await headings(), 'after a reload').toEqual(['Transfer complete'])
  expect(await page.getByRole('main').textContent(), 'the receipt outlives a reload').toBe(receipt)

  await test.step('the receipt goes to the payout’s own mailbox @screens-51', async () => {
    const email = page.getByRole('button', { name: /^Email the receipt to .\*\*\*@bursar\.test$/ })
    await page.setViewportSize({ width: 320, height: 640 })
    const beside = await email.evaluate(
      (it) => it.getBoundingClientRect().right - it.lastElementChild!.getBoundingClientRect().right,
    )
    expect(beside, 'the text stays inside its button on a small phone').toBeGreaterThan(8)
    await email.click()
    const sent = page.getByRole('status').filter({ hasText: /^The receipt is on its way to .\*\*\*@/ })
    await expect(sent, 'gets the focus of the button, which is gone').toBeFocused()
    await bursar.message('ada@bursar.test', /You received 5\.00 USDC/, 'the receipt')
  })

  await page.evaluate(() => {
    // As in another browser.
    sessionStorage.clear()
    localStorage.clear()
  })
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Already Claimed' })).toBeVisible()
  await expect(page.getByTestId('full-address')).toContainText(recipient)
  await expect(page.getByText('If this is your address, the money is yours')).toBeVisible()
  await expect(page.getByRole('link', { name: 'View transaction in explorer' })).toHaveAttribute(
    'href',
    /\/dev\/tx\/0x/,
  )
  await audit(page, 'claim-claimed')
})

test('a claim page comes with its data, whose text cannot become part of the page @screens-69', {
  tag: '@core',
}, async ({ page, bursar, seeded, watch }) => {
  const memo = '</script><img src=x onerror=alert(1)> <!-- “so far”'
  const { token, wallet } = seeded
  const { claimUrl } = await bursar.api<CreateEscrowReply>('/escrow/create', {
    token,
    key: randomUUID(),
    body: { sourceWalletId: wallet.id, amount: '1', recipientEmail: 'grace@bursar.test', expiresInDays: 1, memo },
  })
  await page.route('**/api/escrow/**', (route) => route.abort())
  await page.goto(new URL(claimUrl).pathname)
  await expect(page.getByTestId('claim-amount')).toHaveText('1.00 USDC')
  await expect(page.getByText(memo)).toBeVisible()
  expect(watch.requests.filter((url) => url.includes('/api/escrow/'))).toEqual([])
})

test('an unknown link shows an error, and a visitor without an account can close the page @claim-2', {
  tag: '@core',
}, async ({ page }) => {
  await page.goto('/claim/nothing-here')
  await expect(page.getByRole('heading', { name: 'Payout Not Found' })).toBeVisible()
  await expect(page.getByText('This payout link is invalid or has expired.')).toBeVisible()
  await audit(page, 'claim-unknown')
  await page.getByRole('button', { name: 'Return Home' }).click()
  await expect(page.getByRole('status')).toHaveText('You can close this page.')
})

test('the server’s clock decides whether a payout has expired, not the browser’s @claim-3', { tag: '@core' }, async ({
  page,
  seeded,
}) => {
  const eightDays = 8 * dayMs // one day more than the payout lasts
  await page.clock.setFixedTime(Date.now() + eightDays)
  await page.goto(seeded.payout.path)
  await expect(page.getByRole('heading', { name: 'Verify your identity' })).toBeVisible()

  const error = 'This payout link is invalid or has expired.'
  await withoutServedReply(page)
  await page.route('**/api/escrow/claim/*', (route) =>
    route.fulfill({ status: 410, json: { success: false, code: 'gone', error } }),
  )
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Payout Not Found' })).toBeVisible()
  await expect(page.getByText(error)).toBeVisible()
})

test('a payout that was never funded is not shown as taken back @claim-19', { tag: '@core' }, async ({
  page,
  seeded,
}) => {
  await withoutServedReply(page)
  await page.route('**/api/escrow/claim/*', async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    await route.fulfill({ response, json: { ...body, data: { ...body.data, status: 'FAILED' } } })
  })
  await page.goto(seeded.payout.path)
  await expect(page.getByRole('heading', { name: 'Payout Not Funded' })).toBeVisible()
  await expect(page.getByRole('main')).toContainText('The sender’s payment did not arrive')
  await expect(page.getByText('took these funds back')).toHaveCount(0)
  await audit(page, 'claim-never-funded')
})

test('a payout of test money is marked as such at each step @claim-20', { tag: '@core' }, async ({ page, seeded }) => {
  let status = 'CREATED'
  await withoutServedReply(page)
  await page.route('**/api/escrow/claim/*', async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    const withdrawnToAddress = status === 'WITHDRAWN' ? recipient : null
    const data = { ...body.data, chain: 'base-sepolia', status, withdrawnToAddress }
    await route.fulfill({ response, json: { ...body, data } })
  })
  await page.goto(seeded.payout.path)
  const saysTest = async () => {
    await expect(page.locator('body')).toContainText('5.00 Test USDC')
    await expect(page.getByText(/[\d.]+ USDC|Base network/), 'nothing suggests real money').toHaveCount(0)
  }
  await expect(page.getByText('Test money on Base Sepolia: it has no value.')).toBeVisible()
  await saysTest()
  await page.getByLabel('6-digit code').fill(seeded.payout.passcode)
  await expect(page.getByText('Payout wallet on the Base Sepolia test network')).toBeVisible()
  await saysTest()
  await page.getByLabel('Destination address').fill(recipient)
  await page.getByRole('button', { name: 'Withdraw 5.00 Test USDC' }).click()
  await expect(page.getByRole('button', { name: 'Yes, withdraw 5.00 Test USDC' })).toBeVisible()
  await saysTest()
  for (const [next, title] of [
    ['CLAIMING', 'Transferring 5.00 Test USDC'],
    ['WITHDRAWN', 'Already Claimed'],
  ] as const) {
    status = next
    await page.reload()
    await expect(page.getByRole('heading', { name: title })).toBeVisible()
    await saysTest()
  }
})

test('a reclaimed payout shows who took it back, and a signed-in visitor returns to the dashboard @claim-4', {
  tag: '@core',
}, async ({ page, context, bursar, seeded }) => {
  await beSignedIn(context, seeded)
  const { token, wallet } = seeded
  const { path, accessToken } = await createPayout(bursar, token, wallet.id)
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
  await expect(page).toHaveURL(/\/dashboard\/overview$/)
})

test.describe('by mouse', () => {
  test.use({ tolerated: /status of (404|422|429|500)/, viewport: { width: 1400, height: 900 } })

  test('a recipient by SMS waits for funding, requests a new code, corrects a wrong one and withdraws @claim-5', {
    tag: '@core',
  }, async ({ page, context, bursar, seeded }) => {
    const phone = `+1555${String(Math.random()).slice(2, 9)}`
    const { token, wallet } = seeded
    const { claimUrl, passcode } = await bursar.api<CreateEscrowReply>('/escrow/create', {
      token,
      key: randomUUID(),
      body: { sourceWalletId: wallet.id, amount: '2', recipientPhone: phone, expiresInDays: 1 },
    })
    const path = new URL(claimUrl).pathname
    let seen = 0
    await withoutServedReply(page)
    await page.route('**/api/escrow/claim/*', async (route) => {
      const response = await route.fetch()
      const body = await response.json()
      if (++seen === 1) body.data.status = 'CREATING' // however fast the chain is
      await route.fulfill({ response, json: body })
    })
    await page.goto(path)
    const code = page.getByLabel('6-digit code')
    const go = page.getByRole('button', { name: 'Continue' })
    await expect(page.getByText('The payment is on its way.')).toBeVisible()
    await expect(page.getByText('The code will be sent by SMS to')).toContainText(phone.slice(-2))
    await expect(page.getByText(phone), 'masked').toHaveCount(0)
    await code.fill('123456')
    await expect(go).toBeDisabled()
    await audit(page, 'claim-on-its-way')
    await expect(go, 'once the money has arrived').toBeEnabled(within(30_000))
    await expect(page.getByText('The code was sent by SMS to')).toBeVisible()

    await page.getByRole('button', { name: 'Send a new code' }).click()
    await expect(page.getByRole('alert')).toHaveText(/^Please wait \d+ seconds before asking for another code\.$/)
    // As if a minute had passed. Tests that can move the clock cover the server's side.
    await page.route('**/resend-passcode', (route) => route.fulfill({ json: { success: true, data: {} } }), {
      times: 1,
    })
    await page.getByRole('button', { name: 'Send a new code' }).click()
    await expect(page.getByText('A new code is on its way. The old one no longer works.')).toBeVisible()
    await expect(page.getByRole('button', { name: /^Send a new code in \d+ s$/ })).toBeVisible()
    await audit(page, 'claim-resent')
    await expect(code).toHaveValue('')
    await page.route('**/verify-passcode', (route) => route.fulfill({ status: 500, json: {} }), { times: 1 })
    const wrong = passcode === '000000' ? '000001' : '000000'
    await paste(page, code, `${wrong.slice(0, 3)} ${wrong.slice(3)}`)
    await expect(code).toHaveValue(wrong)
    await expect(page.getByRole('alert'), 'no reason given').toHaveText('Invalid passcode')
    await go.click()
    await expect(page.getByRole('alert')).toHaveText('Invalid passcode. 4 tries left.')
    await code.fill(passcode!)

    const destination = page.getByLabel('Destination address')
    await expect(destination).toBeVisible()
    expect(await page.evaluate(() => JSON.stringify(sessionStorage)), 'the code is not stored').not.toContain(passcode)
    await page.reload()
    await expect(destination, 'the session outlives a reload').toBeVisible()
    await page.getByRole('button', { name: 'Paste' }).click()
    await expect(page.getByRole('alert')).toHaveText(/^The browser did not let this page read the clipboard/)
    await expect(destination, 'what is in it may be right').not.toHaveAttribute('aria-invalid')
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await test.step('whose wallet is on another device can copy the link to the page @screens-88', async () => {
      await page.getByText('My wallet is on another device').click()
      await page.getByRole('button', { name: 'Copy link to this page' }).click()
      await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible()
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(new URL(path, page.url()).href)
    })
    await page.evaluate((text) => navigator.clipboard.writeText(text), ` ${recipient} `)
    await page.getByRole('button', { name: 'Paste' }).click()
    await expect(destination).toHaveValue(recipient)
    await page.getByRole('button', { name: 'Withdraw 2.00 USDC' }).click()
    await page.getByRole('button', { name: 'Back' }).click()
    await expect(destination).toHaveValue(recipient)
    await page.getByRole('button', { name: 'Withdraw 2.00 USDC' }).click()
    const confirm = page.getByRole('button', { name: 'Yes, withdraw 2.00 USDC' })
    await page.route('**/api/escrow/claim', (route) => route.fulfill({ status: 500, json: {} }), { times: 1 })
    await confirm.click()
    await expect(page.getByRole('alert')).toContainText('Withdrawal failed. Trying again is safe')
    await audit(page, 'claim-failed')
    const expired = {
      success: false,
      code: 'wrong_passcode',
      error: 'Please enter your code again.',
      field: 'passcode',
    }
    await page.route('**/api/escrow/claim', (route) => route.fulfill({ status: 422, json: expired }), { times: 1 })
    await confirm.click()
    await expect(page.getByRole('alert'), 'the claim session has expired').toHaveText(expired.error)
    await code.fill(passcode!)
    await expect(destination).toHaveValue(recipient)
    await page.getByRole('button', { name: 'Withdraw 2.00 USDC' }).click()
    await confirm.click()
    await expect(page.getByRole('heading', { name: 'Transfer complete' })).toBeVisible(within(30_000))
    await audit(page, 'claim-receipt')
    await page.getByRole('button', { name: 'Done' }).click()
    await expect(page.getByText('You can close this page.')).toBeFocused()
  })

  test('after five wrong codes, the page says how long to wait @claim-6', { tag: '@core' }, async ({
    page,
    bursar,
    seeded,
  }) => {
    const { path, accessToken, passcode } = await createPayout(bursar, seeded.token, seeded.wallet.id)
    const wrong = passcode === '000000' ? '000001' : '000000'
    for (let i = 0; i < 4; i++)
      await bursar.call('/api/escrow/verify-passcode', { body: { accessToken, passcode: wrong } })
    await page.goto(path)
    for (const [code, text] of [
      [wrong, 'Invalid passcode. Too many attempts. Try again in 15 minutes.'],
      [passcode, 'Too many attempts. Try again in 15 minutes.'],
    ] as const) {
      await page.getByLabel('6-digit code').fill(code)
      await expect(page.getByRole('alert')).toHaveText(text)
    }
    await audit(page, 'claim-locked')
  })

  test('a link that fails to load shows an error and can be retried @claim-7', { tag: '@core' }, async ({
    page,
    seeded,
  }) => {
    for (const [answer, text] of [
      [{ status: 500, json: {} }, 'Failed to load payout details'],
      [{ status: 200, json: { success: false } }, 'Failed to load escrow details'],
      [{ status: 500, json: { success: false, error: 'In the words of the server.' } }, 'In the words of the server.'],
    ] as const) {
      await withoutServedReply(page)
      await page.route('**/api/escrow/claim/*', (route) => route.fulfill(answer))
      await page.goto(seeded.payout.path)
      await expect(page.getByRole('heading', { name: 'Payout Not Found' })).toBeVisible()
      await expect(page.getByText(text)).toBeVisible()
      await page.unrouteAll()
    }
    await audit(page, 'claim-load-failed')
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(page.getByRole('heading', { name: 'Verify your identity' })).toBeVisible()
    await audit(page, 'claim-loaded')
  })
})

const paste = async (page: Page, field: Locator, text: string) => {
  await field.focus()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(text)
}
