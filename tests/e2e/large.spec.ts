/** Each screen of lists and figures in an account as it is after years, which tests/support/largeAccount.ts makes. */
import type { Page } from '@playwright/test'
import { size } from '../support/largeAccount.ts'
import { keepSession } from './accounts.ts'
import { expect, test } from './fixtures.ts'
import { handsAnotherWay } from './hands.ts'

test.beforeEach(({ context }) => keepSession(context, JSON.parse(process.env.BURSAR_LARGE!)))

const rows = (page: Page) => page.locator('main tbody tr')
const next = (page: Page) => page.getByRole('button', { name: 'Next' })

for (const { by, viewport, handOf, look } of handsAnotherWay)
  test.describe(`by ${by}`, () => {
    test.use({ viewport })

    test('ten thousand transactions: paged, filtered, looked into', async ({ page }) => {
      const hand = handOf(page)
      await page.goto('/dashboard/transactions')
      await expect(page.getByText(`of ${size.transactions} `)).toBeVisible()
      await expect(rows(page)).toHaveCount(25)
      await look(page, 'large-transactions')
      await hand.press(next(page))
      await expect(page.getByText(`Showing 26-50 of ${size.transactions} `)).toBeVisible()
      await expect(page).toHaveURL(/page=2/)

      await hand.press(page.getByRole('button', { name: /^Filters/ }))
      const dialog = page.getByRole('dialog', { name: 'Filter Transactions' })
      await hand.press(dialog.getByLabel('Failed', { exact: true }))
      await hand.fill(dialog.getByLabel('Minimum amount'), '200')
      await hand.press(dialog.getByRole('button', { name: 'Apply Filters' }))
      await expect(dialog).toBeHidden()
      await expect(page.getByText(/^Showing 1-(?!25 of 10000)/)).toBeVisible()
      await expect(rows(page).first()).toContainText('200.00')
      await look(page, 'large-transactions-filtered')
      await hand.press(page.getByRole('link', { name: /^View details/ }).first())
      await expect(page.getByRole('dialog', { name: 'Transaction details' })).toContainText('pay_large')
      await look(page, 'large-transaction')
      await page.keyboard.press('Escape')
      await hand.press(page.getByRole('button', { name: 'Clear all filters' }))
      await expect(page.getByText(`of ${size.transactions} `)).toBeVisible()
    })

    test('two thousand payouts: paged, filtered, looked into', async ({ page }) => {
      const hand = handOf(page)
      await page.goto('/dashboard/payouts')
      await expect(page.getByText(`of ${size.payouts} `)).toBeVisible()
      await look(page, 'large-payouts')
      await hand.press(next(page))
      await expect(page.getByText(`Showing 26-50 of ${size.payouts} `)).toBeVisible()
      await hand.press(page.getByRole('button', { name: /^Filters/ }))
      const dialog = page.getByRole('dialog', { name: 'Filter Payouts' })
      await hand.press(dialog.getByLabel('Withdrawn', { exact: true }))
      await look(page, 'large-payouts-filter')
      await hand.press(dialog.getByRole('button', { name: 'Apply Filters' }))
      await expect(page.getByText(`of ${size.payouts / 2} `)).toBeVisible()
      await hand.press(page.getByRole('button', { name: 'View details' }).first())
      await expect(page.getByRole('dialog')).toContainText('Prize')
      await look(page, 'large-payout')
    })

    test('five hundred contacts: searched and paged', async ({ page }) => {
      const hand = handOf(page)
      await page.goto('/dashboard/contacts')
      await expect(rows(page)).toHaveCount(25)
      await look(page, 'large-contacts')
      await hand.press(next(page))
      await expect(page.getByText(`Showing 26-50 of ${size.contacts}`)).toBeVisible()
      await hand.fill(page.getByRole('searchbox'), 'barbara 49')
      await expect(rows(page)).toHaveCount(2) // 494 and 499
      await expect(rows(page).first()).toContainText('Barbara 49')
    })

    test('fifty groups and two hundred agents: one is chosen, its agents are there', async ({ page }) => {
      const hand = handOf(page)
      await page.goto('/dashboard/agents')
      const groups = page.getByRole('navigation', { name: 'Policy groups' }).getByRole('link')
      await expect(groups).toHaveCount(size.groups)
      await look(page, 'large-agents')
      await hand.press(groups.filter({ hasText: 'Group 07' }))
      await expect(page.getByTestId('group-detail').locator('#group-name')).toHaveText('Group 07')
      await expect(page.getByTestId('agent-row')).toHaveCount(size.agents / size.groups)
      await look(page, 'large-group')
    })

    test('usage and overview know all groups and agents; the palette finds one of each', async ({ page }) => {
      const hand = handOf(page)
      await page.goto('/dashboard/usage')
      await expect(page.getByText('Group 00')).toBeVisible()
      await look(page, 'large-usage')
      await page.goto('/dashboard/overview')
      await expect(page.getByRole('region', { name: 'Active Agents' })).toContainText(String(size.agents))
      await look(page, 'large-overview')
      await hand.press(page.getByRole('button', { name: 'Search' }))
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
