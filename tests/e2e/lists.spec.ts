/** Transactions, payouts and usage: filters, chips, CSV files, reclaiming all, and invalid URLs. */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { within } from '../support/patience.ts'
import { createFundedWallet, createPayout } from '../support/testStack.ts'
import { createAccount } from './accounts.ts'
import { audit } from './audit.ts'
import { beSignedIn, expect, soon, test } from './fixtures.ts'
import { keyboard } from './inputModes.ts'
import { stranger } from './seededAccount.ts'
import { thorough } from './thorough.ts'

test.describe('transactions', () => {
  test.beforeEach(({ context, seeded }) => beSignedIn(context, seeded))

  test('filters are drafts until applied, then in the URL except personal data, and can be removed one by one @lists-1', async ({
    page,
  }) => {
    await page.goto('/dashboard/transactions')
    const table = page.getByRole('table', { name: 'Transactions' })
    await expect(table.getByRole('row')).not.toHaveCount(1)
    await test.step('the sender is shown as the agent or “User” @lists-33', async () => {
      const senderOf = (text: string) => table.getByRole('row').filter({ hasText: text }).getByRole('cell').nth(2)
      await expect(senderOf('$41.50')).toHaveText('Scout')
      await expect(senderOf('ada@bursar.test')).toHaveText('User')
    })
    await page.getByRole('button', { name: 'Filters' }).click()
    const dialog = page.getByRole('dialog', { name: 'Filter Transactions' })
    await expect(dialog).toBeVisible()
    await expect(dialog, 'unlike the days of Usage').toContainText(/Days in your time zone \(.+\)/)
    await audit(page, 'transactions-filter') // Tab stops in each part of a date
    await dialog.getByLabel('Failed').check()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect(page).toHaveURL(/\/dashboard\/transactions$/)

    await page.getByRole('button', { name: 'Filters' }).click()
    await dialog.getByLabel('Failed').check()
    await dialog.getByLabel('Memo').fill('November')
    await dialog.getByLabel('Minimum amount').fill('$10')
    await dialog.getByLabel('Maximum amount').fill('5')
    await expect(dialog.getByRole('alert')).toHaveText('Maximum must be at least the minimum')
    await dialog.getByRole('button', { name: 'Apply Filters' }).click()
    await expect(dialog).toBeVisible()
    await dialog.getByLabel('Minimum amount').fill('.125')
    await dialog.getByRole('button', { name: 'Apply Filters' }).click()
    await expect(dialog.getByRole('alert')).toHaveText('Enter digits with at most 2 decimals, for example 1234.50')
    await dialog.getByLabel('Minimum amount').fill('.5')
    await dialog.getByLabel('Maximum amount').fill('50.')
    await dialog.getByRole('button', { name: 'Last 30 days' }).click()
    await expect(dialog.getByRole('button', { name: 'Last 30 days' })).toHaveAttribute('aria-pressed', 'true')
    await dialog.getByRole('button', { name: 'Apply Filters' }).click()
    await expect(dialog).toBeHidden()
    await expect(page).toHaveURL(/status=failed/)
    await expect(page).toHaveURL(/min=/)
    await expect(page).toHaveURL(/from=/)
    expect(page.url()).not.toContain('November')
    await expect(page.getByRole('button', { name: 'Filters 4 active' })).toBeVisible()
    const rows = table.getByRole('row')
    await expect(rows).toHaveCount(2)
    await expect(rows.nth(1)).toContainText('Failed')
    await audit(page, 'transactions-filtered')

    const chips = page.getByRole('list', { name: 'Active filters' })
    await chips.getByRole('button', { name: 'Remove filter: Memo: November' }).click()
    await chips.getByRole('button', { name: 'Remove filter: $0.50 to $50.00' }).click()
    await chips.getByRole('button', { name: /\d{4} to / }).click()
    await chips.getByRole('button', { name: 'Remove filter: Status: Failed' }).click()
    await expect(chips).toBeHidden()
    await expect(page).toHaveURL(/\/dashboard\/transactions$/)
  })

  test('shows when no transaction matches, and ignores invalid filters in the URL @lists-2', async ({ page }) => {
    await page.goto('/dashboard/transactions?status=completed&min=999999&from=2026-13-40&type=gift&page=banana')
    await expect(page.getByText('No transactions match your filters.')).toBeVisible()
    await expect(page.getByRole('list', { name: 'Active filters' }).getByRole('listitem')).toHaveCount(3)
    await page.getByRole('button', { name: 'Clear Filters' }).click()
    await expect(page.getByRole('table', { name: 'Transactions' })).toBeVisible()
    await page.goto('/dashboard/transactions?page=99')
    await expect(page.getByText('There is no page 99.')).toBeVisible()
    await page.getByRole('button', { name: 'Go to the first page' }).click()
    const table = page.getByRole('table', { name: 'Transactions' })
    await expect(table).toBeVisible()

    await test.step('the list is sorted by a column, and the URL keeps the order, even when a filter is applied @lists-31', async () => {
      const amounts = () =>
        table
          .getByRole('row')
          .getByText(/^[−+]?\$/)
          .allInnerTexts()
      const inOrder = async (falling: boolean) => {
        const values = (await amounts()).map((text) => Number(/[\d.]+/.exec(text)![0]))
        const sorted = values.toSorted((a, b) => (falling ? b - a : a - b))
        return values.length > 2 && String(values) === String(sorted)
      }
      const header = table.getByRole('columnheader', { name: 'Amount' })
      await expect(table.getByRole('columnheader', { name: 'Date' })).toHaveAttribute('aria-sort', 'descending')
      await header.getByRole('button').click()
      await expect(header).toHaveAttribute('aria-sort', 'descending')
      await expect.poll(() => inOrder(true)).toBe(true)
      await header.getByRole('button').press('Enter')
      await expect(page).toHaveURL(/sort=smallest/)
      await expect.poll(() => inOrder(false)).toBe(true)
      await page.reload()
      await expect(header).toHaveAttribute('aria-sort', 'ascending')
      await expect.poll(() => inOrder(false)).toBe(true)
      await page.getByRole('button', { name: 'Filters' }).click()
      await page.getByLabel('Type').selectOption('transfer')
      await page.getByRole('button', { name: 'Apply Filters' }).click()
      await expect(page).toHaveURL(/type=transfer.*sort=smallest|sort=smallest.*type=transfer/)
      await table.getByRole('columnheader', { name: 'Date' }).getByRole('button').click()
      await expect(page).not.toHaveURL(/sort=/)
    })

    await test.step('the contact to filter by is found by a search @lists-34', async () => {
      await page.getByRole('button', { name: /^Filters/ }).click()
      const contact = page.getByRole('combobox', { name: 'Contact' })
      await contact.fill('nobody like this')
      await expect(page.getByText('No contact matches.')).toBeVisible()
      await contact.fill('GRACE@')
      await page.getByRole('option', { name: /Grace Hopper/ }).click()
      await expect(contact).toHaveValue('Grace Hopper')
      await page.getByRole('button', { name: 'Apply Filters' }).click()
      await expect(page).toHaveURL(/contact=contact_/)
      await expect(page.getByRole('list', { name: 'Active filters' })).toContainText('Contact: Grace Hopper')
      await page.getByRole('button', { name: /^Filters/ }).click()
      await page.getByRole('button', { name: 'Clear contact' }).click()
      await page.getByRole('button', { name: 'Apply Filters' }).click()
      await expect(page).not.toHaveURL(/contact=/)
    })

    await test.step('on a phone, rows have two lines, can be sorted and open on a tap @lists-32', async () => {
      await page.setViewportSize({ width: 390, height: 844 })
      await page.goto('/dashboard/transactions')
      const rows = page.locator('main tbody tr')
      await expect(rows).not.toHaveCount(0)
      const heights = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height))
      expect(Math.max(...heights)).toBeLessThanOrEqual(72)
      await page.getByLabel('Sort by').selectOption('Largest first')
      await expect(rows.first()).toContainText('+$200.00')
      await expect(rows.nth(1)).toContainText('−$41.50')
      await rows.nth(1).click({ position: { x: 30, y: 12 } })
      const dialog = page.getByRole('dialog', { name: 'Transaction details' })
      await expect(dialog).toContainText('$41.50')
      await page.keyboard.press('Escape')
      await expect(dialog).toBeHidden()
    })
  })

  test('a refusal shows its rule and figures, and its recipient can be added as a contact @lists-3', {
    tag: '@core',
  }, async ({ page }) => {
    await page.goto('/dashboard/transactions?status=failed&type=transfer')
    const refused = page.getByRole('row').filter({ hasText: 'Failed' }).first()
    await test.step('the list already shows the rule, and the row opens on a click anywhere but not on selecting text @lists-30', async () => {
      const rule = refused.getByText('Budget limit', { exact: true })
      const box = (await rule.boundingBox())!
      await page.mouse.move(box.x + 2, box.y + 8)
      await page.mouse.down()
      await page.mouse.move(box.x + box.width - 2, box.y + 8, { steps: 4 })
      await page.mouse.up()
      expect(await page.evaluate(() => String(getSelection()))).toContain('udget')
      await expect(page).not.toHaveURL(/detail=/)
      await page.evaluate(() => getSelection()!.removeAllRanges())
      await rule.click()
    })
    const dialog = page.getByRole('dialog', { name: 'Transaction details' })
    await expect(dialog).toContainText('Budget limit')
    await expect(dialog).toContainText('Remaining')
    await expect(dialog).toContainText('Send less, or top up.')
    await expect(dialog.getByRole('link', { name: 'Budget limit' })).toHaveAttribute('href', /agents\?group=/)
    await audit(page, 'transactions-refusal')
    await dialog.getByRole('button', { name: 'Add as Contact' }).click()
    const adding = page.getByRole('dialog', { name: 'Add as Contact' })
    await adding.getByRole('button', { name: 'Add Contact' }).click()
    await expect(adding.getByRole('alert')).toHaveText('Name is required')
    await audit(page, 'transactions-add-contact')
    const name = `Shop ${randomUUID().slice(0, 6)}`
    await adding.getByLabel('Name').fill(name)
    await adding.getByRole('button', { name: 'Add Contact' }).click()
    await expect(page.getByText(`${name} was added to your contacts.`)).toBeVisible()
  })

  test('a filtered list shows how many match on all pages and what they spent, with test money separate @lists-38', {
    tag: '@core',
  }, async ({ page }) => {
    const figure = page.getByRole('main').getByRole('status').filter({ hasText: 'Spent' })
    await page.goto('/dashboard/transactions?status=completed&min=41.5&max=41.5')
    await expect(figure).toContainText('1 transaction. Spent: $41.50 USDC. Counts completed payments')
    await page.goto('/dashboard/transactions?status=failed&type=transfer')
    await expect(figure, 'failed payments are not spent').toContainText(/^\d+ transactions?\. Spent: \$0\.00 USDC\./)
    await test.step('the CSV file contains the filtered transactions @lists-4', async () => {
      await expect(page.getByRole('table', { name: 'Transactions' })).toBeVisible()
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Export CSV' }).click()
      const file = await download
      expect(file.suggestedFilename()).toBe('bursar-transactions.csv')
      const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n')
      expect(lines[0]).toContain('Amount (micro-USDC)')
      expect(lines.slice(1).every((line) => line.includes('POLICY_REJECTED'))).toBe(true)
      expect(lines.join()).toContain(stranger)
    })
    await page.route('**/api/transactions/user?*', async (route) => {
      const response = await route.fetch()
      const body = await response.json()
      Object.assign(body.page, { total: 1_204, spent: { base: '10320.5', 'base-sepolia': '12.5' } })
      await route.fulfill({ response, json: body })
    })
    await page.goto('/dashboard/transactions?status=completed')
    await expect(figure).toContainText('1,204 transactions. Spent: $10,320.50 USDC and, separately, $12.50 Test USDC.')
    await audit(page, 'transactions-total')
    await page.unrouteAll({ behavior: 'wait' })
    await page.goto('/dashboard/transactions')
    await expect(page.getByRole('table', { name: 'Transactions' })).toBeVisible()
    await expect(figure).toHaveCount(0)
  })
})

