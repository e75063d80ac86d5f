/** Settings: the user's own name and password, and what happens when a part of the page does not arrive. */

import { anAccount, login } from './accounts.ts'
import { audit } from './audit.ts'
import { expect, test } from './fixtures.ts'
import { hands } from './hands.ts'

/** Refusals are answered with 4xx, which the browser reports by itself. */
test.use({ tolerated: /status of (400|500)|ERR_FAILED|dynamically imported module/ })

for (const { by, viewport, handOf } of hands)
  test(`name and password are changed, by ${by}`, async ({ page, context, bursar }) => {
    await page.setViewportSize(viewport)
    const hand = handOf(page)
    const look = async (name: string) => {
      if (by !== 'mouse') return
      await audit(page, name)
      await page.setViewportSize(viewport)
    }
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const field = (label: string) => page.getByLabel(label, { exact: true })
    const { email, password, session, keep } = await anAccount(bursar)
    await keep(context)
    await page.goto('/dashboard/settings')
    const main = page.getByRole('main')
    await expect(main).toContainText(email)
    await expect(main).toContainText('Member Since')

    await hand.press(button('Edit name'))
    await expect(field('Name')).toBeFocused()
    await hand.fill(field('Name'), ' ')
    await hand.press(button('Save'))
    await expect(page.getByRole('alert')).toHaveText('Please enter your name')
    await look('settings-name-error')
    await hand.fill(field('Name'), 'Not kept')
    await page.keyboard.press('Escape')
    await expect(button('Edit name'), 'the focus comes back').toBeFocused()
    await expect(main).toContainText('Eve')
    await hand.press(button('Edit name'))
    await hand.fill(field('Name'), ' Eve Ünïcode 🦉 ')
    await hand.press(button('Save'))
    const toast = page.getByRole('status').filter({ hasText: 'Your name is saved.' })
    await expect(toast).toBeVisible()
    const { x, y, width } = (await toast.locator('..').boundingBox())!
    const bar = (await page.getByRole('banner').boundingBox())!.height
    expect([y < bar + 40, x + width > viewport.width - 40], 'at the top right').toEqual([true, true])
    if (viewport.width < 600) expect(y, 'a phone keeps its top bar').toBeGreaterThan(bar)
    await expect(main).toContainText('Eve Ünïcode 🦉')

    await hand.press(button('Change Password'))
    const dialog = page.getByRole('dialog', { name: 'Change Password' })
    const change = dialog.getByRole('button', { name: 'Change Password' })
    const says = (text: string) => expect(dialog.getByRole('alert')).toHaveText(text)
    await expect(dialog).toContainText('Must be at least 6 characters')
    await hand.press(change)
    await says('Please enter your current password')
    await hand.fill(field('Current Password'), 'not this one')
    await hand.press(change)
    await says('Please enter a new password')
    await hand.fill(field('New Password'), 'short')
    await hand.press(change)
    await says('Please enter the new password again')
    await hand.fill(field('Confirm New Password'), 'other')
    await hand.press(change)
    await says('New passwords do not match')
    await hand.fill(field('Confirm New Password'), 'short')
    await hand.press(change)
    await says('Password must be at least 6 characters long')
    await look('settings-password-error')
    await hand.fill(field('New Password'), 'babbage-engine')
    await hand.fill(field('Confirm New Password'), 'babbage-engine')
    await hand.press(change)
    await says('Your current password is not right.')
    await page.route('**/change-password', (route) => route.fulfill({ status: 500, json: {} }), { times: 1 })
    await hand.fill(field('Current Password'), password)
    await hand.press(change)
    await says('Failed to change password')
    await hand.press(change)
    await expect(dialog.getByRole('status')).toHaveText('Password changed successfully!')
    await expect(dialog, 'closes by itself').toBeHidden()
    expect((await login(bursar, email, 'babbage-engine')).user.name).toBe('Eve Ünïcode 🦉')
    const { refreshToken } = session
    const stillIn = await bursar.call('/api/auth/cognito/refresh', { body: { refreshToken } })
    expect(stillIn.status, 'the session that changed it goes on').toBe(200)

    await hand.press(button('Change Password'))
    await hand.fill(field('Current Password'), 'forgotten on closing')
    await hand.press(dialog.getByRole('button', { name: 'Cancel' }))
    await hand.press(button('Change Password'))
    await expect(field('Current Password')).toHaveValue('')
  })

test('wallets that could not be loaded are told and tried again; the page stays whole', async ({
  page,
  context,
  bursar,
}) => {
  const { keep } = await anAccount(bursar)
  await keep(context)
  await page.route('**/assets/WalletSection*.js', (route) => route.abort(), { times: 1 })
  await page.goto('/dashboard/settings')
  const section = page.getByRole('region', { name: 'Connected wallet' })
  await expect(section.getByRole('alert')).toContainText('Wallets could not be loaded. Try again, or reload the page.')
  await expect(page.getByRole('main')).toContainText('Member Since')
  await audit(page, 'settings-wallets-missing')
  await section.getByRole('button', { name: 'Try again' }).click()
  await expect(section.getByRole('button', { name: 'Connect wallet' })).toBeVisible()
})
