/** Screens show at once what the user has just done. */
import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { within } from '../support/patience.ts'
import { audit } from './audit.ts'
import { testAsOwner as asOwner, button, expect, soon, testAsPayer as test } from './fixtures.ts'

const expireSession = (page: Page) =>
  page.evaluate(() => {
    localStorage.clear()
    dispatchEvent(new Event('session-expired'))
  })

async function signInAgain(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await expect(page).toHaveURL(/\/login/)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
}

test.describe('lists that cannot be read', () => {
  test.use({ tolerated: /Failed to load resource/ })
  test('an accepted payout is in its list before its dialog has closed, from the reply @screens-40', {
    tag: '@core',
  }, async ({ page }) => {
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
    await expect(page.getByRole('table', { name: 'Payouts' }).getByRole('row', { name: new RegExp(to) })).toBeVisible()
    await page.unroute('**/api/escrow/list?*')
    await expect(page.getByRole('table', { name: 'Payouts' }).getByRole('row', { name: new RegExp(to) })).toContainText(
      /awaiting claim/i,
      within(20_000),
    )
  })
})

test('a payment whose dialog was closed becomes completed in the list within seconds, and the balance with it @screens-41', {
  tag: '@promised',
}, async ({ page, own }) => {
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
  await expect(row).toBeVisible(soon)
  await expect(row).toContainText('Completed', soon)
})

test('test money from the faucet is in the balance within seconds, also behind the open dialog @screens-42', {
  tag: '@promised',
}, async ({ page, own }) => {
  await page.goto(`/dashboard/wallets?receive=${own.wallet.id}`)
  const balance = page.getByTestId('wallet-balance').first()
  const before = await balance.textContent(within(5_000)).catch(() => null)
  await button(page, 'Get 100.00 test USDC').click()
  await expect(balance).not.toHaveText(before ?? '', soon)
})

test('deposits and withdrawals are rows of the list, with details and a filter @screens-43', { tag: '@core' }, async ({
  page,
}) => {
  await page.goto('/dashboard/transactions?type=deposit')
  const row = page.getByRole('table', { name: 'Transactions' }).getByRole('row').nth(1)
  await expect(row).toContainText('Deposit')
  await expect(row).toContainText('Received')
  await page.goto('/dashboard/transactions?type=deposit&min=2')
  const details = row.getByRole('link', { name: /^View details of Deposit/ })
  await expect(details, 'a number in a link is not quoted').toHaveAttribute('href', /[?&]min=2&/)
  await audit(page, 'deposits')
  await details.click()
  await expect(page.getByRole('dialog')).toContainText('Arrived on Base')
  await audit(page, 'deposit-details')
})

