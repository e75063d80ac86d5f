/** The push settings and the service worker. */
import { audit } from './audit.ts'
import { expect, testAsOwner as test } from './fixtures.ts'
import { allowNotifications, noPushApi, recordServiceWorker } from './serviceWorker.ts'

test.use({ tolerated: noPushApi })

test('shows a push message, opens its approval on a click, and reports an unreachable push service @push-12', async ({
  page,
  context,
  baseURL,
}) => {
  await allowNotifications(page)
  await page.goto('/dashboard/settings')
  const card = page.getByRole('region', { name: 'Push notifications' })
  await card.getByRole('button', { name: 'Turn on' }).click()
  await expect(card.getByRole('alert')).toHaveText('The browser’s push service did not respond. Please try again.')
  await audit(page, 'settings-push')

  // The service worker was registered nonetheless, under the page's security policy.
  const { deliver, shown, click } = await recordServiceWorker(page, context, baseURL!)
  const text = { title: 'Scout asks to pay 12.00 USDC', body: 'Nothing is paid before you approve it.', tag: 'apr_1' }
  const path = '/dashboard/approvals/apr_1'
  await deliver({ ...text, path })
  await expect.poll(shown).toEqual([expect.objectContaining({ ...text, data: { path } })])
  expect(await click()).toEqual([`${baseURL}${path}`])
})
