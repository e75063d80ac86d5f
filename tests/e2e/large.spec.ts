/**
 * The screens with lists and figures, for an account after years of use, which tests/support/largeAccount.ts creates. Part of
 * `npm run test:long screens`.
 */
import type { Page } from '@playwright/test'
import { size } from '../support/largeAccount.ts'
import { keepSession, withFreshSession } from './accounts.ts'
import { expect, test } from './fixtures.ts'
import { inputModesSwapped } from './inputModes.ts'

test.beforeEach(async ({ context, bursar }) => {
  const large = await withFreshSession(bursar, JSON.parse(process.env.BURSAR_LARGE!))
  await keepSession(context, large.session)
})

/** The account's transactions and the deposit that they were paid from. */
const listed = size.transactions + 1

const rows = (page: Page) => page.locator('main tbody tr')
const next = (page: Page) => page.getByRole('button', { name: 'Next' })

for (const { by, viewport, inputOf, look } of inputModesSwapped)
  test.describe(`by ${by}`, () => {
    test.use({ viewport })

    test('ten thousand transactions can be paged, filtered and opened @large-1', async ({ page }) => {
      const input = inputOf(page)
      await page.goto('/dashboard/transactions')
      await expect(page.getByText(`of ${listed} `)).toBeVisible()
      await expect(rows(page)).toHaveCount(25)
      await look(page, 'large-transactions')
      await input.press(next(page))
      await expect(page.getByText(`Showing 26-50 of ${listed} `)).toBeVisible()
      await expect(page).toHaveURL(/page=2/)
      await expect(page, 'the page is found by a cursor').toHaveURL(/cursor=/)

      await input.press(page.getByRole('button', { name: /^Filters/ }))
      const dialog = page.getByRole('dialog', { name: 'Filter Transactions' })
      await input.press(dialog.getByLabel('Failed', { exact: true }))
      await input.fill(dialog.getByLabel('Minimum amount'), '200')
      await input.press(dialog.getByRole('button', { name: 'Apply Filters' }))
      await expect(dialog).toBeHidden()
      await expect(page.getByText(new RegExp(`^Showing 1-(?!25 of ${listed} )`))).toBeVisible()
      await expect(rows(page).first()).toContainText('200.00')
      await look(page, 'large-transactions-filtered')
      await input.press(page.getByRole('link', { name: /^View details/ }).first())
      await expect(page.getByRole('dialog', { name: 'Transaction details' })).toContainText('pay_large')
      await look(page, 'large-transaction')
      await page.keyboard.press('Escape')
      await input.press(page.getByRole('button', { name: 'Clear all filters' }))
      await expect(page.getByText(`of ${listed} `)).toBeVisible()
    })

    test('two thousand payouts can be paged, filtered and opened @large-2', async ({ page }) => {
      const input = inputOf(page)
      await page.goto('/dashboard/payouts')
      await expect(page.getByText(`of ${size.payouts} `)).toBeVisible()
      await look(page, 'large-payouts')
      await input.press(next(page))
      await expect(page.getByText(`Showing 26-50 of ${size.payouts} `)).toBeVisible()
      await input.press(page.getByRole('button', { name: /^Filters/ }))
      const dialog = page.getByRole('dialog', { name: 'Filter Payouts' })
      await input.press(dialog.getByLabel('Withdrawn', { exact: true }))
      await look(page, 'large-payouts-filter')
      await input.press(dialog.getByRole('button', { name: 'Apply Filters' }))
      await expect(page.getByText(`of ${size.payouts / 2} `)).toBeVisible()
      await input.press(page.getByRole('link', { name: 'View details' }).first())
      await expect(page.getByRole('dialog')).toContainText('Prize')
      await look(page, 'large-payout')
    })

    test('five hundred contacts can be searched and paged @large-3', async ({ page }) => {
      const input = inputOf(page)
      await page.goto('/dashboard/contacts')
      await expect(rows(page)).toHaveCount(25)
      await look(page, 'large-contacts')
      await input.press(next(page))
      await expect(page.getByText(`Showing 26-50 of ${size.contacts}`)).toBeVisible()
      await input.fill(page.getByRole('searchbox'), 'barbara 49')
      await expect(rows(page)).toHaveCount(2) // 494 and 499
      await expect(rows(page).first()).toContainText('Barbara 49')
    })

    test('choosing one of fifty groups shows its share of two hundred agents @large-4', async ({ page }) => {
      const input = inputOf(page)
      await page.goto('/dashboard/agents')
      const groups = page.getByRole('navigation', { name: 'Policy groups' }).getByRole('link')
      await expect(groups).toHaveCount(size.groups)
      await look(page, 'large-agents')
      await input.press(groups.filter({ hasText: 'Group 07' }))
      await expect(page.getByTestId('group-detail').locator('#group-name')).toHaveText('Group 07')
      await expect(page.getByTestId('agent-row')).toHaveCount(size.agents / size.groups)
      await look(page, 'large-group')
    })

    test('usage and overview cover all groups and agents, and the palette finds a contact and an agent @large-5', async ({
      page,
    }) => {
      const input = inputOf(page)
      await page.goto('/dashboard/usage')
      await expect(page.getByText('Group 00')).toBeVisible()
      await look(page, 'large-usage')
      await page.goto('/dashboard/overview')
      await expect(page.getByRole('region', { name: 'Active Agents' })).toContainText(String(size.agents))
      await test.step('the overview lists the newest five of ten thousand transactions @overview-15', async () => {
        await expect(page.getByRole('region', { name: 'Recent Transactions' }).getByRole('listitem')).toHaveCount(5)
      })
      await look(page, 'large-overview')
      await input.press(page.getByRole('button', { name: 'Search' }))
      const field = page.getByRole('combobox')
      for (const [text, kind] of [
        ['grace 101', 'Grace 101'],
        ['agent 077', 'Agent 077'],
      ] as const) {
        await field.fill(text)
        await expect(page.getByRole('option').first()).toContainText(kind)
      }
      await look(page, 'large-palette')
    })
  })