test('a new account sees empty lists and what to do next @list-states-1', async ({ page, context, bursar }) => {
  const account = await createAccount(bursar)
  await account.keep(context)
  await page.goto('/dashboard/transactions')
  await expect(page.getByText('No transactions yet')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Export CSV' })).toBeDisabled()
  await audit(page, 'transactions-empty')
  await page.goto('/dashboard/usage')
  await expect(page.getByText('No wallets yet')).toBeVisible()
  await audit(page, 'usage-empty')
  await page.goto('/dashboard/payouts')
  await expect(page.getByText('No payouts found')).toBeVisible()
  await expect(page.getByText('Your payouts will appear here.')).toBeVisible()
  await expect(page.getByText(/Total outstanding|Reclaim All/)).toHaveCount(0)
  await audit(page, 'payouts-empty')
  await page.getByRole('button', { name: 'Create Your First Payout' }).click()
  await expect(page.getByRole('dialog', { name: 'Create Payout' })).toContainText(
    'No wallets found. Please create a wallet first.',
  )
})

test('test money is marked wherever an amount is shown and is never added to real money @lists-25', async ({
  page,
  context,
  bursar,
}) => {
  const account = await createAccount(bursar)
  await account.keep(context)
  const token = account.session.accessToken
  const wallet = await createFundedWallet(bursar, token)
  for (let i = 0; i < 2; i++) await createPayout(bursar, token, wallet.id)
  // The newer payout is shown as if its wallet were on Base Sepolia.
  const onSepolia = (row: { sourceWallet?: { chain: string }; fromWalletChain?: string }) => {
    if (row.sourceWallet) row.sourceWallet.chain = 'base-sepolia'
    if (row.fromWalletChain) row.fromWalletChain = 'base-sepolia'
  }
  await page.route(/\/api\/(escrow\/list|transactions\/)/, async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    onSepolia([body.data.escrows ?? body.data].flat()[0])
    await route.fulfill({ response, json: body })
  })
  for (const [path, name] of [
    ['/dashboard/transactions?type=payout', 'Transactions'],
    ['/dashboard/payouts', 'Payouts'],
  ] as const) {
    await page.goto(path)
    const table = page.getByRole('table', { name })
    await expect(table.getByText('Test USDC')).toHaveCount(1)
    await expect(table.getByText(/^USDC$/)).toHaveCount(1)
    if (name === 'Payouts') break
    await table.getByRole('row').nth(1).click()
    await expect(page.getByRole('dialog')).toContainText('Funded on Base Sepolia')
  }
  await page.getByRole('button', { name: 'Reclaim All Pending (2)' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Reclaim all pending payouts' })
  await expect(dialog).toContainText('5.00 USDC and 5.00 Test USDC together')
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  // The recipient claims first.
  await page
    .getByRole('button', { name: /^Reclaim funds of/ })
    .first()
    .click()
  await page.route(/\/reclaim$/, (route) =>
    route.fulfill({ json: { success: true, data: { id: 'x', status: 'RECLAIMING', txHash: null } } }),
  )
  await page.route(/\/api\/escrow\/pay_\w+$/, async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    await route.fulfill({ response, json: { ...body, data: { ...body.data, status: 'WITHDRAWN' } } })
  })
  await page.getByRole('button', { name: 'Reclaim 5.00 Test USDC' }).click()
  const failed = page.getByRole('alertdialog', { name: 'Payout not reclaimed' })
  await expect(failed.getByRole('alert')).toHaveText('The recipient claimed this payout first.')
  await expect(failed.getByRole('button', { name: 'Try again' })).toHaveCount(0)
})

test('payouts can be filtered and all reclaimed @lists-5', { tag: ['@core', '@promised-too'] }, async ({
  page,
  context,
  bursar,
}) => {
  const account = await createAccount(bursar)
  await account.keep(context)
  const token = account.session.accessToken
  const wallet = await createFundedWallet(bursar, token)
  for (let i = 0; i < 3; i++) await createPayout(bursar, token, wallet.id)
  await page.goto('/dashboard/payouts')
  await expect(page.getByText(/Total outstanding: .* in 3 payouts not claimed yet/)).toBeVisible()

  await test.step('filter', async () => {
    await page.getByRole('button', { name: 'Filters' }).click()
    const dialog = page.getByRole('dialog', { name: 'Filter Payouts' })
    await test.step('filters are drafts: nothing happens until they are applied, and Cancel discards them @lists-35', async () => {
      await dialog.getByLabel('Withdrawn').check()
      await dialog.getByRole('button', { name: 'Last 7 days' }).click()
      await expect(page).toHaveURL(/\/payouts$/)
      await expect(page.locator('main tbody tr')).toHaveCount(3)
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await expect(page).toHaveURL(/\/payouts$/)
      await page.getByRole('button', { name: 'Filters', exact: true }).click()
      await expect(dialog.getByLabel('Withdrawn')).not.toBeChecked()
      await dialog.getByLabel('Withdrawn').check()
      await dialog.getByRole('button', { name: 'Reset All' }).click()
      await expect(dialog.getByLabel('Withdrawn')).not.toBeChecked()
    })
    await dialog.getByLabel('Awaiting Claim').check()
    await dialog.getByPlaceholder('Search wallets...').fill('nothing like it')
    await expect(page.getByText('No wallets found')).toBeVisible()
    await dialog.getByPlaceholder('Search wallets...').fill(wallet.address.slice(0, 8))
    await test.step('the list of wallets closes 200 ms after the focus has left it @screens-57', async () => {
      await expect(page.getByRole('option')).toHaveCount(1)
      await page.evaluate(() => {
        const closing = async () => {
          await new Promise((resolve) => addEventListener('focusout', resolve, { once: true }))
          const leftAt = performance.now()
          while (document.querySelector('[role=option]')?.checkVisibility()) await new Promise(requestAnimationFrame)
          return performance.now() - leftAt
        }
        Object.assign(window, { closing: closing() })
      })
      await page.keyboard.press('Tab')
      const closedAfter = await page.evaluate(() => (window as unknown as { closing: Promise<number> }).closing)
      expect(closedAfter).toBeGreaterThanOrEqual(195)
      await dialog.getByPlaceholder('Search wallets...').fill(wallet.address.slice(0, 8))
    })
    await page.getByRole('option').first().click()
    await audit(page, 'payouts-filter') // Tab stops in each part of a date
    await dialog.getByRole('button', { name: 'Apply Filters' }).click()
    await expect(page.getByRole('button', { name: 'Filters 2 active' })).toBeVisible()
    await expect(page.getByRole('table', { name: 'Payouts' }).getByRole('row')).toHaveCount(4)
    await page.getByRole('button', { name: 'Clear all filters' }).click()
    await page.goto('/dashboard/payouts?status=WITHDRAWN')
    await expect(page.getByText('No payouts match your filters.')).toBeVisible()
    await page.getByRole('button', { name: 'Clear Filters' }).click()
  })

  await test.step('reclaim all', async () => {
    await page.getByRole('button', { name: 'Reclaim All Pending (3)' }).click()
    const ask = page.getByRole('alertdialog', { name: 'Reclaim all pending payouts' })
    await expect(ask).toBeVisible()
    await audit(page, 'payouts-reclaim-all')
    const replied = Promise.withResolvers<void>()
    await page.route('**/api/escrow/reclaim-all', (route) => replied.promise.then(() => route.continue()))
    await ask.getByRole('button', { name: 'Reclaim 3 payouts' }).click()
    const running = page.getByRole('dialog', { name: 'Reclaiming payouts' })
    await expect(running.getByRole('button', { name: 'Close' }).first()).toBeDisabled()
    await expect(running).not.toContainText('You can close this dialog')
    replied.resolve()
    await expect(running).toContainText(/\d of 3/)
    const done = page.getByRole('dialog', { name: /^Reclaimed .* USDC$/ })
    await expect(done).toContainText('3 payouts returned to your wallets.', within(40_000))
    await done.getByRole('button', { name: 'Done' }).click()
    await expect(page.getByRole('table', { name: 'Payouts' }).getByText('Reclaimed')).toHaveCount(3, soon)
    await expect(page.getByRole('button', { name: /Reclaim All Pending/ })).toHaveCount(0, soon)
    await expect(page.locator('#content:focus, #content :focus'), 'the focus is not lost with the button').toHaveCount(
      1,
    )
    await page.goto('/dashboard/transactions?type=payout&status=failed')
    const rows = page.getByRole('table', { name: 'Transactions' }).getByRole('row')
    await expect(rows.filter({ hasText: 'Funds Reclaimed' })).toHaveCount(3)
  })
})

test('payout details copy the hash, send a new code and reclaim, by keyboard alone @lists-6', { tag: '@core' }, async ({
  page,
  context,
  bursar,
}) => {
  const account = await createAccount(bursar)
  await account.keep(context)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const token = account.session.accessToken
  const wallet = await createFundedWallet(bursar, token)
  const payout = await createPayout(bursar, token, wallet.id)
  const input = keyboard(page)
  await page.goto('/dashboard/payouts')
  await input.press(page.getByRole('link', { name: 'View details' }))
  const dialog = page.getByRole('dialog', { name: 'Payout details' })
  await expect(dialog).toBeVisible()
  await audit(page, 'payouts-detail')
  await input.press(dialog.getByRole('button', { name: 'Copy transaction hash' }).first())
  await expect(dialog.getByRole('button', { name: 'Copied' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^0x[0-9a-f]{64}$/)
  await expect(dialog.getByRole('button', { name: 'Copied' }), 'for two seconds').toHaveCount(0)
  await input.press(dialog.getByRole('button', { name: 'Copy link' }))
  await expect(dialog.getByRole('button', { name: 'Copied' })).toBeVisible()
  expect(new URL(await page.evaluate(() => navigator.clipboard.readText())).pathname).toBe(payout.path)
  await input.press(dialog.getByRole('button', { name: 'Send a new code' }))
  await expect(dialog).toContainText('A new code is on its way to ada@bursar.test.')
  await input.press(dialog.getByRole('button', { name: 'Reclaim funds' }))
  const ask = page.getByRole('alertdialog', { name: 'Reclaim payout' })
  const focused = page.locator('[role=alertdialog]:focus, [role=alertdialog] :focus')
  await expect(focused, 'the focus moves from one dialog to the next').toHaveCount(1)
  await audit(page, 'payouts-reclaim')
  await input.press(ask.getByRole('button', { name: 'Reclaim 5.00 USDC' }))
  await expect(page.getByRole('dialog', { name: /Reclaimed/ })).toBeVisible(within(40_000))
  await page.keyboard.press('Escape')
  await expect(dialog).toContainText('Reclaimed')
  await expect(dialog.getByRole('button', { name: 'Reclaim funds' })).toHaveCount(0)
})

test('usage shows the month and groups with their agents, and opens the top-up dialog @lists-7', {
  tag: '@core',
}, async ({ page, context, seeded }) => {
  await beSignedIn(context, seeded)
  await page.goto(`/dashboard/usage?wallet=${seeded.wallet.id}`)
  await expect(page.getByRole('region', { name: 'Monthly Account Spend' })).toContainText('Total Spent')
  await test.step('spending per day is shown by agent and by group, over a span that the URL keeps @usage-1', async () => {
    const spending = page.getByRole('region', { name: 'Spending' })
    const byAgent = spending.getByRole('table', { name: 'Spent per day by agent, in USDC' })
    await expect(byAgent.getByRole('row')).toHaveCount(31)
    await expect(byAgent.getByRole('columnheader', { name: 'Scout' })).toBeAttached()
    await expect(byAgent.getByRole('row').nth(1), 'today').toContainText('41.50')
    await expect(spending).toContainText(/\$[\d.]+ USDC in \d+ payments?/)
    await expect(spending.getByTestId('bar')).not.toHaveCount(0)
    const chart = spending.getByRole('slider', { name: 'Spent per day by agent: day' })
    const box = (await chart.boundingBox())!
    await page.mouse.move(box.x + box.width - 2, box.y + box.height - 5)
    await expect(spending, 'the day under the pointer').toContainText(/Scout \$41\.50/)
    await page.mouse.move(0, 0)
    await chart.press('End')
    // Of all senders: other tests spend from this account too.
    await expect(chart).toHaveAttribute('aria-valuetext', /: \$\d+\.\d\d$/)
    await chart.press('ArrowLeft')
    await expect(chart).toHaveAttribute('aria-valuenow', '29')
    await spending.getByRole('button', { name: '90 days' }).click()
    await spending.getByRole('button', { name: 'By group' }).click()
    await expect(page).toHaveURL(/days=90/)
    await page.reload()
    const byGroup = spending.getByRole('table', { name: 'Spent per day by group, in USDC' })
    await expect(byGroup.getByRole('row')).toHaveCount(91)
    await expect(byGroup.getByRole('columnheader', { name: seeded.group.name })).toBeAttached()
    await spending.getByRole('button', { name: 'Show as table' }).press('Enter')
    await expect(byGroup.getByRole('row').nth(1)).toBeInViewport()
  })
  const group = page.getByRole('button', { name: seeded.group.name, exact: true })
  await expect(group).toHaveAttribute('aria-expanded', 'false')
  await group.press('Enter')
  await expect(page.getByText('Scout').filter({ visible: true }).first()).toBeVisible()
  await test.step('a budget’s history shows what changed it @usage-2', async () => {
    const history = page.getByRole('region', { name: `Budget history of ${seeded.group.name}` })
    await expect(history.getByRole('list', { name: 'Changes of the budget' })).toContainText(
      'Created with a limit of $50.00',
    )
    const figures = history.getByRole('table', { name: 'Limit and spent at the end of each day, in USDC' })
    await expect(figures.getByRole('row').nth(1)).toContainText(/50\.00.*41\.50/)
    await expect(history).toContainText('Now: $41.50 spent, limit $50.00')
  })
  await audit(page, 'usage')
  await page.getByRole('button', { name: `Top Up ${seeded.group.name}` }).click()
  await expect(page.getByRole('dialog')).toContainText('Top Up')
  await page.keyboard.press('Escape')
})

test.describe('usage that cannot be loaded', () => {
  test.use({ tolerated: /status of 503|Failed to load resource/ })
  test('keeps its loading text and offers a retry after ten seconds @lists-8', async ({ page, context, seeded }) => {
    await beSignedIn(context, seeded)
    let broken = true
    await page.route('**/api/usage/dashboard', (route) =>
      broken
        ? route.fulfill({ status: 503, json: { success: false, code: 'unavailable', error: 'x' } })
        : route.continue(),
    )
    await page.clock.install()
    await page.goto('/dashboard/usage')
    await expect(page.getByText('Loading usage data...')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Try again' })).toBeHidden()
    // The clock stays paused: otherwise the page's own next attempt might come before the key press.
    await page.clock.pauseAt(Date.now() + 10_500)
    broken = false
    // A click would wait for frames, which a fake clock does not draw.
    await page.getByRole('button', { name: 'Try again' }).press('Enter')
    await page.clock.resume()
    await expect(page.getByRole('region', { name: 'Monthly Account Spend' })).toBeVisible()
  })

  if (thorough)
    test('fits every width and is accessible', async ({ page, context, seeded }) => {
      await beSignedIn(context, seeded)
      const failed = { status: 503, json: { success: false, code: 'unavailable', error: 'x' } }
      await page.route('**/api/usage/**', (route) => route.fulfill(failed))
      await page.goto('/dashboard/usage')
      await expect(page.getByRole('button', { name: 'Try again' }).first()).toBeVisible(within(30_000))
      await audit(page, 'usage-failed')
    })
})
