/** Tooltips of times and balances: next to them, while hovered or focused, by mouse and by keyboard. */
import { beSignedIn, expect, test } from './fixtures.ts'

test.beforeEach(({ context, seeded }) => beSignedIn(context, seeded))

test('the full time with its zone shows on hover and on focus, and Escape hides it', async ({ page }) => {
  await page.goto('/dashboard/transactions')
  const [first, second] = [page.locator('tbody time').first(), page.locator('tbody time').nth(1)]
  const tooltip = page.getByRole('tooltip')
  await first.hover()
  await expect(tooltip).toHaveText(/\d{4}, \d+:\d{2}\s[AP]M \S+/)
  const [words, said] = [await first.boundingBox(), await tooltip.boundingBox()]
  expect(said!.y + said!.height).toBeLessThanOrEqual(words!.y)

  await tooltip.hover() // so that it can be read or copied
  await page.mouse.down()
  await expect(tooltip).toBeVisible()
  await page.mouse.up()
  await page.mouse.move(0, 0)
  await expect(tooltip).toBeHidden()
  await second.hover()
  await expect(tooltip).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(tooltip).toBeHidden()

  const links = page.locator('tbody a')
  await test.step('Tab stops once in a row @screens-103', async () => {
    await links.first().focus()
    await page.keyboard.press('Tab')
    await expect(links.nth(1)).toBeFocused()
  })
  await test.step('the row that Tab reaches shows its relative and full time, beside its date @screens-124', async () => {
    await expect(tooltip).toHaveText(/(just now|ago), .*\d{4}, \d+:\d{2}\s[AP]M \S+/)
    const [date, shown] = [await second.boundingBox(), await tooltip.boundingBox()]
    expect(shown!.y + shown!.height).toBeLessThanOrEqual(date!.y)
    await page.keyboard.press('Escape')
    await expect(tooltip).toBeHidden()
    await expect(links.nth(1)).toBeFocused()
  })
  await links.first().press('Enter')
  const step = page.getByRole('dialog').getByRole('time').last()
  await step.focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Shift+Tab')
  await expect(step).toBeFocused()
  await expect(tooltip).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(tooltip).toBeHidden()
})
