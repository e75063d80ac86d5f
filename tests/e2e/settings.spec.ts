/** Settings: the user's own name and password, and a part of the page that fails to load. */

import { login } from './accounts.ts'
import { audit } from './audit.ts'
import { expect, testAsNewUser as test } from './fixtures.ts'
import { inputModes } from './inputModes.ts'

/** Refusals have a 4xx status, which the browser logs. */
test.use({ tolerated: /status of (400|500)|ERR_FAILED|dynamically imported module/ })

for (const { by, viewport, inputOf } of inputModes)
  test(`changes name and password, by ${by} @settings-1`, { tag: '@core' }, async ({ page, bursar, account }) => {
    await page.setViewportSize(viewport)
    const input = inputOf(page)
    const look = async (name: string) => {
      if (by !== 'mouse') return
      await audit(page, name)
      await page.setViewportSize(viewport)
    }
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const field = (label: string) => page.getByLabel(label, { exact: true })
    const { email, password, session } = account
    await page.goto('/dashboard/settings')
    const main = page.getByRole('main')
    await expect(main).toContainText(email)
    await expect(main).toContainText('Member Since')

    await input.press(button('Edit name'))
    await expect(field('Name')).toBeFocused()
    await input.fill(field('Name'), ' ')
    await input.press(button('Save'))
    await expect(page.getByRole('alert')).toHaveText('Please enter your name')
    await look('settings-name-error')
    await input.fill(field('Name'), 'Not kept')
    await page.keyboard.press('Escape')
    await expect(button('Edit name'), 'the focus returns').toBeFocused()
    await expect(main).toContainText('Eve')
    await input.press(button('Edit name'))
    await input.fill(field('Name'), ' Eve Ünïcode 🦉 ')
    await input.press(button('Save'))
    const toast = page.getByRole('log').getByText('Your name is saved.')
    await expect(toast).toBeVisible()
    const { x, y, width } = (await toast.locator('..').boundingBox())!
    const bar = (await page.getByRole('banner').boundingBox())!.height
    expect([y < bar + 40, x + width > viewport.width - 40], 'at the top right').toEqual([true, true])
    if (viewport.width < 600) expect(y, 'a phone keeps its top bar').toBeGreaterThan(bar)
    await expect(main).toContainText('Eve Ünïcode 🦉')

    await input.press(button('Change Password'))
    const dialog = page.getByRole('dialog', { name: 'Change Password' })
    const change = dialog.getByRole('button', { name: 'Change Password' })
    const says = (text: string) => expect(dialog.getByRole('alert')).toHaveText(text)
    await expect(dialog).toContainText('Must be at least 6 characters')
    await input.press(change)
    await says('Please enter your current password')
    await input.fill(field('Current Password'), 'not this one')
    await input.press(change)
    await says('Please enter a new password')
    await input.fill(field('New Password'), 'short')
    await input.press(change)
    await says('Please enter the new password again')
    await input.fill(field('Confirm New Password'), 'other')
    await input.press(change)
    await says('New passwords do not match')
    await input.fill(field('Confirm New Password'), 'short')
    await input.press(change)
    await says('Password must be at least 6 characters long')
    await look('settings-password-error')
    await input.fill(field('New Password'), 'babbage-engine')
    await input.fill(field('Confirm New Password'), 'babbage-engine')
    await input.press(change)
    await says('Your current password is incorrect.')
    await page.route('**/change-password', (route) => route.fulfill({ status: 500, json: {} }), { times: 1 })
    await input.fill(field('Current Password'), password)
    await input.press(change)
    await says('Failed to change password')
    await input.press(change)
    await expect(dialog.getByRole('status')).toHaveText('Password changed successfully!')
    await expect(dialog, 'closes automatically').toBeHidden()
    expect((await login(bursar, email, 'babbage-engine')).user.name).toBe('Eve Ünïcode 🦉')
    const { refreshToken } = session
    const stillIn = await bursar.call('/api/auth/cognito/refresh', { body: { refreshToken } })
    expect(stillIn.status, 'the session that changed it stays valid').toBe(200)

    await input.press(button('Change Password'))
    await input.fill(field('Current Password'), 'forgotten on closing')
    await input.press(dialog.getByRole('button', { name: 'Cancel' }))
    await input.press(button('Change Password'))
    await expect(field('Current Password')).toHaveValue('')
  })

test('the dialog closes 1.5 seconds after the password was changed @settings-3', async ({ page }) => {
  await page.route('**/change-password', (route) => route.fulfill({ json: { success: true, data: null } }))
  await page.clock.install()
  await page.goto('/dashboard/settings?change-password=true')
  const dialog = page.getByRole('dialog', { name: 'Change Password' })
  for (const label of ['Current Password', 'New Password', 'Confirm New Password'])
    await dialog.getByLabel(label, { exact: true }).fill('babbage-engine')
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 5_000)
  await dialog.getByRole('button', { name: 'Change Password' }).click()
  await expect(dialog.getByRole('status')).toHaveText('Password changed successfully!')
  await page.clock.runFor(1_499)
  await expect(dialog).toBeVisible()
  await page.clock.runFor(101) // plus its closing animation
  await expect(dialog).toBeHidden()
})

test('wallets that cannot be loaded show an error and load with the page again; the rest of the page works @settings-2', async ({
  page,
}) => {
  await page.route('**/assets/WalletSection*.js', (route) => route.abort(), { times: 1 })
  await page.goto('/dashboard/settings')
  const section = page.getByRole('region', { name: 'Connected wallet' })
  await expect(section.getByRole('alert')).toContainText('Wallets could not be loaded. Reload the page to try again.')
  await expect(page.getByRole('main')).toContainText('Member Since')
  await audit(page, 'settings-wallets-missing')
  await section.getByRole('button', { name: 'Reload the page' }).click()
  await expect(section.getByRole('button', { name: 'Connect wallet' })).toBeVisible()
})
