/**
 * The service worker, through the browser's debugging protocol. Headless Chromium denies every notification permission and reaches
 * no push service, so what the worker shows and opens is recorded instead.
 */
import type { BrowserContext, Page } from '@playwright/test'

/** The parts of a service worker's global scope that tests use. Its types cannot be combined with those of pages. */
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
export const noPushApi = /does not support the Push API/

/** From now on, pages may show notifications. */
export const allowNotifications = (page: Page) =>
  page.addInitScript(() => {
    Object.defineProperty(Notification, 'permission', { get: () => 'granted' })
    Notification.requestPermission = async () => 'granted'
  })

/** The worker that the page has registered, although its subscription failed. */
export async function recordServiceWorker(page: Page, context: BrowserContext, origin: string) {
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
  return {
    deliver: async (notice: object) =>
      devtools.send('ServiceWorker.deliverPushMessage', {
        ...{ origin, registrationId: await registered, data: JSON.stringify(notice) },
      }),
    shown: () => worker.evaluate(() => (globalThis as unknown as Scope).shown),
    /** Clicks the first notification. Returns what opened. */
    click: () =>
      worker.evaluate(async () => {
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
      }),
  }
}
