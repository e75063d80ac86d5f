// The service worker: shows push messages and opens their page. It caches nothing, so the app is never older than the server.
self.addEventListener('push', (event) => {
  const { title, body, path, tag } = event.data.json()
  const options = { body, tag, icon: '/icon-192.png', badge: '/badge-96.png', data: { path } }
  event.waitUntil(self.registration.showNotification(title, options))
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  const { href, origin } = new URL(event.notification.data.path, self.location.origin)
  if (origin === self.location.origin) event.waitUntil(show(href))
})

/** Focuses a tab that already shows the page, or opens a new one: another tab may hold a half-filled form. */
async function show(href) {
  const tabs = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const open = tabs.find((tab) => tab.url === href)
  await (open ? open.focus() : self.clients.openWindow(href))
}
