import { expect, test } from 'vitest'
import { unreachableText } from '#web/lib/http.ts'

test.each([
  ['localhost', 'Cannot connect to server. Please ensure the backend is running on port 3001.'],
  ['127.0.0.1', 'Cannot connect to server. Please ensure the backend is running on port 3001.'],
  ['bursar.example', 'Cannot connect to server. Check your connection and try again.'],
])('the message for an unreachable server fits the host %s @http-1', (hostname, text) => {
  expect(unreachableText(hostname)).toBe(text)
})
