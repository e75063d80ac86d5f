/** A page of an older version asks for files that a release has replaced. */
import { beSignedIn, expect, test } from './fixtures.ts'

const gone = { status: 404, headers: { 'cache-control': 'no-store' } }

test.use({ tolerated: /status of 404|ERR_FAILED|dynamically imported module/ })

test('a page whose file is gone loads after one automatic reload @screens-23', async ({ page, context, seeded }) => {
  await beSignedIn(context, seeded)
  await page.goto('/dashboard/settings')
  await page.route('**/assets/contacts-*.js', (route) => route.fulfill(gone), { times: 1 })
  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.getByRole('link', { name: 'Contacts' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Contacts')
  const table = page.getByRole('table', { name: 'Contacts' })
  await expect(table).toBeVisible()
  await test.step('a page stays without the file of its tooltips @screens-128', async () => {
    await page.route('**/assets/TooltipPopup-*.js', (route) => route.fulfill(gone))
    const tried = page.waitForResponse('**/assets/TooltipPopup-*.js')
    await table.locator('time').first().hover()
    await tried
    await page.getByRole('button', { name: 'Add Contact' }).click()
    await expect(page.getByRole('dialog', { name: 'Add Contact' })).toBeVisible()
  })
})

test('a page or dialog whose file stays gone says to reload @screens-24', async ({ page, context, seeded }) => {
  await beSignedIn(context, seeded)
  const alert = page.getByRole('alert').filter({ hasText: 'There may be a newer version.' })
  await page.route('**/assets/ContactDialogs-*.js', (route) => route.fulfill(gone))
  await page.goto('/dashboard/contacts')
  await page.getByRole('button', { name: 'Add Contact' }).click()
  await expect(alert).toBeVisible()
  await page.route('**/assets/contacts-*.js', (route) => route.fulfill(gone))
  await page.goto('/dashboard/contacts')
  await expect(alert.getByRole('button', { name: 'Reload' })).toBeVisible()
})

test('sign-in works without the file of the toasts @screens-25', async ({ page }) => {
  await page.clock.install()
  await page.route('**/assets/later-*.js', (route) => route.abort())
  const [failed] = await Promise.all([
    page.waitForEvent('requestfailed', (request) => request.url().includes('/assets/later-')),
    page.goto('/login'),
  ])
  // Ends after the page's own attempt, whose failure React shows within half a second.
  await page.evaluate((url) => import(url).catch(() => undefined), failed.url())
  await page.clock.runFor(1_000)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Welcome Back')
})