test('a deposit says from whom it is, unless that is not one address @screens-72', async ({ page }) => {
  const mark = { small: false }
  await page.route(/\/api\/transactions\/user\?/, async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    for (const row of body.data)
      if (mark.small && row.category === 'deposit') Object.assign(row, { origin: 'small', fromAddress: null })
    await route.fulfill({ response, json: body })
  })
  const deposit = page.getByRole('row').filter({ hasText: 'Received' }).first()
  for (const width of [390, 820]) {
    await page.setViewportSize({ width, height: 844 })
    mark.small = false
    await page.goto('/dashboard/transactions?type=deposit')
    await expect(deposit).toContainText(/from 0x/i)
    mark.small = true
    await page.reload()
    await expect(deposit).toContainText('Deposits below 0.01 USDC')
    await expect(deposit).not.toContainText(/from/i)
  }
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

test('unsaved text comes back after the session has ended and the user has signed in again, but no secret is kept @screens-47', async ({
  page,
  own,
}) => {
  const expire = () => expireSession(page)
  const signIn = () => signInAgain(page, own.account)
  const stored = () => page.evaluate(() => sessionStorage.getItem('unsaved_text'))
  await page.goto('/dashboard/wallets?import')
  await page.getByLabel('Wallet name').fill('Cold storage')
  await page.getByLabel('Private key', { exact: true }).fill('11'.repeat(32))
  await page.getByLabel('Master password', { exact: true }).fill('a long secret')
  await expire()
  expect(await stored()).toContain('Cold storage')
  expect(await stored()).not.toMatch(/1111|a long secret/)

  await page.goto('/dashboard/payouts?create')
  await signIn()
  await page.getByLabel('Recipient email').fill('draft@bursar.test')
  await page.getByLabel('Memo').fill('Prize for the best draft')
  await expire()
  await button(page, 'Log In Again').click()
  await signIn()
  await expect(page.getByText('Your unsaved text is back.')).toBeVisible()
  await expect(page.getByLabel('Recipient email')).toHaveValue('draft@bursar.test')
  await expect(page.getByLabel('Memo')).toHaveValue('Prize for the best draft')
  expect(await stored()).toBeNull()
})

test('unsaved text about one contact never comes back in a form about another @screens-97', { tag: '@core' }, async ({
  page,
  own,
}) => {
  const [ada, ben] = await Promise.all(
    ['Ada', 'Ben'].map((name) => own.contact({ name: `${name} of drafts`, email: `${name}.drafts@bursar.test` })),
  )
  const email = page.getByLabel('Email', { exact: true })
  const memo = page.getByLabel('Memo')
  await page.goto(`/dashboard/contacts?edit=${ada!.id}`)
  await email.fill('ada.new@bursar.test')
  await expireSession(page)
  await page.goto(`/dashboard/contacts?edit=${ben!.id}`)
  await signInAgain(page, own.account)
  await expect(email).toHaveValue('ben.drafts@bursar.test')
  await page.goto(`/dashboard/contacts?edit=${ada!.id}`)
  await expect(email).toHaveValue('ada.new@bursar.test')

  const chooseWallet = () => page.getByRole('button', { name: /available to spend/ }).click()
  await page.goto(`/dashboard/contacts?send=${ada!.id}`)
  await chooseWallet()
  await memo.fill('Only for Ada')
  await expireSession(page)
  await page.goto(`/dashboard/contacts?send=${ben!.id}`)
  await signInAgain(page, own.account)
  await chooseWallet()
  await expect(memo).toHaveValue('')
  await page.goto(`/dashboard/contacts?send=${ada!.id}`)
  await chooseWallet()
  await expect(memo).toHaveValue('Only for Ada')
})

asOwner('going to another agent or group in the history resets an open form @screens-98', async ({ page, owner }) => {
  const groups = await Promise.all(['First', 'Second'].map((name) => owner.group(name)))
  const agents = await Promise.all(['First bot', 'Second bot'].map((name) => owner.agent(groups[0]!, name)))
  const at = (group: number, dialog: string) => `/dashboard/agents?group=${groups[group]!.id}&${dialog}`
  const jump = (path: string) => page.evaluate((to) => history.pushState(null, '', to), path)
  const name = page.getByLabel('Name', { exact: true })
  await page.goto(at(0, `editAgent=${agents[0]!.agent.id}`))
  await name.fill('Typed for the first')
  await jump(at(0, `editAgent=${agents[1]!.agent.id}`))
  await expect(name).toHaveValue('Second bot')

  await jump(at(0, 'topUp=true'))
  const dialog = page.getByRole('dialog', { name: 'Top Up Budget' })
  await dialog.getByLabel('Amount', { exact: true }).fill('7')
  await jump(at(1, 'topUp=true'))
  await expect(dialog).toContainText('Second')
  await expect(dialog.getByLabel('Amount', { exact: true })).toHaveValue('')
})

test('a late reply closes only its own dialog @screens-100', { tag: '@core' }, async ({ page, own }) => {
  const { id } = await own.contact({ name: 'Slow reply', email: 'slow.reply@bursar.test' })
  const reply = Promise.withResolvers<void>()
  await page.route(`**/api/contacts/${id}`, async (route) => {
    if (route.request().method() === 'PUT') await reply.promise
    await route.continue()
  })
  const name = page.getByLabel('Name', { exact: true })
  await page.goto('/dashboard/contacts')
  await page.getByRole('button', { name: 'Edit Slow reply' }).click()
  await name.fill('Slow but sure')
  await button(page, 'Save Changes').click()
  await expect(button(page, 'Saving...')).toBeVisible()
  await page.goBack()
  await button(page, 'Add Contact').first().click()
  await name.fill('Typed since')
  reply.resolve()
  await expect(page.getByText('Slow but sure is saved.')).toBeAttached()
  await expect(name).toHaveValue('Typed since')
})

test.describe('two devices', () => {
  test.use({ tolerated: /status of 409/ })
  test('an edit of a contact that was changed elsewhere does not bring its former address back @contacts-29', {
    tag: '@core',
  }, async ({ page, own }) => {
    const [lost, found] = [1, 2].map(() => privateKeyToAddress(generatePrivateKey()))
    const alice = await own.contact({ name: 'Alice twice', address: lost })
    const stored = () => own.api<{ address: string; description: string | null }>(`/contacts/${alice.id}`)
    const { updatedAt } = alice
    await page.goto(`/dashboard/contacts?edit=${alice.id}`)
    await page.getByLabel('Description').fill('Pays on Fridays')
    const change = { name: 'Alice twice', address: found }
    await own.api(`/contacts/${alice.id}`, { ...change, updatedAt }, 'PUT')
    for (const _ of ['once', 'again']) {
      await button(page, 'Save Changes').click()
      await expect(page.getByRole('alert').first()).toContainText('This contact was changed meanwhile.')
    }
    expect(await stored()).toMatchObject({ address: found, description: null })
    // A repeat of the same change, whose reply may have been lost, is no conflict.
    await own.api(`/contacts/${alice.id}`, { ...change, updatedAt }, 'PUT')
    await button(page, 'Cancel').click()
    await page.getByRole('button', { name: 'Edit Alice twice' }).click()
    await expect(page.getByLabel('Wallet address')).toHaveValue(found!)
    await page.getByLabel('Description').fill('Pays on Fridays')
    await button(page, 'Save Changes').click()
    await expect.poll(stored).toMatchObject({ address: found, description: 'Pays on Fridays' })
  })
})

asOwner.describe('above the owner’s limit', () => {
  asOwner.use({ tolerated: /status of 422/ })
  asOwner(
    'a payment that the budget refused gets what is missing with one press, with the password above the limit @screens-46',
    { tag: '@core' },
    async ({ page, owner }) => {
      const group = await owner.group('Tight', { spendLimit: 2 })
      const { apiKey } = await owner.agent(group, 'Tight bot')
      expect((await owner.pay(apiKey!, '7')).status).toBe(403)
      await owner.api('/approval-settings', { passwordAbove: '1' }, 'PUT')
      await page.goto('/dashboard/notices')
      await page.getByRole('link', { name: /^Tight bot was refused 7/ }).click()
      const dialog = page.getByRole('dialog', { name: 'Transaction details' })
      const topUp = dialog.getByRole('button', { name: 'Top up $5.00 and let it pay' })
      await expect(topUp).toBeVisible()
      await audit(page, 'let-it-pay')
      await topUp.click()
      const prompt = page.getByRole('dialog', { name: 'Enter your password' })
      await prompt.getByLabel('Password', { exact: true }).fill(owner.account.password)
      await prompt.getByRole('button', { name: 'Continue' }).click()
      await expect(dialog).toContainText('has room for it now')
      expect((await owner.pay(apiKey!, '7')).status).toBe(201)
      await owner.api('/approval-settings', { passwordAbove: null, password: owner.account.password }, 'PUT')
    },
  )
})
