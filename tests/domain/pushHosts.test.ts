import { expect, test } from 'vitest'
import { isPushEndpoint } from '#domain/pushHosts.ts'

test.each([
  'https://fcm.googleapis.com/fcm/send/abc:def',
  'https://updates.push.services.mozilla.com/wpush/v2/abc',
  'https://web.push.apple.com/abc',
  'https://wns2-by3p.notify.windows.com/w/?token=abc',
])('%s is a push service @push-4', (endpoint) => expect(isPushEndpoint(endpoint)).toBe(true))

test.each([
  'http://fcm.googleapis.com/fcm/send/abc',
  'https://fcm.googleapis.com:8443/abc',
  'https://user@fcm.googleapis.com/abc',
  'https://fcm.googleapis.com.evil.example/abc',
  'https://evil-push.apple.com.example/abc',
  'https://xfcm.googleapis.com/abc',
  'https://notify.windows.com.evil.example/',
  'https://evilnotify.windows.com/',
  'https://127.0.0.1/',
  'https://localhost/',
  'fcm.googleapis.com',
  `https://fcm.googleapis.com/${'a'.repeat(1_000)}`,
])('%s is not a push service @push-5', (endpoint) => expect(isPushEndpoint(endpoint)).toBe(false))
