/**
 * The push settings and the service worker, through the browser's debugging protocol. Headless Chromium denies every
 * notification permission and reaches no push service, so the test records notifications and opened windows instead.
 */
import { audit } from './audit.ts'
import { expect, testAsOwner as test } from './fixtures.ts'

/** The parts of a service worker's global scope that the test uses. Its types cannot be combined with those of pages. */
type Scope = {
  shown: { title: string; body: string; tag: string; data: unknown }[]
  opened: string[]
  clients: { openWindow: (url: string) => Promise<null> }
  registration: {
    showNotification: (title: string, options: { body: string; tag: string; data: unknown }) => Promise<void>
  }
  dispatchEvent(event: Event): boolean
}

/** Test contexts are incognito, where Chromium has no Push API and logs this. */
test.use({ tolerated: /does not support the Push API/ })

test('shows a push message, opens its approval on a click, and reports an unreachable push service @push-12', async ({
  page,
  context,
  baseURL,
}) => {
  await page.addInitScript(() => {
    Object.defineProperty(Notification, 'permission', { get: () => 'granted' })
    Notification.requestPermission = async () => 'granted'
  })
  await page.goto('/dashboard/settings')
  const card = page.getByRole('region', { name: 'Push notifications' })
  await card.getByRole('button', { name: 'Turn on' }).click()
  await expect(card.getByRole('alert')).toHaveText('The browser’s push service did not respond. Please try again.')
  await audit(page, 'settings-push')

  // The service worker was registered nonetheless, under the page's security policy.
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
  await worker.evaluate(() => {
    const scope = globalThis as unknown as Scope
    scope.shown = []
    scope.opened = []
    scope.registration.showNotification = async (title, options) => {
      scope.shown.push({ title, ...options })
    }
    scope.clients.openWindow = async (url) => {
      scope.opened.push(url)
      return null
    }
  })
  const devtools = await context.newCDPSession(page)
  const registered = new Promise<string>((resolve) => {
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      if (registrations[0]) resolve(registrations[0].registrationId)
    })
  })
  await devtools.send('ServiceWorker.enable')
  const text = { title: 'Scout asks to pay 12.00 USDC', body: 'Nothing is paid before you approve it.', tag: 'apr_1' }
  const path = '/dashboard/approvals/apr_1'
  const data = JSON.stringify({ ...text, path })
  await devtools.send('ServiceWorker.deliverPushMessage', { origin: baseURL!, registrationId: await registered, data })
  const shown = () => worker.evaluate(() => (globalThis as unknown as Scope).shown)
  await expect.poll(shown).toEqual([expect.objectContaining({ ...text, data: { path } })])

  const opened = await worker.evaluate(async () => {
    const scope = globalThis as unknown as Scope
    let done: Promise<unknown> = Promise.resolve()
    const click = Object.assign(new Event('notificationclick'), {
      notification: { data: scope.shown[0]!.data, close: () => undefined },
      waitUntil: (work: Promise<unknown>) => {
        done = work
      },
    })
    scope.dispatchEvent(click)
    await done
    return scope.opened
  })
  expect(opened).toEqual([`${baseURL}${path}`])
})
