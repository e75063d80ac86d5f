/** Tooltips of times and balances: next to them, while hovered or focused, by mouse and by keyboard. */
import { beSignedIn, expect, test } from './fixtures.ts'

test.beforeEach(({ context, seeded }) => beSignedIn(context, seeded))

test('the full time with its zone shows on hover and on focus, and Escape hides it', async ({ page }) => {
  await page.goto('/dashboard/transactions')
  const [first, second] = [page.locator('tbody time').first(), page.locator('tbody time').nth(1)]
  const tooltip = page.getByRole('tooltip')
  await first.hover()
  await expect(tooltip).toHaveText(/\d{4}, \d+:\d{2}\s[AP]M\s\S+/)
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
    await expect(tooltip).toHaveText(/(just now|ago), .*\d{4}, \d+:\d{2}\s[AP]M\s\S+/)
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

test('a disabled button says on hover, on focus and on a press what is missing, and does nothing @screens-126', async ({
  page,
}) => {
  await page.goto('/dashboard/overview')
  const add = page.getByRole('button', { name: 'Add Widget' })
  const tooltip = page.getByRole('tooltip')
  await expect(add).toBeDisabled()
  await expect(add).toHaveAttribute('aria-description', 'Unlock the layout to add a widget.')
  await add.hover()
  await expect(tooltip).toHaveText('Unlock the layout to add a widget.')
  await page.mouse.move(0, 0)
  await expect(tooltip).toBeHidden()
  await add.dispatchEvent('click', { detail: 1 }) // a finger, which does not hover
  await expect(tooltip).toBeVisible()
  await page.getByRole('button', { name: 'Unlock layout' }).focus()
  await page.keyboard.press('Tab')
  await expect(add).toBeFocused()
  await expect(tooltip).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Enter')
  await expect(add).toBeEnabled()
  await add.click()
  await expect(page.getByRole('dialog', { name: 'Widget Library' })).toBeVisible()
})

test('a row whose status changed by itself is marked, and a new one comes in from above @screens-125', async ({
  page,
}) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await page.addInitScript(() => {
    const moved: string[] = []
    Object.assign(window, { moved })
    const animate = Element.prototype.animate
    Element.prototype.animate = function (frames, options) {
      if (this.matches('tbody tr')) moved.push(`${(this as HTMLTableRowElement).rowIndex} ${JSON.stringify(frames)}`)
      return animate.call(this, frames, options)
    }
  })
  const moved = () => page.evaluate(() => (window as unknown as { moved: string[] }).moved)
  let isLater = false
  await page.route(/\/api\/escrow\/list\?/, async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    const [first] = body.data.escrows
    if (isLater) body.data.escrows = [{ ...first, escrowId: 'esc_new', id: 'esc_new' }, ...body.data.escrows]
    else first.status = 'CREATING'
    await route.fulfill({ response, json: body })
  })
  await page.goto('/dashboard/payouts')
  await expect(page.locator('tbody tr').first()).toBeVisible()
  expect(await moved()).toEqual([])
  isLater = true
  await expect
    .poll(moved)
    .toEqual([expect.stringContaining('1 [{"opacity":0'), expect.stringContaining('2 [{"backgroundColor"')])
})
