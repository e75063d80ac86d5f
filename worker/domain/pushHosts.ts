/**
 * Hosts of the browsers' push services. Users supply subscription addresses and the Worker posts to them, so every other
 * host is refused. A leading dot matches any subdomain.
 */
const pushHosts = [
  'fcm.googleapis.com', // Chrome, Edge on Android, Samsung, Opera
  '.push.services.mozilla.com', // Firefox
  '.push.apple.com', // Safari
  '.notify.windows.com', // Edge on Windows
]

export const maxEndpointLength = 1_000

/** Whether `text` is a subscription address at one of `pushHosts`. */
export function isPushEndpoint(text: string): boolean {
  const url = URL.parse(text)
  if (!url || text.length > maxEndpointLength) return false
  const isPlain = url.protocol === 'https:' && url.port === '' && url.username === '' && url.password === ''
  const { hostname } = url
  return isPlain && pushHosts.some((host) => (host.startsWith('.') ? hostname.endsWith(host) : hostname === host))
}
